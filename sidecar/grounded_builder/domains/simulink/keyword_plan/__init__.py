"""Plans a model from the blocks that a request names, by keywords, without a language model."""
