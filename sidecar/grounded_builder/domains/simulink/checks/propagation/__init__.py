"""What is known of every signal: type, dimensions and sample time, carried forward."""

from grounded_builder.domains.simulink.checks.propagation.carry import Signals, carry
from grounded_builder.domains.simulink.checks.propagation.signal import (
    UNKNOWN,
    Rate,
    Shape,
    Signal,
)

__all__ = ["UNKNOWN", "Rate", "Shape", "Signal", "Signals", "carry"]
