"""Places for blocks that have none: along the signals, from left to right."""

from grounded_builder.domains.simulink.drawing.placing.placed import laid, placed

__all__ = ["laid", "placed"]
