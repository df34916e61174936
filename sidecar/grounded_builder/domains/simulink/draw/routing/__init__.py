"""Routes lines without corners: at right angles, around blocks, with common trunks."""

from grounded_builder.domains.simulink.draw.routing.route_diagram import route_lines

__all__ = ["route_lines"]
