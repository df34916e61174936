"""Fits a step's values into its node: first its operation, then the other parameters."""

from __future__ import annotations

from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.lower.choose_operation import choose_operation
from grounded_builder.domains.n8n.lower.operation_fit import ParameterFit
from grounded_builder.domains.n8n.lower.operation_names import list_operations, list_titles
from grounded_builder.domains.n8n.lower.parameters import Fitting, fit
from grounded_builder.domains.n8n.lower.sign_in import choose_sign_in
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.parameters import UNPLACED_VALUE

_MAX_TAKERS = 4


def fit_step(choice: StepResolution, node: str, registry: Registry) -> Fitting:
    """Returns the parameters of a step whose tool is resolved; ``node`` is the node's name."""
    chosen = choose_operation(choice, node, registry)
    step = chosen.step
    fitting = fit(choice.spec, chosen.preset, step.params, step.params_at, node, chosen.selectors)
    places = {(*step.params_at, key): route for key, route in chosen.origin.items()}
    fitting.places = dict(chosen.origin)
    place = step.params_at if step.params else step.at
    settings, notes = choose_sign_in(choice.spec, fitting.parameters, place, node, registry)
    fitting.parameters.update(settings)
    fitting.diagnostics = [
        *notes,
        *chosen.diagnostics,
        *(
            replace(_with_takers(finding, choice, registry), at=places.get(finding.at, finding.at))
            for finding in fitting.diagnostics
        ),
    ]
    return fitting


def _with_takers(finding: Diagnostic, choice: StepResolution, registry: Registry) -> Diagnostic:
    """Returns the finding about a value without a place with the operations that would take it."""
    key = finding.token
    if finding.rule != UNPLACED_VALUE or choice.tool is None or not key:
        return finding
    operations = list_operations(choice.tool.id, choice.version, choice.spec, registry)
    params = {key: choice.step.params.get(key)}
    takers = ParameterFit(choice.spec, choice.preset, params).takers(key, operations)
    if not takers:
        return finding
    text = f'"{key}" is a parameter of {list_titles(takers[:_MAX_TAKERS])}'
    return replace(finding, help=f"{text}; {finding.help}")
