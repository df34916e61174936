"""Reads libraries in model files beside the models that link to them."""

from grounded_builder.domains.simulink.libraries.bundled import bundle_libraries
from grounded_builder.domains.simulink.libraries.extend_registry import find_libraries_near

__all__ = ["bundle_libraries", "find_libraries_near"]
