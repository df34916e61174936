"""Checks the parameters of resolved nodes against their declarations at the exact version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route
from grounded_builder.domains.n8n.parameters.account_values import (
    is_list_of_ids,
    is_named_by,
    is_own_stand_in,
    takes_own_text,
)
from grounded_builder.domains.n8n.parameters.counterparts import find_move
from grounded_builder.domains.n8n.parameters.defaults import fill_simple_values, filled_parameters
from grounded_builder.domains.n8n.parameters.findings import (
    Subject,
    report_hidden_parameter,
    report_ignored_group,
    report_issue,
    report_mismatch,
    report_own_value,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    is_expression,
)
from grounded_builder.domains.n8n.parameters.json_text import LENIENT_TOOLS
from grounded_builder.domains.n8n.parameters.locators import is_entry_name, open_choice_of
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.native_issues import (
    find_issues,
    locator_issues,
    typed_issues,
)
from grounded_builder.domains.n8n.parameters.old_conditions import convert_old_conditions
from grounded_builder.domains.n8n.parameters.open_choices import OpenChoices, is_deliberate
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    LOCATORS,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.remedies import find_remedies
from grounded_builder.domains.n8n.parameters.required_fields import find_empty_fields
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.parameters.unknown_parameters import (
    convert_from_other_version,
    report_unknown_parameters,
)
from grounded_builder.domains.n8n.parameters.value_types import EMPTY, check_value, choices_of
from grounded_builder.domains.n8n.parameters.visibility import Condition
from grounded_builder.domains.n8n.parameters.visibility_plan import VisibilityPlan
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.parameters import TYPE_MISMATCH

# Parameters that select an operation, or how the node signs in.
_SELECTING = frozenset({"resource", "operation", "authentication"})
_CONTENT, _MAX_UNKNOWN = "content", 100
_RESOURCE, _OPERATION = "resource", "operation"
_CACHED_SPECS = 512
# A placeholder in another type is reported as a value of a wrong type.
_PLACEHOLDER_TYPES = frozenset({"string", "options", "multiOptions"})


def check_parameters(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterable[Diagnostic]:
    """Reports missing, unknown, misnamed, hidden, mistyped and unlisted parameter values.

    Disabled nodes never run: n8n does not check their parameters. Of nodes without ports (notes)
    only parameters that n8n does not have are reported.
    """
    del options
    for bound in resolved.nodes:
        if not isinstance(bound.spec, NodeSpec) or bound.node.disabled:
            continue
        if not _has_ports(bound.spec):
            yield from _check_note(Subject(bound.node, bound.spec, registry))
        else:
            findings = bound.memo.get("parameter_findings")
            if findings is None:
                subject = Subject(bound.node, bound.spec, registry)
                findings = bound.memo["parameter_findings"] = tuple(_check_node(subject, bound))
            yield from findings


def _check_node(subject: Subject, bound: ResolvedNode) -> Iterator[Diagnostic]:
    declarations, params = subject.spec.declarations, subject.node.params
    filling = filled_parameters(bound)
    plan, simple = filling.plan, filling.simple
    issues = list(find_issues(declarations, plan, filling.full)) if plan.suspects else []
    issues += find_empty_fields(subject.spec, simple, params)
    absent = frozenset([issue.route for issue in issues if issue.fault == "missing"])
    reported: set[Route] = set()
    place = Place(declarations.root, params, simple, simple, ())
    lost = OpenChoices(place)
    # The first open choice names what comes after it, too.
    for diagnostic in list(_check_level(subject, place, absent, plan, lost)):
        if diagnostic.rule.kind != "advice":
            reported.add(diagnostic.at)
        yield lost.note(_convert_old(diagnostic, subject, place), subject)
    yield from _report_unset_targets(subject, simple)
    for issue in issues:
        if issue.fault == "pattern" and issue.route[:-1] in absent:
            continue
        diagnostic = report_issue(subject, issue)
        if diagnostic.at not in reported:
            yield lost.note(diagnostic, subject)


def _convert_old(diagnostic: Diagnostic, subject: Subject, place: Place) -> Diagnostic:
    """Returns a finding about a root value of a wrong type with the fix that converts it."""
    name = diagnostic.at[-1] if diagnostic.at else ""
    is_root = diagnostic.at == subject.at((name,)) and name in place.given
    if not is_root or diagnostic.rule != TYPE_MISMATCH or diagnostic.fix is not None:
        return diagnostic
    return replace(diagnostic, fix=convert_old_conditions(subject, place, str(name)))


def _report_unset_targets(subject: Subject, simple: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Reports empty values that n8n does not require although a choice of the node shows them.

    Slack sends to the ``user`` when the message goes to a user; LinkedIn posts as the
    ``organization`` when ``postAs`` is that.
    """
    for prop, choices in _find_targets(subject.spec):
        is_meant = prop.type in LOCATORS or any(
            isinstance(chosen := simple.get(key), str) and is_named_by(chosen, prop)
            for key in choices
        )
        if is_meant and prop.is_shown(simple, simple) and _is_empty(simple.get(prop.name)):
            yield report_own_value(subject, prop, (prop.name,), None)


@lru_cache(_CACHED_SPECS)
def _find_targets(spec: NodeSpec) -> tuple[tuple[Property, tuple[str, ...]], ...]:
    """Returns the parameters that can state where a node writes to, which n8n does not require.

    Each has the names of the choices, other than the operation, that show it. It is a locator, or
    another value of the account.
    """
    targets: list[tuple[Property, tuple[str, ...]]] = []
    for prop in spec.declarations.root.properties:
        shown = prop.raw.get("displayOptions")
        wanted = shown.get("show") if isinstance(shown, dict) else None
        if prop.raw.get("required") or not isinstance(wanted, dict):
            continue
        choices = tuple(key for key in wanted if key not in _SELECTING and key[:1] != "@")
        if choices and (prop.type in LOCATORS or takes_own_text(prop)):
            targets.append((prop, choices))
    return tuple(targets)


def _is_empty(value: Any) -> bool:
    """Returns whether a locator has neither a value nor a name to choose by."""
    pointed = value.get("value") if isinstance(value, dict) else value
    return pointed in EMPTY and not (isinstance(value, dict) and value.get("cachedResultName"))


def _has_ports(spec: NodeSpec) -> bool:
    return bool(spec.variant["inputs"] or spec.variant["outputs"])


def _check_note(subject: Subject) -> Iterator[Diagnostic]:
    """Yields a finding for each unknown parameter of a note; the only text is its content."""
    declared, params = subject.spec.declarations.root.by_name, subject.node.params
    unknown = [name for name in params if declared and name not in declared]
    texts = [name for name in unknown if isinstance(params[name], str) and params[name]]
    is_content = _CONTENT in declared and not params.get(_CONTENT) and len(texts) == 1
    place = Place(subject.spec.declarations.root, params, {}, {}, ())
    for name in unknown[:_MAX_UNKNOWN]:
        if params[name] in EMPTY:
            continue
        finding = report_hidden_parameter(subject, (), (name,), place)
        if is_content and name in texts:
            edits: tuple[Edit, ...] = (
                Edit("remove", subject.at((name,))),
                Edit("set", subject.at((_CONTENT,)), params[name]),
            )
            reason = f'"{name}" is the {_CONTENT} of the note'
            finding = replace(finding, fix=Fix(True, edits, reason))
        yield finding


def _check_level(
    subject: Subject,
    place: Place,
    absent: frozenset[Route],
    plan: VisibilityPlan | None = None,
    once_chosen: OpenChoices | None = None,
) -> Iterator[Diagnostic]:
    unknown: list[str] = []
    remedies: tuple[Mapping[str, Any], ...] | None = None
    for name, value in place.given.items():
        known = place.level.by_name.get(name)
        if known is None:
            unknown.append(name)
            continue
        if plan is None:
            shown = [prop for prop in known if prop.is_shown(place.simple, place.root)]
        else:
            shown = [
                step.property
                for step in plan.steps.get(name, ())
                if step.condition is True or step.is_shown(place.simple, place.root)
            ]
        route = (*place.route, name)
        if not shown and once_chosen is not None:
            shown = once_chosen.find(name, known, value)
        if not shown:
            if _is_stated_by_operation(name, place):
                continue
            if not place.is_passed_on and is_deliberate(known, value):
                if remedies is None:
                    remedies = find_remedies(known, place) if not place.route else ()
                hidden = report_hidden_parameter(subject, known, route, place, remedies)
                fix = convert_from_other_version(subject, place, name)
                yield replace(hidden, fix=fix or find_move(subject, place, name))
            continue
        is_reported = False
        for mismatch in _check_declarations(shown, value):
            adjusted = _adjust_for_context(subject, place, name, mismatch)
            if adjusted is not None:
                is_reported = is_reported or adjusted.kind != "loose"
                yield report_mismatch(subject, shown[0], (*route, *adjusted.route), adjusted)
        if not is_reported and _is_left_open(shown, value):
            yield report_own_value(subject, shown[0], route, value)
        elif place.route and not is_reported and value not in EMPTY:
            yield from _check_deep_value(subject, shown, value, route)
        if shown[-1].type in CONTAINERS:
            yield from _check_inside(
                subject, shown, value, route, place.root, absent, is_reported=is_reported
            )
    if unknown:
        for diagnostic in report_unknown_parameters(subject, place, unknown, absent):
            if not place.is_passed_on or diagnostic.rule.kind == "wrong":
                yield diagnostic


def _check_deep_value(
    subject: Subject, shown: list[Property], value: Any, route: Route
) -> Iterator[Diagnostic]:
    """Reports what n8n checks at publish for root values, and for values below when the node runs.

    A locator may still be empty.
    """
    prop = shown[0]
    kind = prop.raw.get("validateType")
    if prop.type in LOCATORS:
        for issue in locator_issues(prop, value, route):
            if issue.value not in EMPTY:
                yield report_issue(subject, issue)
    elif isinstance(kind, str) and not prop.raw.get("ignoreValidationDuringExecution"):
        for issue in typed_issues(prop, kind, value, route):
            yield report_issue(subject, issue)


def _is_left_open(shown: list[Property], value: Any) -> bool:
    """Returns whether a value is a placeholder, or a name where only an id is found."""
    if all(prop.type in LOCATORS for prop in shown):
        return all(open_choice_of(value, prop) for prop in shown)
    if is_list_of_ids(shown[0]):
        entries = value if isinstance(value, list) else [value]
        if any(isinstance(entry, str) and is_entry_name(entry) for entry in entries):
            return True
    return (
        isinstance(value, str)
        and shown[0].type in _PLACEHOLDER_TYPES
        and is_own_stand_in(value, shown[0])
    )


def _check_declarations(shown: list[Property], value: Any) -> tuple[Mismatch, ...]:
    """Returns the mismatch of a value that fits none of the shown declarations.

    The choices of all declarations are merged.
    """
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


def _adjust_for_context(
    subject: Subject, place: Place, name: str, wrong: Mismatch
) -> Mismatch | None:
    """Returns the mismatch adjusted to its context, None if the value works there."""
    if wrong.kind == "option" and _is_legacy_choice(place.level, name, wrong):
        return None
    if wrong.kind == "json" and subject.spec.id in LENIENT_TOOLS and "{" in wrong.value:
        return replace(wrong, kind="loose", expected="JSON as it is written")
    if wrong.kind == "conversion":
        options = place.given.get("options")
        ignored = options.get("ignoreConversionErrors") if isinstance(options, dict) else None
        return None if ignored else replace(wrong, kind="type")
    if wrong.kind == "type" and wrong.expected == "string" and _is_pair_value(place, name):
        # n8n passes on pairs of names and values: a JSON body keeps objects and lists
        return replace(wrong, kind="loose")
    return wrong


def _is_pair_value(place: Place, name: str) -> bool:
    """Returns whether a group member is a value that another member names or compares."""
    return place.in_group and "value" in name.lower() and len(place.level.by_name) > 1


def _is_legacy_choice(level: Level, name: str, wrong: Mismatch) -> bool:
    """Returns whether a value outside the list still works: conditions name it, but no list does.

    A node supports an old choice that way; the choice of another operation is on a list.
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
    is_reported: bool,
) -> Iterator[Diagnostic]:
    declarations = subject.spec.declarations
    prop = shown[-1]
    if isinstance(value, list) and prop.type == "collection" and prop.multiple is True:
        items: list[tuple[Route, Any]] = [((*route, i), item) for i, item in enumerate(value)]
        level = declarations.children(prop)
        yield from _check_items(subject, level, items, root, absent, True, is_passed_on=True)
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
    unknown: list[str] = []
    known = False
    for name, entry in value.items():
        level_of_group = declarations.group(prop, name)
        if level_of_group is None:
            unknown.append(name)
            continue
        known = True
        here = (*route, name)
        if isinstance(entry, list):
            members = [((*here, index), item) for index, item in enumerate(entry)]
        else:
            members = [(here, entry)]
        if isinstance(entry, list) is not (prop.multiple is True):
            continue  # reported already: n8n reads nothing in it
        yield from _check_items(subject, level_of_group, members, root, absent, False)
    if unknown and len(shown) == 1:
        groups = [each["name"] for each in prop.raw.get("options") or () if "name" in each]
        place = Place.of_groups(groups, value, root, route)
        diagnostics = report_unknown_parameters(subject, place, unknown, absent)
        yield from (
            diagnostics
            if known or is_reported
            else _report_ignored_group(subject, place, diagnostics)
        )


def _check_items(
    subject: Subject,
    level: Level,
    items: list[tuple[Route, Any]],
    root: Any,
    absent: frozenset[Route],
    in_collection: bool,
    *,
    is_passed_on: bool = False,
) -> Iterator[Diagnostic]:
    for route, item in items:
        if isinstance(item, dict) and item and not is_expression(item):
            simple: dict[str, Any] = {}
            if level.conditional:
                simple = fill_simple_values(level, item, root, in_collection=in_collection)
            place = Place(level, item, simple, root, route, (), not in_collection, is_passed_on)
            diagnostics = _check_level(subject, place, absent)
            is_read = in_collection or not level.by_name.keys().isdisjoint(item)
            yield from (
                diagnostics if is_read else _report_ignored_group(subject, place, diagnostics)
            )


def _report_ignored_group(
    subject: Subject, place: Place, diagnostics: Iterable[Diagnostic]
) -> Iterator[Diagnostic]:
    """Reports a group of which n8n knows no name as one mistyped value.

    A single unknown name among known ones is a leftover that n8n drops; here n8n drops everything.
    """
    reported = list(diagnostics)
    has_fault = any(diagnostic.rule.kind != "advice" for diagnostic in reported)
    if has_fault or all(value in EMPTY for value in place.given.values()):
        yield from reported
    else:
        yield report_ignored_group(subject, place.route, place.given, place.open_names())


def _is_stated_by_operation(name: str, place: Place) -> bool:
    """Returns whether a hidden resource adds nothing to an operation that needs none.

    Discord hides its resource when it signs in by webhook; the only operation is then shown.
    """
    operation = place.given.get(_OPERATION)
    return (
        name == _RESOURCE
        and not place.route
        and any(
            prop.is_shown(place.simple, place.root) and operation in (choices_of(prop) or ())
            for prop in place.level.by_name.get(_OPERATION, ())
        )
    )
