"""Parses and narrows constraints of a draft request; lists tools they exclude or a target lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import list_variants
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import Policy, Switches, SwitchesError, read_switches
from grounded_builder.ir.plan import EXPECT
from grounded_builder.ir.resolution import NameContext
from grounded_builder.ir.target import NO_TARGET, Target, TargetError
from grounded_builder.resolve import resolve_name

_MOST_NAMES = 200


@dataclass(frozen=True, slots=True)
class Constraints:
    """What an order demands beside its request; names are as somebody wrote them.

    ``allow`` are the only tools that may be used, where there are any; ``core_only`` excludes
    all packages but those of the core, ``no_code`` all tools that run code written into them;
    ``target`` is the installation that must have the tools, ``excluded`` has the names of each
    exclusion of the domain; the drafter gets ``rest`` as it is.
    ``expect`` states what runs of the result have to show, and is in ``rest`` too.
    ``switches`` narrow the policy; ``fault`` is the reason why a constraint cannot be read.
    """

    forbid: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    core_only: bool = False
    no_code: bool = False
    target: Target = NO_TARGET
    excluded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)
    fault: str = ""
    expect: tuple[Mapping[str, Any], ...] = ()


def constraints_of(given: Mapping[str, Any], domain: Domain) -> Constraints:
    """Returns the constraints in a JSON object.

    ``deny`` is ``forbid``, and one name is a list of one.
    """
    known = {"forbid", "deny", "allow", "use", "core_only", "no_code", "no_host_access", "denied"}
    known |= {exclusion.name for exclusion in domain.resolving.exclusions}
    switches, target, fault = Switches(), NO_TARGET, ""
    try:
        switches = read_switches(given, strict=False)
        target = Target.of(
            {
                option.name: option.read(given.get(option.name), option.name)
                for option in domain.resolving.target_options
            }
        )
    except (SwitchesError, TargetError) as error:
        fault = str(error)
    expect: tuple[Mapping[str, Any], ...] = ()
    if given.get(EXPECT) and domain.checking.expectations is not None:
        expect, findings = domain.checking.expectations(given[EXPECT], None)
        fault = fault or (findings[0].message if findings else "")
    return Constraints(
        forbid=(*_names(given.get("forbid")), *_names(given.get("deny"))),
        allow=_names(given.get("allow")),
        use=_names(given.get("use")),
        core_only=given.get("core_only") is True,
        no_code=given.get("no_code") is True,
        target=target,
        excluded={
            exclusion.name: _names(given.get(exclusion.name))
            for exclusion in domain.resolving.exclusions
        },
        rest={key: value for key, value in given.items() if key not in known},
        switches=switches,
        fault=fault,
        expect=expect,
    )


def narrow_constraints(given: Mapping[str, Any], switches: Switches) -> Mapping[str, Any]:
    """Returns constraints with the switches of a token in them: the strictest wins.

    SwitchesError where a switch among the constraints cannot be read.
    """
    own = read_switches(given, strict=False)
    return given if switches == Switches() else {**given, **own.combine(switches).as_json()}


def denied_by(constraints: Constraints, domain: Domain, registry: Registry) -> tuple[str, ...]:
    """Returns the ids of the tools that constraints exclude; unknown names stay unchanged."""
    denied = dict.fromkeys(
        text for name in constraints.forbid for text in tools_named(name, registry)
    )
    rows = registry.tools.values()
    if constraints.allow:
        allowed = {text for name in constraints.allow for text in tools_named(name, registry)}
        same_tool = domain.resolving.same_tool
        if same_tool is not None:
            allowed |= {row.id for row in rows if not allowed.isdisjoint(same_tool(row))}
        denied |= dict.fromkeys(row.id for row in rows if row.id not in allowed)
    if constraints.core_only:
        core = domain.resolving.core_packages
        denied |= dict.fromkeys(row.id for row in rows if row.package not in core)
    if constraints.no_code and domain.prompting.runs_code is not None:
        denied |= dict.fromkeys(_running_code(domain.prompting.runs_code, registry))
    for exclusion in domain.resolving.exclusions:
        if names := constraints.excluded.get(exclusion.name):
            denied |= dict.fromkeys(exclusion.tools(names, registry))
    return tuple(denied)


def unavailable_under(policy: Policy, domain: Domain, registry: Registry) -> tuple[str, ...]:
    """Returns the ids of the tools that the target of a policy does not have."""
    if domain.resolving.unavailable_reason is None:
        return ()
    return _unavailable(domain.resolving.unavailable_reason, registry, policy.target)


def with_bounds(policy: Policy, constraints: Constraints) -> Policy:
    """Returns a policy for the target that constraints state, else for its own."""
    return replace(policy, target=constraints.target.over(policy.target))


def tools_named(name: str, registry: Registry) -> tuple[str, ...]:
    """Returns the tools that a name, a pattern or an id means.

    An id means one tool and its renderings, a name all tools of the service. An ambiguous name
    means all candidates; an unknown name stays itself.
    """
    if any(mark in name for mark in "*?["):
        return tuple(tool for tool in registry.tools if fnmatchcase(tool, name)) or (name,)
    if name in registry.tools:
        derived, starters = registry.names.variants, registry.names.starters.get(name, ())
        return (
            name,
            *(
                derived_tool
                for derived_tool, of in derived.items()
                if of == name and derived_tool not in starters
            ),
        )
    resolution = resolve_name(name, registry)
    if resolution.tool is not None:
        return list_variants((resolution.tool,), registry)
    near = (
        [candidate.tool for candidate in resolution.candidates]
        if resolution.status != "unknown"
        else []
    )
    return list_variants(near, registry) if near else (name,)


@lru_cache(4)
def _unavailable(
    reason_of: Callable[[str, Registry, NameContext], str], registry: Registry, target: Target
) -> tuple[str, ...]:
    """Returns the tools that a target does not have; to know that, each may have to be compiled."""
    bounds = NameContext(target=target)
    return tuple(tool for tool in registry.tools if reason_of(tool, registry, bounds))


@lru_cache(4)
def _running_code(
    runs_code: Callable[[Mapping[str, Any]], bool], registry: Registry
) -> tuple[str, ...]:
    """Returns the tools that run code written into them, which requires reading every entry."""
    return tuple(tool for tool in registry.tools if runs_code(registry.tool(tool)))


def _names(value: Any) -> tuple[str, ...]:
    listed: Iterable[Any] = value if isinstance(value, list) else [value]
    names = [item.strip() for item in listed if isinstance(item, str) and item.strip()]
    return tuple(dict.fromkeys(names))[:_MOST_NAMES]
