"""Sketch a plan of a request: the blocks that it names, in the order in which signals pass them."""

from grounded_builder.domains.simulink.sketching.sketch import sketch

__all__ = ["sketch"]
