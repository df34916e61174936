"""How many ports a block has, derived from its parameters."""
