"""Drafts with the keyword planner if no model is configured or all models failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes, open_points
from grounded_builder.drafting.conversation import Outcome
from grounded_builder.drafting.partial_build import without_wrong
from grounded_builder.drafting.planner.propose import propose, with_coverage
from grounded_builder.drafting.summary import summarize
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions, is_denied
from grounded_builder.resolve.diagnose import ReferenceCatalogs

_SALVAGES = 6


def plan_without_model(
    request: str,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
    *,
    why: str = "",
    rounds: int = 0,
    unheeded: Sequence[str] = (),
) -> Outcome:
    """Drafts with the keyword planner; ``why`` is the reason for not using a model.

    ``unheeded`` are the constraints that only a model reads.
    """
    proposal = propose(request, domain, registry)
    proposal = replace(
        proposal, plan=_without_forbidden_tools(proposal.plan, registry, options.policy.denied)
    )
    planned = proposal.plan
    compilation = compile_with_fixes(dict(planned), domain, registry, options, references)
    for _ in range(_SALVAGES):
        rest = without_wrong(proposal.plan, compilation.diagnostics)
        if rest is None or compilation.verdict != "wrong":
            break
        proposal = with_coverage(rest, registry)
        compilation = compile_with_fixes(dict(rest), domain, registry, options, references)
    left_out = _name_left_out(planned, proposal.plan, registry)
    todo = (*open_points(compilation.diagnostics), *proposal.open, *left_out)
    text = summarize(compilation, registry, todo, proposal.unplaced_clauses)
    kind: Literal["built", "incomplete", "refused"] = "refused"
    judged: Compilation | None = compilation
    if proposal.refusal is not None:
        text = proposal.refusal
        # Of a plan without steps there is nothing to report but what was not read.
        judged = replace(compilation, artifact=None) if proposal.plan["steps"] else None
    elif compilation.artifact is not None:
        left = proposal.unplaced_notes or proposal.open or left_out
        kind = "built" if compilation.verdict == "ok" and not left else "incomplete"
    value = f"{text} Planned without a model{f': {why}' if why else ''}."
    if unheeded:
        value = f"{value} The planner does not read what is said under {', '.join(unheeded)}."
    return Outcome(
        kind, None, value, judged, rounds, proposal.plan, (*todo, *proposal.unplaced_notes)
    )


def _name_left_out(
    planned: Mapping[str, Any], built: Mapping[str, Any], registry: Registry
) -> tuple[str, ...]:
    """Returns a sentence about each step that the compiler rejects and that is not built."""
    ids = {step["id"] for step in built["steps"]}
    tools = [step["tool"] for step in planned["steps"] if step["id"] not in ids]
    names = [row.name if (row := registry.tools.get(tool)) else tool for tool in tools]
    return tuple(f"{name} was left out, because the compiler rejects its step" for name in names)


def _without_forbidden_tools(
    plan: Mapping[str, Any], registry: Registry, denied: Sequence[str]
) -> Mapping[str, Any]:
    """Returns the plan with denied tools replaced by plain names that allowed tools share."""
    if not denied:
        return plan

    def is_allowed(tool: str) -> bool:
        return not is_denied(tool, tuple(denied))

    named = {row.name.casefold() for row in registry.tools.values() if is_allowed(row.id)}

    def loosen(step: Mapping[str, Any]) -> Mapping[str, Any]:
        row = registry.tools.get(str(step.get("tool")))
        if row is None or is_allowed(row.id) or row.name.casefold() not in named:
            return step
        return {**step, "tool": row.name}

    return {**plan, "steps": [loosen(step) for step in plan["steps"]]}
