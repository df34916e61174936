"""Collects blocks and findings while a model is restored from its plan; refuses code in values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES, is_code
from grounded_builder.domains.simulink.check.parameter_values import REFUSED_VALUE, find_acting_call
from grounded_builder.ir.rules.reading import MALFORMED_STEP

_HELP = "create the plan of a model with `grounded plan`, and keep its format"

# Functions that call others by name, or that reach other languages.
_INDIRECT = re.compile(
    r"(?<![\w.])(builtin|(?:cell|array|struct|bsx|sp)fun|str2func|java\w*|py|NET|"
    r"actxserver|clib|addpath|rmpath|cd|setenv|open|web|matlab)\s*[(.]"
)


def _indirect(text: str) -> str | None:
    match = _INDIRECT.search(text)
    return match[1] if match is not None else None


@dataclass(slots=True)
class Making:
    """The blocks made so far, by the ids of their steps, and the findings on the plan."""

    plan: Mapping[str, Any]
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def of(self, at: Route, *keys: str, kind: type = dict) -> Any:
        """Returns the plan's value at a route; empty where it is missing or of another kind."""
        here: Any = self.plan
        for key in (*at, *keys):
            if isinstance(here, dict):
                here = here.get(str(key))
            else:
                here = here[key] if isinstance(here, list) and isinstance(key, int) else None
            if here is None:
                return kind()
        if isinstance(here, kind):
            return here
        self.bad((*at, *keys), f'"{keys[-1]}" is {name_json_kind(here)}')
        return kind()

    def texts(self, at: Route, *keys: str, valued: bool = False) -> dict[str, str]:
        """Returns texts by name, which must have no side effects; ``valued`` ones are evaluated."""
        entries = {}
        for name, value in self.of(at, *keys).items():
            if not isinstance(value, str):
                self.bad((*at, *keys, name), f'"{name}" is {name_json_kind(value)}, not a text')
            elif is_code(name, value) and (name in PROPERTIES or not valued):
                self.refuse((*at, *keys, name), "Simulink runs it as code")
            elif valued and (called := find_acting_call(value) or _indirect(value)) is not None:
                self.refuse((*at, *keys, name), f"{called} has side effects")
            else:
                entries[name] = value
        return entries

    def refuse(self, at: Route, reason: str) -> None:
        """Reports a value that would run when a model is opened or simulated."""
        message = f"the value of {at[-1]} is rejected: {reason}"
        self.diagnostics.append(
            new_diagnostic(REFUSED_VALUE, at, message, help="set it in the model itself")
        )

    def bad(self, at: Route, message: str) -> None:
        """Reports a value that does not have the format of such a plan."""
        self.diagnostics.append(new_diagnostic(MALFORMED_STEP, at, message, help=_HELP))
