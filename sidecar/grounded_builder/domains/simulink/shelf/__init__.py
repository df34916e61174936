"""Libraries that lie as model files beside the models that link into them."""

from grounded_builder.domains.simulink.shelf.widening import shelve

__all__ = ["shelve"]
