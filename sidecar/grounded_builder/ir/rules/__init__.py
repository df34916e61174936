"""Defines the rule constants that several passes or domains share, one module for each family."""
