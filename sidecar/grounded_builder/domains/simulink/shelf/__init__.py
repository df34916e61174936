"""Libraries that lie as model files beside the models that link into them."""

from grounded_builder.domains.simulink.shelf.brought import bring
from grounded_builder.domains.simulink.shelf.widening import shelve

__all__ = ["bring", "shelve"]
