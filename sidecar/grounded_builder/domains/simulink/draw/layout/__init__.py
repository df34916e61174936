"""Places blocks without a position along the signals, from left to right."""

from grounded_builder.domains.simulink.draw.layout.place_blocks import lay_out, place_blocks

__all__ = ["lay_out", "place_blocks"]
