"""Reads the conditions by which If, Filter and Switch choose an output, in all their versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.filter_conditions import OPERATIONS
from grounded_builder.domains.n8n.parameters.operators import find_operation, find_type
from grounded_builder.ir.graph import ResolvedNode

_BASE = "n8n-nodes-base."
_IF, _FILTER, _SWITCH = f"{_BASE}if", f"{_BASE}filter", f"{_BASE}switch"
_MOST_RULES = 50


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a value with another: the ``kind`` of both, and n8n's name of it."""

    left: Any
    kind: str
    operation: str
    right: Any = None


@dataclass(frozen=True, slots=True)
class Rule:
    """The conditions for an output; any of them is enough, or all are needed."""

    output: int
    conditions: tuple[Condition, ...]
    is_any: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The rules of a node, of which the first that holds gives the output, else ``fallback``."""

    rules: tuple[Rule, ...]
    fallback: int | None = None

    def list_demands(self, output: int) -> tuple[tuple[Rule, bool], ...]:
        """Returns the rules that must hold, or must not, for an output; none for another output."""
        before: list[tuple[Rule, bool]] = []
        for rule in self.rules:
            if rule.output == output:
                return ((rule, True), *before)
            before.append((rule, False))
        return tuple(before) if output == self.fallback else ()


def read_decision(bound: ResolvedNode) -> Decision | None:
    """Returns the decision of a node, None for nodes that decide otherwise."""
    params = filled_parameters(bound).full
    if bound.node.tool in (_IF, _FILTER):
        rule = _read_rule(0, params.get("conditions"), params.get("combineOperation"))
        return Decision((rule,), 1 if bound.node.tool == _IF else None)
    if bound.node.tool != _SWITCH:
        return None
    rules = params.get("rules")
    listed = _items(rules, "values") or _items(rules, "rules")
    read = tuple(_read_switch_rules(params, listed[:_MOST_RULES]))
    options = params.get("options")
    named = options.get("fallbackOutput") if isinstance(options, Mapping) else None
    fallback = params.get("fallbackOutput") if named is None else named
    if fallback == "extra":
        fallback = len(listed)
    return Decision(read, fallback if isinstance(fallback, int) and fallback >= 0 else None)


def _read_switch_rules(params: Mapping[str, Any], listed: list[Any]) -> Iterator[Rule]:
    for number, entry in enumerate(item for item in listed if isinstance(item, Mapping)):
        if "conditions" in entry:
            yield _read_rule(number, entry["conditions"], None)
            continue
        output = entry.get("output", number)
        condition = _make_condition(
            str(params.get("dataType", "number")),
            params.get("value1"),
            entry.get("operation", "equal"),
            entry.get("value2"),
        )
        if condition is not None and isinstance(output, int):
            yield Rule(output, (condition,))


def _read_rule(output: int, content: Any, combine: Any) -> Rule:
    """Reads the conditions of a rule, as a filter or by type as in the first versions."""
    if not isinstance(content, Mapping):
        return Rule(output, ())
    listed = content.get("conditions")
    if isinstance(listed, list):
        read = [_read_condition(item) for item in listed if isinstance(item, Mapping)]
        is_any = content.get("combinator") == "or"
    else:
        read = [
            _make_condition(
                kind, item.get("value1"), item.get("operation", "equal"), item.get("value2")
            )
            for kind in content
            for item in _items(content, kind)
            if isinstance(item, Mapping)
        ]
        is_any = combine == "any"
    return Rule(output, tuple(item for item in read if item is not None), is_any)


def _read_condition(item: Mapping[str, Any]) -> Condition | None:
    operator = item.get("operator")
    if not isinstance(operator, Mapping):
        return None
    kind, operation = operator.get("type"), operator.get("operation")
    return _make_condition(str(kind), item.get("leftValue"), operation, item.get("rightValue"))


def _make_condition(kind: str, left: Any, operation: Any, right: Any) -> Condition | None:
    known = find_type(kind, tuple(OPERATIONS))
    if known is None or not isinstance(operation, str):
        return None
    name = find_operation(operation, OPERATIONS[known])
    return None if name is None else Condition(left, known, name, right)


def _items(content: Any, key: str) -> list[Any]:
    listed = content.get(key) if isinstance(content, Mapping) else None
    return listed if isinstance(listed, list) else []
