"""Reports cycles in a plan that have no way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.compiler.dependencies import find_cycle
from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import Ports
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.order import DEPENDENCY_CYCLE

_MAIN = "main"


def cycles(
    plan: Plan, choices: tuple[StepResolution, ...], ports: Mapping[str, Ports]
) -> Iterator[Diagnostic]:
    """Yields a finding for an unmarked cycle without a second output, which would never end."""
    cycle = find_cycle(plan)
    by_id = {choice.step.id: choice for choice in choices}
    if not cycle or any(_leads_out(by_id[step], ports) for step in cycle):
        return
    step = by_id[cycle[0]].step
    yield new_diagnostic(
        DEPENDENCY_CYCLE,
        step.at,
        f"steps depend on each other in a cycle: {' -> '.join(cycle)}",
        help='route the cycle through a loop or a branch, or mark the edge that closes it "back"',
        node=step.id,
    )


def _leads_out(choice: StepResolution, ports: Mapping[str, Ports]) -> bool:
    outputs = ports[choice.step.id].outputs
    return outputs is None or len(outputs.get(_MAIN, ())) > 1
