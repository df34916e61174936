"""Loads catalogs of installed tools and finds tools in them by id, name and words."""
