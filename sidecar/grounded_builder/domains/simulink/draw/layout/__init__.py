"""Places blocks without a position along the signals, from left to right."""

from grounded_builder.domains.simulink.draw.layout.place_blocks import laid, placed

__all__ = ["laid", "placed"]
