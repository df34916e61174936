"""Describes what a rehearsed model replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, or a call of a tool where ``tool`` names it."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written_arguments(self) -> str:
        """The arguments as JSON."""
        return json.dumps(self.arguments, ensure_ascii=False)

    @property
    def call_id(self) -> str:
        """An id of the call, in letters and digits as Mistral demands: nine of them."""
        return f"c{sum(self.tool.encode()) % 10**8:08d}"
