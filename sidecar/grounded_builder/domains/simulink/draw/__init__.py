"""Diagrams as pictures that an engineer recognises."""

from grounded_builder.domains.simulink.draw.picture import draw

__all__ = ["draw"]
