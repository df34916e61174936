"""Plans the blocks that a request names, in the order that it states."""
