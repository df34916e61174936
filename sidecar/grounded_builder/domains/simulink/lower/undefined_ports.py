"""Reports lines to ports of charts, state tables or MATLAB Functions that a draft cannot define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.lower.wiring import Wire
from grounded_builder.ir.lowering import StepResolution

UNDEFINED_SUBSYSTEM_PORTS = Rule.incomplete(
    "SLX304",
    "undefined-subsystem-ports",
    "MissingParameter",
    "The ports of a block are undefined.",
)

# The number of inputs and outputs that each has in the library.
# https://www.mathworks.com/help/stateflow/ref/chart.html
# https://www.mathworks.com/help/simulink/slref/matlabfunction.html
_BROUGHT: Mapping[str, int] = {
    "sflib/Chart": 0,
    "sflib/State Transition Table": 0,
    "simulink/User-Defined Functions/MATLAB Function": 1,
}


def check_undefined_ports(
    choices: Iterable[StepResolution], drawn: Iterable[Wire]
) -> Iterator[Diagnostic]:
    """Finds blocks with lines to ports that their contents would define, each once."""
    tools = {
        resolution.step.id: resolution for resolution in choices if resolution.spec is not None
    }
    entries: set[str] = set()
    for wire in drawn:
        for step, port in ((wire.target, wire.end), (wire.source, wire.start)):
            choice = tools.get(step)
            if choice is None or choice.spec is None or step in entries:
                continue
            brought = _BROUGHT.get(choice.spec.id)
            if brought is None or port.kind not in ("in", "out") or port.index <= brought:
                continue
            entries.add(step)
            yield new_diagnostic(
                UNDEFINED_SUBSYSTEM_PORTS,
                choice.step.at,
                f'"{step}" gets its ports from its contents, which a draft cannot express',
                help="create its contents in MATLAB before its lines, or replace it by blocks",
                node=step,
                token=port.kind,
            )
