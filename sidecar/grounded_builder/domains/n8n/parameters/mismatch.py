"""Defines the mismatch of a value and its parameter (type, option), and creates mismatches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING

# type: the node can never use it; loose: n8n passes it on and most nodes can use it; option: not in
# a closed list; range: beyond a bound; json: does not parse; expression: n8n does not evaluate it;
# conversion: n8n cannot convert it to the required type, an error that a node can ignore.
Kind = Literal["type", "loose", "option", "range", "json", "expression", "conversion"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value does not fit; ``route`` leads from the value to the part that does not.

    ``instead`` is an equivalent value that fits, MISSING if there is none.
    """

    kind: Kind
    value: Any
    expected: str
    choices: tuple[str, ...] = ()
    route: Route = ()
    instead: Any = MISSING


def wrong_type(expected: str, value: Any, route: Route = (), *, instead: Any = MISSING) -> Mismatch:
    """Returns the mismatch of a value whose type the node cannot use."""
    return Mismatch("type", value, expected, (), route, instead)


def loose_type(expected: str, value: Any, route: Route = (), *, instead: Any = MISSING) -> Mismatch:
    """Returns the mismatch of a value of another type than declared, which n8n passes on."""
    return Mismatch("loose", value, expected, (), route, instead)


def unknown_option(
    choices: tuple[str, ...],
    value: Any,
    route: Route,
    expected: str,
    *,
    intended: str | None = None,
) -> Mismatch:
    """Returns the mismatch of a value outside a closed list; ``intended`` is its likely choice."""
    return Mismatch(
        "option", value, expected, choices, route, MISSING if intended is None else intended
    )
