"""The catalog: the tools that are installed, content-addressed and immutable."""
