"""Build the artifact: the workflow exactly as it is sent to n8n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.graph import Resolved
from grounded_builder.setting import Setting


def build(resolved: Resolved, setting: Setting) -> Mapping[str, Any]:
    """Make the workflow that n8n's public API takes."""
    del setting
    return resolved.graph.document
