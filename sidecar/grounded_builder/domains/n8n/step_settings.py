"""Lists the node settings (``INode``) that a step can state, and constants for their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ON_ERROR = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")
ERROR_OUTPUT = "continueErrorOutput"
"""The value of ``onError`` that gives a node an output for failures."""

# Of n8n-core 2.41, WorkflowExecute.getRetryParams: n8n moves values outside to the nearest bound.
LEAST_TRIES, MOST_TRIES = 2, 5
LONGEST_WAIT_MS = 5_000

_FLAG: Mapping[str, Any] = {"type": "boolean"}

STEP_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "onError": {"type": "string", "enum": list(ON_ERROR)},
    "retryOnFail": _FLAG,
    "maxTries": {"type": "integer", "minimum": LEAST_TRIES, "maximum": MOST_TRIES},
    "waitBetweenTries": {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_MS},
    "alwaysOutputData": _FLAG,
    "executeOnce": _FLAG,
    "disabled": _FLAG,
    "notesInFlow": _FLAG,
    "continueOnFail": _FLAG,
}
"""The JSON Schema of each setting."""
