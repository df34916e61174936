"""Any list of tool definitions as a catalog, and plans and calls over it."""
