"""Reports members that a value cannot have, as in ``$now.foo()`` and ``DateTime.fromFoo()``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.members import (
    ALL_MEMBERS,
    MEMBERS,
    N8N_MEMBERS,
    NO_FUNCTIONS,
    RETURNED_KINDS,
)
from grounded_builder.domains.n8n.expressions.references import uses_n8n_dollar
from grounded_builder.domains.n8n.expressions.texts import Text

UNKNOWN_MEMBER = Rule.wrong(
    "N8N327", "unknown-member", "ExpressionError", "A value has no member of this name."
)

# Bounds of a piece of code: its length, the number of values, the length of a call.
_MAX_LENGTH, _MAX_VALUES, _MAX_CALL_LENGTH = 2_000_000, 1_000, 2_000
_ROOTS = "DateTime|Duration|Interval|Math|JSON|Object|Array|Number|String|Date"
_CALLED = re.compile(r"\.\s*([A-Za-z_$][\w$]*)\s*\(")
_DIRECT = re.compile(
    rf"""{NAME_START}(?:
      (?P<asked>\$\(\s*(?:'[^'\n]*'|"[^"\n]*")\s*\))
    | (?P<node>\$node\s*\[[^\]\n]{{0,400}}\])
    | (?P<dated>\$now|\$today)
    | (?P<named>\$(?:execution|input|workflow|prevNode)|{_ROOTS})
    )\s*\.\s*(?P<member>[A-Za-z_$][\w$]*)""",
    re.VERBOSE,
)
_WITHOUT_CALL = ("$node", "$input", "$workflow", "$prevNode", "$execution")
_CALLED_VALUE = re.compile(rf"{NAME_START}(\$[A-Za-z]+)\s*\(")
_DATES = re.compile(r"\$now|\$today|DateTime\b")
# The roots of member chains by their kind of value.
_START = re.compile(
    rf"""{NAME_START}(?:
      (?P<dated>\$now|\$today)(?![\w$])
    | (?P<value>\$json)(?![\w$])
    | (?P<asked>\$\(\s*(?P<quote>['"`])\ *(?P=quote)\s*\))
    | (?P<node>\$node\s*\[\s*(?P<mark>['"`])\ *(?P=mark)\s*\])
    | (?P<named>\$(?:execution|input|workflow|prevNode)|{_ROOTS})(?![\w$])
    | (?P<text>(?P<end>['"])\ *(?P=end))(?=\s*\.)
    )""",
    re.VERBOSE,
)
_KIND = {"dated": "a DateTime", "value": "a value", "asked": "$()", "node": "$node[]"}
_STEP = re.compile(r"\s*(?P<maybe>\?)?\.\s*(?P<name>[A-Za-z_$][\w$]*)\s*(?P<call>\(|\?\.\()?")
_INDEX = re.compile(r"\s*(?:\?\.)?\[")
_BRACKET = re.compile(r"[()\[\]{}]")


def report_unknown_members(text: Text, code: str, *, is_body: bool) -> Iterator[Diagnostic]:
    """Reports each member in a piece of code that its value cannot have.

    In the body of a Code node the values of fields are skipped, as they may come from anywhere.
    """
    if not _is_doubtful(code, is_body=is_body) or len(code) > _MAX_LENGTH:
        return
    if is_body and not uses_n8n_dollar(code):
        return
    outline = mask_literals(code)
    reported: set[tuple[str, str]] = set()
    for start in islice(_START.finditer(outline), _MAX_VALUES):
        if start["text"] is not None:
            kind, shown = "a text", "a text"
        else:
            group = next(
                item for item in ("dated", "value", "asked", "node", "named") if start[item]
            )
            shown = code[start.start() : start.end()]
            kind = _KIND.get(group, shown)
        if is_body and kind in ("a value", "a text"):
            continue
        fault = _find_unknown_member(outline, start.end(), kind, is_body=is_body)
        if fault is not None and fault not in reported:
            reported.add(fault)
            yield _report_unknown_member(text, shown, *fault)


def report_called_values(text: Text, code: str) -> Iterator[Diagnostic]:
    """Reports calls of n8n's variables that are values, as in ``$now()``."""
    if len(code) > _MAX_LENGTH or NO_FUNCTIONS.isdisjoint(_CALLED_VALUE.findall(code)):
        return
    names = dict.fromkeys(_CALLED_VALUE.findall(mask_literals(code)))
    for name in islice((name for name in names if name in NO_FUNCTIONS), _MAX_VALUES):
        effect = "never has a value" if text.use == "expression" else "fails"
        what = "an expression" if text.use == "expression" else "the code"
        yield new_diagnostic(
            UNKNOWN_MEMBER,
            text.at,
            f'{what} of "{text.node}" {effect}: {name} is a value, not a function',
            help=f"write {name} without brackets, or read a member of it",
            node=text.node,
            token=name,
        )


def _is_doubtful(code: str, *, is_body: bool) -> bool:
    if "(" not in code and not any(name in code for name in _WITHOUT_CALL):
        return False
    if not is_body and any(name not in ALL_MEMBERS for name in _CALLED.findall(code)):
        return True
    for match in _DIRECT.finditer(code):
        kind = match["named"] or _KIND[next(name for name in _KIND if match.groupdict().get(name))]
        if match["member"] not in MEMBERS[kind]:
            return True
    return not is_body and _DATES.search(code) is not None


def _find_unknown_member(
    outline: str, place: int, kind: str, *, is_body: bool
) -> tuple[str, str] | None:
    """Returns the kind of value and the name of the first member of a chain that it lacks."""
    while True:
        index = _INDEX.match(outline, place)
        if index is not None:
            if kind != "a value":
                return None
            place = _find_closing_bracket(outline, index.end())
            if place < 0:
                return None
            continue
        step = _STEP.match(outline, place)
        if step is None:
            return None
        name, call = step["name"], step["call"]
        is_absent = name not in MEMBERS[kind]
        if call == "?.(":
            return None
        if is_absent and (call or kind in N8N_MEMBERS):
            return (kind, name)
        place = step.end()
        if call:
            end = _find_closing_bracket(outline, place)
            if end < 0 or "=>" in outline[place:end] or "function" in outline[place:end]:
                return None
            place = end
        kind = _returned_kind(kind, name, is_call=bool(call))
        if not kind or (is_body and kind == "a value"):
            return None


def _returned_kind(kind: str, name: str, *, is_call: bool) -> str:
    if kind in ("$()", "$input", "$node[]"):
        is_data = name in ("item", "first", "last", "all", "itemMatching", "pairedItem", "json")
        return "a value" if is_data else ""
    if kind == "a value":
        return kind
    return RETURNED_KINDS.get(kind, {}).get(name, "") if is_call else ""


def _find_closing_bracket(outline: str, place: int) -> int:
    """Returns the position after the closing bracket, -1 if it does not close nearby."""
    depth = 1
    for bracket in _BRACKET.finditer(outline, place, place + _MAX_CALL_LENGTH):
        depth += 1 if bracket.group() in "([{" else -1
        if not depth:
            return bracket.end()
    return -1


def _report_unknown_member(text: Text, shown: str, kind: str, name: str) -> Diagnostic:
    near = find_nearest(name, MEMBERS[kind])
    if kind in N8N_MEMBERS:
        what = f"{shown} has no {name}: it has {', '.join(N8N_MEMBERS[kind])}"
    elif kind == "a value":
        what = f"no value of {shown} has a method {name}"
    else:
        what = f"{kind} has no method {name}"
    return new_diagnostic(
        UNKNOWN_MEMBER,
        text.at,
        f'an expression of "{text.node}" never has a value: {what}'
        if text.use == "expression"
        else f'the code of "{text.node}" fails: {what}',
        help="correct the name",
        node=text.node,
        token=name,
        alternatives=near,
    )
