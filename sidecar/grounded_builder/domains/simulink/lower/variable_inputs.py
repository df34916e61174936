"""Sets the number of inputs of blocks such as Sum or Mux to the number of their lines."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.lower.parameters import Fitting
from grounded_builder.domains.simulink.lower.ports import WIDENED, StepPorts
from grounded_builder.domains.simulink.lower.wiring import Wire
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.artifact import CORRECTED

_SIGNS: Mapping[str, str] = {"Sum": "+", "Product": "*"}


def widen(
    choices: tuple[StepResolution, ...],
    fittings: Mapping[str, Fitting],
    drawn: tuple[Wire, ...],
    sockets: Mapping[str, StepPorts],
) -> tuple[Diagnostic, ...]:
    """Sets the number of inputs where the draft does not, with a finding for each block."""
    out: list[Diagnostic] = []
    fed: dict[str, int] = {}
    for wire in drawn:
        fed[wire.target] = max(fed.get(wire.target, 0), wire.end.index)
    for choice in choices:
        step, spec = choice.step, choice.spec
        if spec is None or not sockets[step.id].widens:
            continue
        wanted = fed.get(step.id, 0)
        counts = sockets[step.id].counts or {}
        have = counts.get("in", 0)
        if (
            not wanted
            or wanted == have
            or (wanted < have and spec.block_type in ("Sum", "Product"))
        ):
            continue
        if wanted < have and spec.block_type not in ("Mux", "BusCreator", "Merge"):
            continue
        name = WIDENED[spec.block_type]
        value = _value(spec.block_type, wanted, fittings[step.id].parameters.get(name, ""))
        fittings[step.id].parameters[name] = value
        message = f'"{step.id}" got {name} {value} for its {wanted} inputs'
        out.append(new_diagnostic(CORRECTED, step.at, message, node=step.id))
    return tuple(out)


def _value(kind: str, wanted: int, before: str) -> str:
    sign = _SIGNS.get(kind)
    if sign is None or (kind == "Product" and not before.strip("*/")):
        return str(wanted) if sign is None or not before else before.ljust(wanted, sign)
    return sign * wanted if not before else before.ljust(wanted, sign)
