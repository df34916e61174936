"""Which block a name in a draft stands for."""

from grounded_builder.domains.simulink.resolve.resolver import resolve

__all__ = ["resolve"]
