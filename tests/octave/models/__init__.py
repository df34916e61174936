"""Forty models of control, signals, logic and physics: drafts, and plans of sentences."""

from tests.octave.models.control import CONTROL, CONTROL_REQUESTS
from tests.octave.models.drafts import steps
from tests.octave.models.logic import LOGIC, LOGIC_REQUESTS
from tests.octave.models.nesting import NESTED
from tests.octave.models.physics import PHYSICS, PHYSICS_REQUESTS
from tests.octave.models.signals import SIGNALS, SIGNALS_REQUESTS

MODELS = [*CONTROL, *SIGNALS, *LOGIC, *PHYSICS, *NESTED]
REQUESTS = (*CONTROL_REQUESTS, *SIGNALS_REQUESTS, *LOGIC_REQUESTS, *PHYSICS_REQUESTS)

__all__ = ["MODELS", "REQUESTS", "steps"]
