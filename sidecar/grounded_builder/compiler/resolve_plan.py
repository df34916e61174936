"""Resolve the tools of a plan's steps, each in the light of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.ir.domain import Domain, never_hindered
from grounded_builder.ir.lowering import Choice
from grounded_builder.ir.options import Setting
from grounded_builder.ir.plan import Plan, Step
from grounded_builder.ir.resolution import NameContext, Place, Resolution
from grounded_builder.resolve.diagnose import References, no_references, unavailable, unresolved


def place(
    plan: Plan,
    domain: Domain,
    registry: Registry,
    setting: Setting,
    references: References = no_references,
) -> tuple[tuple[Choice, ...], tuple[Diagnostic, ...]]:
    """Choose a tool and version for every step; what stays open is a hole.

    Names that stand alone are resolved first: what they are tells the vague ones apart.
    """
    firm = {
        step.id: domain.resolve(step.tool or "", registry, _alone(step, domain, setting))
        for step in plan.steps
    }
    neighbours = [one.tool for one in firm.values() if one.tool is not None]
    choices: list[Choice] = []
    out: list[Diagnostic] = []
    for step in plan.steps:
        resolution = firm[step.id]
        if resolution.status != "resolved" or resolution.confidence < 1.0:
            context = _context(step, plan, neighbours, domain, setting)
            resolution = domain.resolve(step.tool or "", registry, context)
        choice, said = _choice(step, resolution, domain, registry, references)
        kept_out = _kept_out(step, choice, domain, registry, setting)
        if kept_out is not None:
            said = (kept_out,)
        choices.append(choice)
        out += said
    return tuple(choices), tuple(out)


def _bound(step: Step, domain: Domain, setting: Setting) -> NameContext:
    """What bounds a step's tool: its library, and release and products of step or policy."""
    library = frozenset({step.library} if step.library else ())
    if domain.hindered is never_hindered:
        return NameContext(allowed_packages=library)
    return NameContext(
        allowed_packages=library,
        families=frozenset(step.products or setting.policy.products),
        release=step.release or setting.policy.release,
    )


def _alone(step: Step, domain: Domain, setting: Setting) -> NameContext | None:
    """What is known of a step's tool by itself, None where that is nothing."""
    bound = _bound(step, domain, setting)
    return None if bound == NameContext() and domain.hindered is never_hindered else bound


def _kept_out(
    step: Step, choice: Choice, domain: Domain, registry: Registry, setting: Setting
) -> Diagnostic | None:
    """The finding for a name whose tools are all left out by what bounds the step; else None."""
    if choice.tool is not None or step.tool is None or domain.hindered is never_hindered:
        return None
    bound = _bound(step, domain, setting)
    # What it means at all, then what it means beside what is denied.
    for free in (None, NameContext(denied=setting.policy.denied)):
        resolution = domain.resolve(step.tool, registry, free)
        meant = [one.tool for one in resolution.candidates]
        meant = [resolution.tool] if resolution.tool else meant
        reasons = [domain.hindered(one, registry, bound) for one in meant]
        if resolution.status == "unknown" or not meant or not all(reasons):
            continue
        others = (one.tool for one in choice.resolution.candidates)
        return found(
            "GB204",
            step.tool_at,
            f"{meant[0]} is not available: {reasons[0]}",
            help="use another tool, or build for an installation that has this one",
            node=step.id,
            token=step.tool,
            alternatives=dict.fromkeys((*domain.instead(meant[0], registry, bound), *others)),
        )
    return None


def _context(
    step: Step, plan: Plan, neighbours: Iterable[str], domain: Domain, setting: Setting
) -> NameContext:
    first = plan.steps[0] is step and step.inputs in (None, ())
    position: Place = "sub-node" if step.parent or step.role else "trigger" if first else "step"
    return replace(
        _bound(step, domain, setting),
        action=step.action,
        goal=plan.goal,
        params=tuple(step.params),
        position=position,
        neighbours=tuple(neighbours),
        denied=setting.policy.denied,
    )


def _choice(
    step: Step,
    resolution: Resolution,
    domain: Domain,
    registry: Registry,
    references: References,
) -> tuple[Choice, tuple[Diagnostic, ...]]:
    if step.tool is None:
        message = f'step "{step.id}" names no tool'
        missing = found("GB207", step.at, message, help='set "tool"', node=step.id)
        return Choice(step, resolution), (missing,)
    if resolution.tool is None:
        said = unresolved(
            step.tool,
            step.tool_at,
            step.id,
            resolution,
            domain,
            registry,
            references,
            drafted=True,
        )
        return Choice(step, resolution), (said,)
    tool = registry.tools[resolution.tool]
    if tool.availability != "installed":
        return Choice(step, resolution), (unavailable(tool, step.tool_at, step.id),)
    version = step.version
    if version not in tool.versions:
        version = tool.default_version if tool.default_version in tool.versions else tool.newest
    spec = registry.spec(tool.id, version)
    notes: tuple[Diagnostic, ...] = ()
    if resolution.method not in ("exact", "name"):
        params = "".join(f", {key}={value}" for key, value in resolution.params.items())
        message = f'"{step.tool}" is {tool.id}{params}'
        notes = (found("GB403", step.tool_at, message, node=step.id, token=step.tool),)
    return Choice(step, resolution, tool, version, spec, dict(resolution.params)), notes
