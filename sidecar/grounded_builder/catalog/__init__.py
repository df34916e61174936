"""The symbol table: what is really installed, content-addressed and immutable."""
