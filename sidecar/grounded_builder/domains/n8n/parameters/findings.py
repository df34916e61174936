"""Builds the diagnostics about parameters, and formats paths, names and values for messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.parameters.account_values import (
    is_account_value,
    is_own_stand_in,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    kind_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.locators import (
    is_entry_name,
    is_keyword,
    open_choice_of,
)
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.native_issues import Issue
from grounded_builder.domains.n8n.parameters.option_spelling import find_choice
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
from grounded_builder.domains.n8n.parameters.properties import Property, only_dicts
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.parameters.value_types import choices_of
from grounded_builder.domains.n8n.parameters.visibility import Condition, Test
from grounded_builder.ir.graph import Node
from grounded_builder.ir.rules.parameters import (
    OUT_OF_RANGE,
    TYPE_MISMATCH,
    UNKNOWN_OPTION,
    UNMATCHED_PATTERN,
)

MISSING_PARAMETER = Rule.incomplete(
    "GB301", "missing-parameter", "MissingParameter", "A required value is missing."
)
VALUE_TO_CHOOSE = Rule.incomplete(
    "GB331", "value-to-choose", "MissingOwnValue", "A value that only a person knows is not set."
)
HIDDEN_PARAMETER = Rule.advice(
    "GB306",
    "hidden-parameter",
    "UnknownParameter",
    "A parameter has no effect with these settings.",
)
LOOSE_TYPE = Rule.advice(
    "GB326", "loose-type", "TypeMismatch", "A value works but has another type than declared."
)
FIXED_VALUE = Rule.wrong(
    "GB327", "fixed-value", "TypeMismatch", "An expression is not allowed here."
)
BROKEN_JSON = Rule.wrong("GB328", "broken-json", "TypeMismatch", "A JSON text does not parse.")

_SCHEMES = ("http://", "https://")
_MAX_QUOTED = 600
_LOSS, _SET_AGAIN = "; ", ", then set again "
_MAX_LISTED = 12
_SHOWN_FIELDS = 4
_MAX_NAME_LENGTH = 80
_WITH_ALL = "with which all written parameters have an effect"
_OPERATION_KEYS = ("resource", "operation", "mode")


@dataclass(frozen=True, slots=True)
class Subject:
    """The checked node with its compiled type."""

    node: Node
    spec: NodeSpec
    registry: Registry

    def at(self, route: Route) -> Route:
        """Returns the route of a parameter in the document."""
        return (*self.node.at, "parameters", *route)

    @property
    def title(self) -> str:
        """Returns type and version, with literal values of resource, operation and mode."""
        chosen = [
            f"{key}={self.node.params[key]}"
            for key in _OPERATION_KEYS
            if isinstance(self.node.params.get(key), str)
            and not is_expression(self.node.params[key])
            and len(self.node.params[key]) <= 40
        ]
        name = f"{self.spec.id} {self.spec.version:g}"
        return f"{name} ({', '.join(chosen)})" if chosen else name

    @property
    def resource(self) -> str:
        """Returns the resource that the node works on, the default one where none is chosen."""
        declared = self.spec.declarations.root.by_name.get("resource", ())
        default = declared[0].default if declared else ""
        return str(self.node.params.get("resource", default))


def report_issue(subject: Subject, issue: Issue) -> Diagnostic:
    """Builds the diagnostic for a missing or malformed value that n8n rejects at publish."""
    name = format_route(issue.route)
    label = str(issue.property.raw.get("displayName") or issue.property.name)
    only_user = is_account_value(issue.property, subject.resource)
    common: dict[str, Any] = {"node": subject.node.name, "token": name}
    at = subject.at(issue.route)
    if issue.fault == "missing" or (issue.fault == "type" and issue.value == ""):
        fix = _fix_by_only_choice(at, name, issue.property)
        if (only_user or _is_null(subject.node.params, issue.route)) and fix is None:
            # A drafter that writes null leaves the value to the user.
            return report_own_value(subject, issue.property, issue.route, issue.value)
        return new_diagnostic(
            MISSING_PARAMETER,
            at,
            f'"{subject.node.name}" has no "{name}", which {subject.title} requires',
            help=f'set "{name}" ({label})',
            fix=fix,
            **common,
        )
    if issue.fault == "pattern":
        why = f": {issue.expected}" if issue.expected else ""
        if not is_given(issue.value):
            return report_own_value(subject, issue.property, issue.route[:-1], issue.value)
        return new_diagnostic(
            UNMATCHED_PATTERN,
            at,
            f'"{name}" is {format_value(issue.value)}, which n8n does not accept{why}',
            help=f'set "{name}" ({label}) to a real value',
            **common,
        )
    if issue.fault == "type":
        return new_diagnostic(
            TYPE_MISMATCH,
            at,
            f'"{name}" is {format_value(issue.value)}, not of type {issue.expected}',
            help=f"write a value of type {issue.expected}, or an expression",
            **common,
        )
    side = "at least" if issue.fault == "few" else "at most"
    return new_diagnostic(
        MISSING_PARAMETER if issue.fault == "few" else OUT_OF_RANGE,
        at,
        f'"{name}" has {issue.value} entries, {side} {issue.expected} are required',
        help=f'give "{name}" {side} {issue.expected} entries',
        **common,
    )


def _is_null(params: Any, route: Route) -> bool:
    """Returns whether a draft has null at a route, and not merely nothing."""
    holder: Any = params
    for part in route[:-1]:
        inside = isinstance(holder, dict) or (isinstance(part, int) and isinstance(holder, list))
        try:
            holder = holder[part] if inside else None
        except (KeyError, IndexError):
            return False
    return isinstance(holder, dict) and holder.get(route[-1], MISSING) is None


def is_given(value: Any) -> bool:
    """Returns whether the value of a locator is an address or an expression and no placeholder."""
    text = str(value or "")
    is_computed = text.startswith(_SCHEMES) or "{{" in text
    return is_computed and not is_stand_in(text, is_own=True)


def report_own_value(subject: Subject, prop: Property, route: Route, value: Any) -> Diagnostic:
    """Builds the diagnostic for a value of the user's account that is not set.

    ``value`` is the written value: nothing, a placeholder, a name, or a locator with one.
    """
    label = str(prop.raw.get("displayName") or prop.name)
    text = open_choice_of(value, prop) if isinstance(value, dict) else value
    if isinstance(value, list):
        text = next((entry for entry in value if is_entry_name(str(entry))), None)
    is_listed = prop.type not in ("string", "number")
    if not isinstance(text, str) or not text:
        fact = "is not chosen" if is_listed else "is not set"
        how = "choose it from the list" if is_listed else "write it"
        help_text = f'set "{format_route(route)}" if the request states it, else {how} in n8n'
    elif is_own_stand_in(text, prop):
        fact = f"is the placeholder {format_value(text)}"
        help_text = "choose the real one in n8n" if is_listed else "write the real value in n8n"
    elif (
        isinstance(value, dict)
        and value.get("value") == text
        and (is_keyword(text) or value.get("mode") == "id")
    ):
        fact = f"is {format_value(text)}, which works only as an id or a keyword of the service"
        help_text = "choose the entry from the list in n8n if it is a name"
    else:
        fact = f"is given by the name {format_value(text)}, which n8n cannot look up"
        help_text = f"choose {format_value(text)} from the list in n8n"
    return new_diagnostic(
        VALUE_TO_CHOOSE,
        subject.at(route),
        f'"{label}" of "{subject.node.name}" {fact}',
        help=help_text,
        node=subject.node.name,
        token=format_route(route),
        only_user=True,
    )


def note_lost_values(
    diagnostic: Diagnostic, hidden: Sequence[str], dependents: Sequence[str], params: Any
) -> Diagnostic:
    """Returns a finding about an open choice with the written values that the editor drops.

    It removes ``hidden`` values until the choice is made, and empties ``dependents`` when it is.
    """
    parts = []
    if hidden:
        parts.append(f"the editor removes {format_names(hidden)}, which it hides until then")
    if dependents:
        parts.append(f"choosing it in the editor empties {format_names(dependents)}")
    values = {name: params[name] for name in (*hidden, *dependents)}
    text = orjson.dumps(values, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    message = _LOSS.join((diagnostic.message, *parts))
    return replace(
        diagnostic, message=message, help=f"{diagnostic.help}{_SET_AGAIN}{text[:_MAX_QUOTED]}"
    )


def keep_lost_values(diagnostic: Diagnostic, former: Diagnostic | None) -> Diagnostic:
    """Returns a finding with the dropped values that the ``former`` one about its value names."""
    if former is None or _SET_AGAIN not in former.help:
        return diagnostic
    losses = _LOSS + former.message.partition(_LOSS)[2]
    again = _SET_AGAIN + former.help.partition(_SET_AGAIN)[2]
    return replace(diagnostic, message=diagnostic.message + losses, help=diagnostic.help + again)


def _fix_by_only_choice(at: Route, name: str, prop: Property) -> Fix | None:
    """Returns a fix that sets a missing value to the only option of its list."""
    choices = choices_of(prop) if prop.type in ("options", "multiOptions") else None
    if choices is None or len(choices) != 1:
        return None
    value = list(choices) if prop.type == "multiOptions" else choices[0]
    return Fix(True, (Edit("set", at, value),), f'"{name}" can only be {text_of(choices[0])}')


def report_mismatch(subject: Subject, prop: Property, route: Route, wrong: Mismatch) -> Diagnostic:
    """Builds the diagnostic for a value of the wrong type or outside its list or range."""
    name = format_route(route)
    at = subject.at(route)
    value = format_value(wrong.value)
    common: dict[str, Any] = {"node": subject.node.name, "token": text_of(wrong.value)[:200]}
    if wrong.kind == "option":
        near = find_nearest(text_of(wrong.value), wrong.choices)
        return new_diagnostic(
            UNKNOWN_OPTION,
            at,
            f'{value} is not an option of "{name}" in {subject.title}',
            help=f"use one of these options: {format_names(wrong.choices)}",
            alternatives=near or wrong.choices[:3],
            fix=_fix_by_spelling(subject, prop, at, wrong),
            **common,
        )
    rule, message, advice = _describe_mismatch(subject, prop, name, wrong)
    return new_diagnostic(
        rule, at, message, help=advice, fix=_fix_by_conversion(at, name, wrong), **common
    )


def _describe_mismatch(
    subject: Subject, prop: Property, name: str, wrong: Mismatch
) -> tuple[Rule, str, str]:
    """Returns the rule, message and help for a mismatch other than an unknown option."""
    value, expected = format_value(wrong.value), wrong.expected
    if wrong.kind == "range":
        return (
            OUT_OF_RANGE,
            f'"{name}" is {value}, but {expected} is allowed',
            f"write a number of {expected}",
        )
    if wrong.kind == "json":
        return (
            BROKEN_JSON,
            f'"{name}" is not JSON: {expected}',
            "write JSON, or an expression that begins with =",
        )
    if wrong.kind == "expression":
        return (
            FIXED_VALUE,
            f'"{name}" is an expression, which n8n does not evaluate here',
            f"write the {expected} itself; values inside it may be expressions"
            if expected != "fixed value"
            else "write the value itself",
        )
    message = f'"{name}" is {value}, but {subject.title} takes {expected} ({prop.type})'
    return (
        TYPE_MISMATCH if wrong.kind == "type" else LOOSE_TYPE,
        message,
        f"write it as {_show_groups(prop) or expected}",
    )


def _show_groups(prop: Property) -> str:
    """Returns the shape of a collection with groups, its first group with its first fields."""
    groups = list(only_dicts(prop.raw.get("options")))
    if prop.type != "fixedCollection" or not groups:
        return ""
    fields = list(only_dicts(groups[0].get("values")))
    names = [str(item.get("name"))[:_MAX_NAME_LENGTH] for item in fields[:_SHOWN_FIELDS]]
    entry = "{" + ", ".join(f'"{name}": ...' for name in names) + "}"
    return f'{{"{groups[0].get("name")}": {f"[{entry}]" if prop.multiple else entry}}}'


def _fix_by_conversion(at: Route, name: str, wrong: Mismatch) -> Fix | None:
    """Returns a fix that writes the same value in the expected type, None without one."""
    if wrong.instead is MISSING:
        return None
    reason = f'"{name}" is written as {wrong.expected}'
    return Fix(True, (Edit("set", at, wrong.instead),), reason)


def report_ignored_group(
    subject: Subject, route: Route, given: Iterable[str], names: Iterable[str]
) -> Diagnostic:
    """Builds the diagnostic for a group that n8n drops because it knows none of its names."""
    wanted = format_names(f'"{name}"' for name in names)
    first = next(iter(given))
    return new_diagnostic(
        TYPE_MISMATCH,
        subject.at(route),
        f'n8n drops everything in "{format_route(route)}": '
        f"{subject.title} reads only {wanted} there",
        help=f"write the value with {wanted}",
        node=subject.node.name,
        token=first[:200],
    )


def report_hidden_parameter(
    subject: Subject,
    known: Iterable[Property],
    route: Route,
    values: Any,
    remedies: Sequence[Mapping[str, Any]] = (),
) -> Diagnostic:
    """Builds the diagnostic for a value that n8n drops because its parameter is hidden.

    ``remedies`` are settings with which all written parameters have an effect.
    """
    name = format_route(route)
    why = _describe_conditions(known, values.simple, values.root)
    help_ = f"remove it, or change the settings: n8n shows it only {why}" if why else "remove it"
    if remedies:
        help_ = f"set {' or '.join(map(_format_settings, remedies))}, {_WITH_ALL}, or remove it"
    return new_diagnostic(
        HIDDEN_PARAMETER,
        subject.at(route),
        f'"{name}" has no effect in {subject.title}',
        help=help_,
        node=subject.node.name,
        token=name,
        alternatives=map(_format_settings, remedies),
    )


def _format_settings(settings: Mapping[str, Any]) -> str:
    """Formats settings as text: ``resource=row, operation=append``."""
    return ", ".join(f"{key}={text_of(value)}" for key, value in settings.items())


def format_route(route: Route) -> str:
    """Formats a route as text: ``rules.values[0].key``."""
    text = ""
    for part in route:
        name = part if isinstance(part, int) else part[:_MAX_NAME_LENGTH]
        text += f"[{name}]" if isinstance(part, int) else f".{name}" if text else str(name)
    return text


def format_names(names: Iterable[str]) -> str:
    """Formats the first names of a list, and the number of the others."""
    shown = list(names)
    more = f" and {len(shown) - _MAX_LISTED} more" if len(shown) > _MAX_LISTED else ""
    return ", ".join(shown[:_MAX_LISTED]) + more


def format_value(value: Any) -> str:
    """Formats a value for a message: scalars literally, lists and objects by their kind."""
    if isinstance(value, str):
        return f'"{value[:60]}"'
    if isinstance(value, dict | list):
        return {"object": "an object", "array": "a list"}[kind_of(value)]
    return text_of(value)


def _fix_by_spelling(subject: Subject, prop: Property, at: Route, wrong: Mismatch) -> Fix | None:
    """Returns a safe fix if exactly one option matches the value's spelling."""
    value = find_choice(prop, wrong, subject.registry.tool(subject.spec.id)["variants"])
    if value is MISSING:
        return None
    reason = f"{format_value(wrong.value)} is {text_of(value)}"
    return Fix(True, (Edit("set", at, value),), reason)


def _describe_conditions(known: Iterable[Property], level: Any, root: Any) -> str:
    """Returns the conditions under which the parameter is shown, empty without simple ones."""
    reasons: list[str] = []
    for prop in known:
        if not isinstance(prop.condition, Condition):
            continue
        parts = [
            f"{test.path} is {' or '.join(sorted(test.wanted.texts)[:4])}"
            for test in prop.condition.show
            if test.path is not None and test.wanted.texts and not _is_met(test, level, root)
        ]
        if parts:
            reasons.append(" and ".join(parts))
    unique = list(dict.fromkeys(reasons))
    return "when " + ", or ".join(unique[:3]) if unique else ""


def _is_met(test: Test, level: Any, root: Any) -> bool:
    values = [value for value in test.values(level, root) if value is not MISSING]
    return bool(values) and test.wanted.met_by(values)
