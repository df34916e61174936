"""Check the parameters of every resolved node against its declarations at the exact version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.n8n.parameters.defaults import filling_of, settle_simple
from grounded_builder.domains.n8n.parameters.findings import (
    Subject,
    hidden_parameter,
    nothing_read,
    of_issue,
    of_misfit,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import equal, is_expression
from grounded_builder.domains.n8n.parameters.json_text import MENDING
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.native_issues import (
    find_issues,
    locator_issues,
    typed_issues,
)
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    LOCATORS,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.parameters.unknown import Place, as_here, unknown_parameters
from grounded_builder.domains.n8n.parameters.value_types import EMPTY, check_value, choices_of
from grounded_builder.domains.n8n.parameters.visibility import Condition
from grounded_builder.domains.n8n.parameters.visibility_plan import VisibilityPlan
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions


def check_parameters(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterable[Diagnostic]:
    """Finds absent, unknown, misnamed, hidden, ill-typed and unlisted parameter values.

    Disabled nodes and those without ports (notes) never run: n8n finds no fault with the
    parameters of the former, and those of the latter have no effect.
    """
    del setting
    for bound in resolved.nodes:
        if isinstance(bound.spec, NodeSpec) and not bound.node.disabled and _runs(bound.spec):
            findings = bound.memo.get("parameter_findings")
            if findings is None:
                subject = Subject(bound.node, bound.spec, registry)
                findings = bound.memo["parameter_findings"] = tuple(_check_node(subject, bound))
            yield from findings


def _check_node(subject: Subject, bound: ResolvedNode) -> Iterator[Diagnostic]:
    declarations, params = subject.spec.declarations, subject.node.params
    filling = filling_of(bound)
    plan, simple = filling.plan, filling.simple
    issues = list(find_issues(declarations, plan, filling.full)) if plan.suspects else []
    absent = frozenset([issue.route for issue in issues if issue.fault == "missing"])
    entries: set[Route] = set()
    place = Place(declarations.root, params, simple, simple, ())
    for diagnostic in _check_level(subject, place, absent, plan):
        if diagnostic.rule.kind != "advice":
            entries.add(diagnostic.at)
        yield diagnostic
    for issue in issues:
        if issue.fault == "pattern" and issue.route[:-1] in absent:
            continue
        diagnostic = of_issue(subject, issue)
        if diagnostic.at not in entries:
            yield diagnostic


def _runs(spec: NodeSpec) -> bool:
    return bool(spec.variant["inputs"] or spec.variant["outputs"])


def _check_level(
    subject: Subject, place: Place, absent: frozenset[Route], plan: VisibilityPlan | None = None
) -> Iterator[Diagnostic]:
    unknown: list[str] = []
    for name, value in place.given.items():
        known = place.level.by_name.get(name)
        if known is None:
            unknown.append(name)
            continue
        if plan is None:
            shown = [prop for prop in known if prop.shown(place.simple, place.root)]
        else:
            shown = [
                step.property
                for step in plan.steps.get(name, ())
                if step.condition is True or step.shown(place.simple, place.root)
            ]
        route = (*place.route, name)
        if not shown:
            if not place.kept and _says_something(known, value):
                hidden = hidden_parameter(subject, known, route, value, place)
                yield replace(hidden, fix=as_here(subject, place, name))
            continue
        told = False
        for wrong in _misfits(shown, value):
            weighed = _weighed(subject, place, name, wrong)
            if weighed is not None:
                told = told or weighed.kind != "loose"
                yield of_misfit(subject, shown[0], (*route, *weighed.route), weighed)
        if place.route and not told and value not in EMPTY:
            yield from _below_root(subject, shown, value, route)
        if shown[-1].type in CONTAINERS:
            yield from _check_inside(subject, shown, value, route, place.root, absent, is_told=told)
    if unknown:
        for diagnostic in unknown_parameters(subject, place, unknown, absent):
            if not place.kept or diagnostic.rule.kind == "wrong":
                yield diagnostic


def _below_root(
    subject: Subject, shown: list[Property], value: Any, route: Route
) -> Iterator[Diagnostic]:
    """Yields what n8n looks for at the root when it publishes, and below it when the node runs.

    A locator of another form than its mode's may still be filled in; so may an empty value.
    """
    prop = shown[0]
    kind = prop.raw.get("validateType")
    if prop.type in LOCATORS:
        for issue in locator_issues(prop, value, route):
            if not is_stand_in(issue.value):
                yield of_issue(subject, issue)
    elif isinstance(kind, str) and not prop.raw.get("ignoreValidationDuringExecution"):
        for issue in typed_issues(prop, kind, value, route):
            yield of_issue(subject, issue)


def _misfits(shown: list[Property], value: Any) -> tuple[Mismatch, ...]:
    """The faults of a value that fits none of the shown declarations; lists of options add up."""
    if len(shown) == 1:
        return check_value(shown[0], value)
    faults: list[Mismatch] = []
    for prop in shown:
        wrong = check_value(prop, value)
        if not wrong:
            return ()
        faults += wrong
    first = next((fault for fault in faults if fault.kind == "loose"), faults[0])
    choices = tuple(dict.fromkeys(c for fault in faults for c in fault.choices))
    return (replace(first, choices=choices),)


def _weighed(subject: Subject, place: Place, name: str, wrong: Mismatch) -> Mismatch | None:
    """Returns the fault in the light of where it lies; None where the value works after all."""
    if wrong.kind == "option" and _reckoned_with(place.level, name, wrong):
        return None
    if wrong.kind == "json" and subject.spec.id in MENDING and "{" in wrong.value:
        return replace(wrong, kind="loose", expected="JSON as it is written")
    if wrong.kind == "conversion":
        options = place.given.get("options")
        ignored = options.get("ignoreConversionErrors") if isinstance(options, dict) else None
        return None if ignored else replace(wrong, kind="type")
    if wrong.kind == "type" and wrong.expected == "string" and _is_paired(place, name):
        # pairs of names and values are passed on: a body sent as JSON keeps objects and lists
        return replace(wrong, kind="loose")
    return wrong


def _is_paired(place: Place, name: str) -> bool:
    """Returns whether a member of a group is a value that another member names or compares."""
    return place.in_group and "value" in name.lower() and len(place.level.by_name) > 1


def _reckoned_with(level: Level, name: str, wrong: Mismatch) -> bool:
    """Returns whether a value off the list still works: conditions name it, and no list offers it.

    A node keeps an old choice alive that way; a choice of another operation is on a list.
    """
    if wrong.kind != "option" or wrong.route or not isinstance(wrong.value, str):
        return False
    if any(wrong.value in (choices_of(prop) or ()) for prop in level.by_name[name]):
        return False
    return any(
        test.path == name and wrong.value in test.wanted.texts
        for prop in level.properties
        if isinstance(prop.condition, Condition)
        for test in (*prop.condition.show, *prop.condition.hide)
    )


def _check_inside(
    subject: Subject,
    shown: list[Property],
    value: Any,
    route: Route,
    root: Any,
    absent: frozenset[Route],
    *,
    is_told: bool,
) -> Iterator[Diagnostic]:
    declarations = subject.spec.declarations
    prop = shown[-1]
    if isinstance(value, list) and prop.type == "collection" and prop.multiple is True:
        listed: list[tuple[Route, Any]] = [((*route, i), item) for i, item in enumerate(value)]
        level = declarations.children(prop)
        yield from _check_items(subject, level, listed, root, absent, True, kept=True)
    if not isinstance(value, dict):
        return
    if prop.type == "collection":
        if len(shown) > 1:
            levels = [declarations.children(each) for each in shown if each.type == "collection"]
            level = max(levels, key=lambda each: len(each.by_name.keys() & value.keys()))
        else:
            level = declarations.children(prop)
        yield from _check_items(subject, level, [(route, value)], root, absent, True)
        return
    strangers: list[str] = []
    known = False
    for name, entry in value.items():
        level_of_group = declarations.group(prop, name)
        if level_of_group is None:
            strangers.append(name)
            continue
        known = True
        here = (*route, name)
        if isinstance(entry, list):
            placed = [((*here, index), item) for index, item in enumerate(entry)]
        else:
            placed = [(here, entry)]
        if isinstance(entry, list) is not (prop.multiple is True):
            continue  # told already: n8n reads nothing in it
        yield from _check_items(subject, level_of_group, placed, root, absent, False)
    if strangers and len(shown) == 1:
        groups = [each["name"] for each in prop.raw.get("options") or () if "name" in each]
        place = Place.of_groups(groups, value, root, route)
        diagnostics = unknown_parameters(subject, place, strangers, absent)
        yield from diagnostics if known or is_told else _all_lost(subject, place, diagnostics)


def _check_items(
    subject: Subject,
    level: Level,
    items: list[tuple[Route, Any]],
    root: Any,
    absent: frozenset[Route],
    in_collection: bool,
    *,
    kept: bool = False,
) -> Iterator[Diagnostic]:
    for route, item in items:
        if isinstance(item, dict) and item and not is_expression(item):
            simple: dict[str, Any] = {}
            if level.conditional:
                simple = settle_simple(level, item, root, in_collection=in_collection)
            place = Place(level, item, simple, root, route, (), not in_collection, kept)
            diagnostics = _check_level(subject, place, absent)
            is_read = in_collection or not level.by_name.keys().isdisjoint(item)
            yield from diagnostics if is_read else _all_lost(subject, place, diagnostics)


def _all_lost(subject: Subject, place: Place, told: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yields what is told of a group's names where n8n knows none of them.

    One stranger among others is a leftover that n8n drops; where it drops all there is, the node
    goes without anything of what was written.
    """
    diagnostics = list(told)
    says_more = any(diagnostic.rule.kind != "advice" for diagnostic in diagnostics)
    if says_more or all(value in EMPTY for value in place.given.values()):
        yield from diagnostics
    else:
        yield nothing_read(subject, place.route, place.given, place.open_names())


def _says_something(known: tuple[Property, ...], value: Any) -> bool:
    """Returns whether a hidden value is more than a default that was saved along."""
    return value not in EMPTY and not any(equal(value, prop.default) for prop in known)
