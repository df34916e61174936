"""Derives the number of ports of a block from its parameters."""
