"""The ways of lines that state none: at right angles, around blocks, forked like one trunk."""

from grounded_builder.domains.simulink.draw.routing.route_diagram import routed

__all__ = ["routed"]
