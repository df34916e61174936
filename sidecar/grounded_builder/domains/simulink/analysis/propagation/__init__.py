"""Propagates the type, dimensions and sample time of signals forward through a model."""

from grounded_builder.domains.simulink.analysis.propagation.fixpoint import (
    Signals,
    propagate_signals,
)
from grounded_builder.domains.simulink.analysis.propagation.signal import (
    UNKNOWN,
    Rate,
    Shape,
    Signal,
)

__all__ = ["UNKNOWN", "Rate", "Shape", "Signal", "Signals", "propagate_signals"]
