"""Resolves the tool of each plan step in its context, and fits unread keys to its parameters."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_search import NameSearch
from grounded_builder.compiler.unread_keys import (
    join_equal_findings,
    note_unread_keys,
    place_unread_keys,
)
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan, Step
from grounded_builder.ir.resolution import NameContext, Place, Resolution
from grounded_builder.resolve.diagnose import (
    MISSING_TOOL,
    UNAVAILABLE_TOOL,
    ReferenceCatalogs,
    diagnose_unavailable,
    diagnose_unresolved,
    no_reference_catalogs,
)

RESOLVED_NAME = Rule.info("GB403", "resolved-name", "An informal tool name was resolved.")


def resolve_steps(
    plan: Plan,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
) -> tuple[tuple[StepResolution, ...], tuple[Diagnostic, ...]]:
    """Returns a tool and version for every step; failures are unresolved.

    Each name is first resolved alone; these tools are then the context for ambiguous names. The
    steps of the result have no unread keys: those became parameters or remarks, or are reported.
    """
    names = NameSearch(domain, registry, options.limits.names)
    by_step = {
        step.id: names.resolve(step.tool or "", _own_context(step, domain, options))
        for step in plan.steps
    }
    tools = (resolution.tool for resolution in by_step.values() if resolution.tool is not None)
    neighbours = tuple(dict.fromkeys(tools))
    choices: list[StepResolution] = []
    diagnostics: list[Diagnostic] = []
    for step in plan.steps:
        resolution = by_step[step.id]
        if resolution.status != "resolved" or resolution.confidence < 1.0:
            context = _full_context(step, plan, neighbours, domain, options)
            resolution = names.resolve(step.tool or "", context, fallback=resolution)
        choice, step_diagnostics = _resolve_step(step, resolution, domain, registry, references)
        excluded = _excluded_by_constraints(step, choice, names, domain, registry, options)
        if excluded is not None:
            step_diagnostics = (excluded,)
        choice, unread = _place_keys(choice, by_step.keys() - {step.id}, domain)
        choices.append(choice)
        diagnostics += (*step_diagnostics, *unread)
    joined = join_equal_findings(diagnostics)
    return tuple(choices), (*joined, *names.findings())


def _place_keys(
    choice: StepResolution, others: Container[str], domain: Domain
) -> tuple[StepResolution, tuple[Diagnostic, ...]]:
    """Returns a choice whose step has no unread keys, and the findings on them.

    ``others`` are the ids of the other steps. Keys of a step without a tool can be parameters, and
    are only noted.
    """
    if choice.tool is None:
        return choice, note_unread_keys(choice.step)
    names_of = domain.resolving.parameter_names
    names = names_of(choice.spec) if names_of else ()
    taken = choice.step.stated if domain.building.reads_stated_keys else ()
    step, findings = place_unread_keys(choice.step, names, taken, others)
    return replace(choice, step=step), findings


def _constraint_context(step: Step, domain: Domain, options: CompileOptions) -> NameContext:
    """Returns the constraints on a step's tool: its library, and the target of step and policy."""
    library = frozenset({step.library} if step.library else ())
    if domain.resolving.unavailable_reason is None:
        return NameContext(allowed_packages=library)
    return NameContext(
        allowed_packages=library,
        target=step.target.over(options.policy.target),
    )


def _own_context(step: Step, domain: Domain, options: CompileOptions) -> NameContext | None:
    """Returns the context from the step alone, None if it is empty."""
    bound = _constraint_context(step, domain, options)
    return None if bound == NameContext() and domain.resolving.unavailable_reason is None else bound


def _excluded_by_constraints(
    step: Step,
    choice: StepResolution,
    names: NameSearch,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
) -> Diagnostic | None:
    """Returns the finding for a name whose tools are all excluded, else None."""
    if choice.tool is not None or step.tool is None or domain.resolving.unavailable_reason is None:
        return None
    bound = _constraint_context(step, domain, options)
    # Resolves the name without constraints, then without the denied tools.
    for free in (None, NameContext(denied=options.policy.denied)):
        resolution = names.resolve(step.tool, free)
        candidates = [candidate.tool for candidate in resolution.candidates]
        candidates = [resolution.tool] if resolution.tool else candidates
        reasons = [
            domain.resolving.unavailable_reason(name, registry, bound) for name in candidates
        ]
        if resolution.status == "unknown" or not candidates or not all(reasons):
            continue
        others = (candidate.tool for candidate in choice.resolution.candidates)
        return new_diagnostic(
            UNAVAILABLE_TOOL,
            step.tool_at,
            f"{candidates[0]} is not available: {reasons[0]}",
            help="use another tool, or build for an installation that has this one",
            node=step.id,
            token=step.tool,
            alternatives=dict.fromkeys(
                (*_list_replacements(candidates[0], registry, bound, domain), *others)
            ),
        )
    return None


def _list_replacements(
    tool: str, registry: Registry, context: NameContext, domain: Domain
) -> Sequence[str]:
    replacements = domain.resolving.replacements
    return () if replacements is None else replacements(tool, registry, context)


def _full_context(
    step: Step, plan: Plan, neighbours: tuple[str, ...], domain: Domain, options: CompileOptions
) -> NameContext:
    first = plan.steps[0] is step and step.inputs in (None, ())
    position: Place = "sub-node" if step.parents or step.role else "trigger" if first else "step"
    return replace(
        _constraint_context(step, domain, options),
        action=step.action,
        goal=plan.goal,
        params=tuple(step.params),
        position=position,
        neighbours=neighbours,
        denied=options.policy.denied,
    )


def _resolve_step(
    step: Step,
    resolution: Resolution,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
) -> tuple[StepResolution, tuple[Diagnostic, ...]]:
    if step.tool is None:
        message = f'step "{step.id}" names no tool'
        missing = new_diagnostic(MISSING_TOOL, step.at, message, help='set "tool"', node=step.id)
        return StepResolution(step, resolution), (missing,)
    if resolution.tool is None:
        diagnostic = diagnose_unresolved(
            step.tool,
            step.tool_at,
            step.id,
            resolution,
            domain,
            registry,
            references,
            drafted=True,
        )
        return StepResolution(step, resolution), (diagnostic,)
    tool = registry.tools[resolution.tool]
    if tool.availability != "installed":
        return StepResolution(step, resolution), (
            diagnose_unavailable(tool, step.tool_at, step.id),
        )
    version = step.version
    if version not in tool.versions:
        version = tool.default_version if tool.default_version in tool.versions else tool.newest
    spec = registry.spec(tool.id, version)
    notes: tuple[Diagnostic, ...] = ()
    if step.version is not None and version != step.version:
        message = f"{tool.id} has no version {step.version:g}; {version:g} was used"
        notes = (new_diagnostic(RESOLVED_NAME, step.at, message, node=step.id),)
    if resolution.method not in ("exact", "name"):
        params = "".join(f", {key}={value}" for key, value in resolution.params.items())
        message = f'"{step.tool}" is {tool.id}{params}'
        notes = (
            *notes,
            new_diagnostic(RESOLVED_NAME, step.tool_at, message, node=step.id, token=step.tool),
        )
    return StepResolution(step, resolution, tool, version, spec, dict(resolution.params)), notes
