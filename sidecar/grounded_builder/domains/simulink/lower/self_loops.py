"""Reports steps that feed themselves at an input with direct feedthrough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.catalog.feedthrough import feedthrough
from grounded_builder.domains.simulink.lower.parameters import Fitting
from grounded_builder.domains.simulink.lower.wiring import Wire
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.order import SELF_DEPENDENCY


def check_self_loops(
    plan: Plan,
    choices: Iterable[StepResolution],
    fittings: Mapping[str, Fitting],
    drawn: Iterable[Wire],
) -> Iterator[Diagnostic]:
    """Finds steps that depend on themselves at an input with direct feedthrough.

    Edges that are marked ``back`` and inputs with unknown feedthrough are left to the check of
    algebraic loops.
    """
    steps = {source.at for step in plan.steps for source in step.inputs or () if source.back}
    specs = {choice.step.id: choice.spec for choice in choices}
    for wire in drawn:
        spec = specs.get(wire.source)
        if wire.source != wire.target or wire.end.kind != "in" or wire.origin in steps:
            continue
        if spec is None:
            continue
        given = fittings[wire.source].parameters
        values = {name: spec.value(name, given) for name in (*spec.parameters, *given)}
        known = {name: value for name, value in values.items() if value is not None}
        if feedthrough(spec.block_type, known, wire.end.index, spec.path) is True:
            yield new_diagnostic(
                SELF_DEPENDENCY,
                wire.origin,
                f'step "{wire.source}" depends on itself, and its output depends directly on that '
                "input",
                help="name the step before it, or add a Unit Delay or an Integrator to the loop",
                node=wire.source,
            )
