"""Draws diagrams as pictures that look like those of Simulink."""

from grounded_builder.domains.simulink.draw.picture import draw

__all__ = ["draw"]
