"""Places for blocks that have none: along the signals, from left to right."""

from grounded_builder.domains.simulink.draw.layout.place_blocks import laid, placed

__all__ = ["laid", "placed"]
