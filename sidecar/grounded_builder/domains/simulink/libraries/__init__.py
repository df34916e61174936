"""Reads libraries in model files beside the models that link to them."""

from grounded_builder.domains.simulink.libraries.bundled import bring
from grounded_builder.domains.simulink.libraries.extend_registry import shelve

__all__ = ["bring", "shelve"]
