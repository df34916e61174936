"""A compiler front end for automation graphs: nothing unresolved gets through."""

__version__ = "0.1.0"
