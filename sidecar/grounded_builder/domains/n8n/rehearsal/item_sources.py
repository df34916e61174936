"""Traces a field that a condition reads to the trigger or service node whose item has it."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.expressions.field_reads import find_field_reads
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.rehearsal.decisions import Condition
from grounded_builder.domains.n8n.trial.expected_fields import HANDING_ON
from grounded_builder.ir.graph import ResolvedGraph

Step = str | int

_DEEPEST = 20
_SET = "n8n-nodes-base.set"
_MEMBER = re.compile(r"(?:\?\.)?\[(\d{1,2})\]|\??\.([A-Za-z_$][\w$]*)(?![\w$(])")
# Calls that change nothing of the values that are tried: texts in lower case without spaces.
_HARMLESS = re.compile(
    r"\??\.(?:toLowerCase|trim|toString|toText|toNumber|toBoolean|toDateTime|toInt)\(\)"
)
_COMPARISON = re.compile(r"(===?|!==?|>=?|<=?)(.+)", re.DOTALL)
_INCLUDES = re.compile(r"\??\.(includes|startsWith|endsWith)\((.+)\)", re.DOTALL)
_LENGTH = re.compile(r"\??\.length")
_OPERATORS = {"===": "equals", "==": "equals", "!==": "notEquals", "!=": "notEquals"}
_ORDERS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_TEXT_CALLS = {"includes": "contains", "startsWith": "startsWith", "endsWith": "endsWith"}


@dataclass(frozen=True, slots=True)
class ReadField:
    """A field of the items of a node."""

    node: str
    path: tuple[Step, ...]


def read_operand(text: Any) -> tuple[str | None, tuple[Step, ...], str] | None:
    """Returns the node (None: the own input), path and remaining code of a read, if it is one."""
    if not isinstance(text, str) or not text.startswith("="):
        return None
    chunks = split(text[1:])
    if len(chunks) != 1 or not chunks[0].closed:
        return None
    code = chunks[0].code.strip()
    if text[1:].strip() != "{{" + chunks[0].code + "}}":
        return None
    code = code.removeprefix("!!").removeprefix("Boolean(") if code[:2] == "!!" else code
    read = next(find_field_reads(code), None)
    if read is None or code[: read.start].strip():
        return None
    path: list[Step] = list(read.path)
    place = read.ends[-1]
    while (member := _MEMBER.match(code, place)) is not None and member[2] != "length":
        path.append(int(member[1]) if member[1] is not None else member[2])
        place = member.end()
    while (call := _HARMLESS.match(code, place)) is not None:
        place = call.end()
    return read.giver, tuple(path), code[place:].strip()


def plain_condition(condition: Condition) -> tuple[Condition, str | None, tuple[Step, ...]] | None:
    """Returns the condition on the field itself, and the field; None where code computes more.

    ``$json.a === 'b'`` is true where the field equals the text.
    """
    operand = read_operand(condition.left)
    if operand is None:
        return None
    giver, path, rest = operand
    if not rest:
        return condition, giver, path
    if _LENGTH.fullmatch(rest) and condition.kind == "number":
        name = "length" + condition.operation[0].upper() + condition.operation[1:]
        name = "lengthNotEquals" if condition.operation == "notEquals" else name
        return Condition(None, "array", name, condition.right), giver, path
    inner = _read_comparison(rest)
    if inner is None or condition.kind != "boolean":
        return None
    wants = condition.operation == "true" or (
        condition.operation == "equals" and str(condition.right).lower() == "true"
    )
    return (inner if wants else _negate(inner)), giver, path


def _read_comparison(rest: str) -> Condition | None:
    call = _INCLUDES.fullmatch(rest)
    if call is not None:
        value = _read_literal(call[2])
        return Condition(None, "string", _TEXT_CALLS[call[1]], value) if value is not None else None
    match = _COMPARISON.fullmatch(rest)
    if match is None:
        return None
    value = _read_literal(match[2])
    if isinstance(value, bool) and match[1] in _OPERATORS:
        return Condition(None, "boolean", _OPERATORS[match[1]], value)
    if isinstance(value, int | float):
        name = _OPERATORS.get(match[1]) or _ORDERS[match[1]]
        return Condition(None, "number", name, value)
    if isinstance(value, str) and match[1] in _OPERATORS:
        return Condition(None, "string", _OPERATORS[match[1]], value)
    return None


def _negate(condition: Condition) -> Condition:
    opposites = {"gt": "lte", "lte": "gt", "lt": "gte", "gte": "lt"}
    name = condition.operation
    if name in opposites:
        return replace(condition, operation=opposites[name])
    if name.startswith("not"):
        return replace(condition, operation=name[3].lower() + name[4:])
    return replace(condition, operation="not" + name[0].upper() + name[1:])


def _read_literal(code: str) -> Any:
    """Returns a text, number or boolean that code spells out, None for other code."""
    text = code.strip()
    if len(text) > 1 and text[0] == text[-1] == "'" and not set(text[1:-1]) & set("'\"\\"):
        return text[1:-1]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str | int | float) else None


class ItemSources:
    """Finds the nodes whose items have a field: triggers, and nodes that get answers."""

    def __init__(self, resolved: ResolvedGraph, wiring: Wiring, givers: Container[str]) -> None:
        self._resolved = resolved
        self._wiring = wiring
        self._givers = givers

    def trace(self, node: str, giver: str | None, path: tuple[Step, ...]) -> Iterator[ReadField]:
        """Yields the fields from which a read in a node gets its value."""
        starts = self._list_before(node) if giver is None else [giver]
        stack = [(ReadField(name, path), _DEEPEST) for name in starts]
        seen: set[ReadField] = set()
        while stack:
            read, left = stack.pop()
            if read in seen or left == 0 or read.node not in self._resolved.by_name:
                continue
            seen.add(read)
            if read.node in self._givers:
                yield read
                continue
            stack += [(before, left - 1) for before in self._step_back(read)]

    def _step_back(self, read: ReadField) -> Iterator[ReadField]:
        bound = self._resolved.by_name[read.node]
        if bound.node.tool == _SET:
            value = _find_assignment(bound.node.params, read.path[0])
            if value is not None:
                operand = read_operand(value)
                if operand is not None and not operand[2]:
                    giver, path, _ = operand
                    starts = self._list_before(read.node) if giver is None else [giver]
                    for name in starts:
                        yield ReadField(name, (*path, *read.path[1:]))
                return
        if bound.node.tool in HANDING_ON or bound.node.disabled:
            for name in self._list_before(read.node):
                yield ReadField(name, read.path)

    def _list_before(self, node: str) -> list[str]:
        return [edge.source for edge in self._wiring.before.get(node, ())]


def _find_assignment(params: Mapping[str, Any], name: Step) -> Any:
    """Returns the value that a Set node assigns to a field, in any of its versions."""
    for group in (params.get("assignments"), params.get("fields"), params.get("values")):
        if not isinstance(group, Mapping):
            continue
        for listed in group.values():
            for entry in listed if isinstance(listed, list) else ():
                if isinstance(entry, Mapping) and entry.get("name") == name:
                    values = [v for k, v in entry.items() if k == "value" or k.endswith("Value")]
                    return values[0] if values else None
    return None
