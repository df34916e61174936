"""Defines the rules that several passes or domains share, one module for each family."""
