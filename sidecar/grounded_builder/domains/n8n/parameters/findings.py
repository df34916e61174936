"""The words for what is wrong with a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import (
    Diagnostic,
    Edit,
    Fix,
    Route,
    Rule,
    find_nearest,
    new_diagnostic,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    kind_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.native_issues import Issue
from grounded_builder.domains.n8n.parameters.option_spelling import choice_meant
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
from grounded_builder.domains.n8n.parameters.properties import Property
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

_LISTED = 12
_LONGEST_NAME = 80
_OPERATION_KEYS = ("resource", "operation", "mode")


@dataclass(frozen=True, slots=True)
class Subject:
    """The node that is looked at, with its compiled type."""

    node: Node
    spec: NodeSpec
    registry: Registry

    def at(self, route: Route) -> Route:
        """Returns the place of a parameter in the document."""
        return (*self.node.at, "parameters", *route)

    @property
    def title(self) -> str:
        """Returns the type and version, with the operation where one is chosen."""
        chosen = [
            f"{key}={self.node.params[key]}"
            for key in _OPERATION_KEYS
            if isinstance(self.node.params.get(key), str)
            and not is_expression(self.node.params[key])
            and len(self.node.params[key]) <= 40
        ]
        name = f"{self.spec.id} {self.spec.version:g}"
        return f"{name} ({', '.join(chosen)})" if chosen else name


def of_issue(subject: Subject, issue: Issue) -> Diagnostic:
    """Returns what n8n itself would refuse at publish: absent values, and those of a wrong form."""
    name = dotted(issue.route)
    label = str(issue.property.raw.get("displayName") or issue.property.name)
    common: dict[str, Any] = {"node": subject.node.name, "token": name}
    at = subject.at(issue.route)
    if issue.fault == "missing" or (issue.fault == "type" and issue.value == ""):
        return new_diagnostic(
            MISSING_PARAMETER,
            at,
            f'{subject.title} requires "{name}"',
            help=f'set "{name}" ({label})',
            fix=_only_choice(at, name, issue.property),
            **common,
        )
    if issue.fault == "pattern":
        why = f": {issue.expected}" if issue.expected else ""
        value = "nothing" if issue.value in (None, "") else shown_as(issue.value)
        return new_diagnostic(
            MISSING_PARAMETER if is_stand_in(issue.value) else UNMATCHED_PATTERN,
            at,
            f'"{name}" is {value}, which n8n does not take{why}',
            help=f'set "{name}" ({label}) to a real value',
            **common,
        )
    if issue.fault == "type":
        return new_diagnostic(
            TYPE_MISMATCH,
            at,
            f'"{name}" is {shown_as(issue.value)}, not of type {issue.expected}',
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


def _only_choice(at: Route, name: str, prop: Property) -> Fix | None:
    """Returns a required value that is absent can only be the one that there is."""
    choices = choices_of(prop) if prop.type in ("options", "multiOptions") else None
    if choices is None or len(choices) != 1:
        return None
    value = list(choices) if prop.type == "multiOptions" else choices[0]
    return Fix(True, (Edit("set", at, value),), f'"{name}" can only be {text_of(choices[0])}')


def of_misfit(subject: Subject, prop: Property, route: Route, wrong: Mismatch) -> Diagnostic:
    """Returns a value of the wrong type, outside its list or outside its range."""
    name = dotted(route)
    at = subject.at(route)
    value = shown_as(wrong.value)
    common: dict[str, Any] = {"node": subject.node.name, "token": text_of(wrong.value)[:200]}
    if wrong.kind == "option":
        near = find_nearest(text_of(wrong.value), wrong.choices)
        return new_diagnostic(
            UNKNOWN_OPTION,
            at,
            f'{value} is not an option of "{name}" in {subject.title}',
            help=f"options: {listed(wrong.choices)}",
            alternatives=near or wrong.choices[:3],
            fix=_respelt(subject, prop, at, wrong),
            **common,
        )
    rule, message, advice = _told(subject, prop, name, wrong)
    return new_diagnostic(rule, at, message, help=advice, fix=_converted(at, name, wrong), **common)


def _told(subject: Subject, prop: Property, name: str, wrong: Mismatch) -> tuple[Rule, str, str]:
    """Rule, message and advice for what is no question of options."""
    value, expected = shown_as(wrong.value), wrong.expected
    if wrong.kind == "range":
        return (
            OUT_OF_RANGE,
            f'"{name}" is {value}, {expected} is allowed',
            f"write a number of {expected}",
        )
    if wrong.kind == "json":
        return (
            BROKEN_JSON,
            f'"{name}" is no JSON: {expected}',
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
    message = f'"{name}" is {value} where {subject.title} takes {expected} ({prop.type})'
    return (
        TYPE_MISMATCH if wrong.kind == "type" else LOOSE_TYPE,
        message,
        f"write it as {expected}",
    )


def _converted(at: Route, name: str, wrong: Mismatch) -> Fix | None:
    """Returns the same value as the parameter takes it, where there is one."""
    if wrong.instead is MISSING:
        return None
    reason = f'"{name}" is now written as {wrong.expected}'
    return Fix(True, (Edit("set", at, wrong.instead),), reason)


def nothing_read(
    subject: Subject, route: Route, given: Iterable[str], names: Iterable[str]
) -> Diagnostic:
    """Returns a group of which n8n knows nothing: it drops all of it."""
    wanted = listed(f'"{name}"' for name in names)
    first = next(iter(given))
    return new_diagnostic(
        TYPE_MISMATCH,
        subject.at(route),
        f'n8n drops all that "{dotted(route)}" holds: {subject.title} reads {wanted} there',
        help=f"write it with {wanted}",
        node=subject.node.name,
        token=first[:200],
    )


def hidden_parameter(
    subject: Subject, known: Iterable[Property], route: Route, value: Any, values: Any
) -> Diagnostic:
    """Returns a value that n8n drops, since the parameter is not shown among the others."""
    del value
    name = dotted(route)
    why = _reason(known, values.simple, values.root)
    return new_diagnostic(
        HIDDEN_PARAMETER,
        subject.at(route),
        f'"{name}" has no effect in {subject.title}',
        help=f"n8n shows it only {why}" if why else "leave it out",
        node=subject.node.name,
        token=name,
    )


def dotted(route: Route) -> str:
    """Returns a route as people write it: ``rules.values[0].key``."""
    text = ""
    for part in route:
        name = part if isinstance(part, int) else part[:_LONGEST_NAME]
        text += f"[{name}]" if isinstance(part, int) else f".{name}" if text else str(name)
    return text


def listed(names: Iterable[str]) -> str:
    """Returns the first names of a list, and how many there are beyond them."""
    shown = list(names)
    more = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
    return ", ".join(shown[:_LISTED]) + more


def shown_as(value: Any) -> str:
    """Returns a value as a message quotes it: short ones to the letter, others by their kind."""
    if isinstance(value, str):
        return f'"{value[:60]}"'
    if isinstance(value, dict | list):
        return {"object": "an object", "array": "a list"}[kind_of(value)]
    return text_of(value)


def _respelt(subject: Subject, prop: Property, at: Route, wrong: Mismatch) -> Fix | None:
    """Returns a safe fix where exactly one option can be meant."""
    value = choice_meant(prop, wrong, subject.registry.tool(subject.spec.id)["variants"])
    if value is MISSING:
        return None
    reason = f"{shown_as(wrong.value)} is {text_of(value)}"
    return Fix(True, (Edit("set", at, value),), reason)


def _reason(known: Iterable[Property], level: Any, root: Any) -> str:
    """What would have to hold for the parameter to be shown, where it is told in few words."""
    reasons: list[str] = []
    for prop in known:
        if not isinstance(prop.condition, Condition):
            continue
        parts = [
            f"{test.path} is {' or '.join(sorted(test.wanted.texts)[:4])}"
            for test in prop.condition.show
            if test.path is not None and test.wanted.texts and not _met(test, level, root)
        ]
        if parts:
            reasons.append(" and ".join(parts))
    unique = list(dict.fromkeys(reasons))
    return "when " + ", or ".join(unique[:3]) if unique else ""


def _met(test: Test, level: Any, root: Any) -> bool:
    values = [value for value in test.values(level, root) if value is not MISSING]
    return bool(values) and test.wanted.met_by(values)
