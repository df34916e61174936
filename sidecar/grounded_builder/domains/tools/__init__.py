"""Catalogs of any list of tool definitions, and the plans and calls that use them."""
