"""What a value is when it is not what its parameter takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING

# type: no run can make sense of it; loose: n8n passes it on and most nodes can; option: not in a
# closed list; range: beyond a bound; json: does not parse; expression: n8n does not evaluate it;
# conversion: n8n cannot turn it into the type asked for, which a node may be told to ignore.
Kind = Literal["type", "loose", "option", "range", "json", "expression", "conversion"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value does not fit; ``route`` leads from the value to the part that is meant.

    ``instead`` is the value that means the same and fits, MISSING where there is none.
    """

    kind: Kind
    value: Any
    expected: str
    choices: tuple[str, ...] = ()
    route: Route = ()
    instead: Any = MISSING


def not_a(expected: str, value: Any, route: Route = (), *, instead: Any = MISSING) -> Mismatch:
    """Returns a value of a type that is no use here."""
    return Mismatch("type", value, expected, (), route, instead)


def loosely(expected: str, value: Any, route: Route = (), *, instead: Any = MISSING) -> Mismatch:
    """Returns a value of another type than declared, which n8n passes on as it is."""
    return Mismatch("loose", value, expected, (), route, instead)


def not_among(
    choices: tuple[str, ...], value: Any, route: Route, expected: str, *, meant: str | None = None
) -> Mismatch:
    """A value outside a closed list; ``meant`` is the one choice that it is another name of."""
    return Mismatch("option", value, expected, choices, route, MISSING if meant is None else meant)
