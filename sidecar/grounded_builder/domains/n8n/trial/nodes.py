"""Makes nodes of a trial copy: unchanged ones, helpers, and nodes that evaluate expressions."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.javascript.code_filter import add_guards, check_code
from grounded_builder.domains.n8n.trial.node_role import CODE, refusal_of
from grounded_builder.ir.graph import ResolvedNode

ROUNDS = 200
_MOST_EXPRESSIONS = 60
# Removes a Code node's network helpers before its first line; line numbers stay the same.
_SHUT = "if (typeof helpers === 'object') { helpers.httpRequest = helpers.request = undefined; } "


def _condition(name: str, left: Any, operation: str, right: int) -> dict[str, Any]:
    """Returns the parameters of one comparison of numbers, as If and Filter take them."""
    options = {
        "version": 2,
        "leftValue": "",
        "caseSensitive": True,
        "typeValidation": "loose",
    }
    operator = {"type": "number", "operation": operation}
    compared = {"id": name, "leftValue": left, "rightValue": right, "operator": operator}
    return {"conditions": {"options": options, "combinator": "and", "conditions": [compared]}}


TRUE = _condition("always", 1, "equals", 1)
# Ends a loop that never ends on unchanged items, before it keeps n8n busy.
ROUND = _condition("round", "={{ $runIndex }}", "lt", ROUNDS - 1) | {"options": {}}
# In another node these have another meaning.
_ELSEWHERE = ("$fromAI", "$parameter", "$self", "$rawParameter")


def make_node(
    name: str, kind: str, version: float, parameters: Mapping[str, Any], x: int, **more: Any
) -> dict[str, Any]:
    """Returns a node of n8n's own that the trial adds."""
    return {
        "id": str(uuid.uuid4()),
        "name": name,
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "position": [x, 0],
        "parameters": dict(parameters),
        **more,
    }


def as_it_is(bound: ResolvedNode) -> dict[str, Any]:
    """Returns a node to run unchanged: its own parameters, a new id, no retries."""
    settings = ("executeOnce", "alwaysOutputData", "onError", "continueOnFail")
    source = bound.node.source
    parameters = dict(bound.node.params)
    if bound.node.tool == CODE and "jsCode" in parameters:
        code = str(parameters["jsCode"])
        parameters["jsCode"] = _SHUT + add_guards(code, check_code(code))
    return {
        "id": str(uuid.uuid4()),
        "name": bound.node.name,
        "type": source["type"],
        "typeVersion": source["typeVersion"],
        "position": source.get("position", [0, 0]),
        "parameters": parameters,
        **{key: source[key] for key in settings if key in source},
    }


def expressions(bound: ResolvedNode) -> Iterator[tuple[str, str]]:
    """Yields the expressions among a node's parameters, each with its place in words."""
    depth = len(bound.node.at) + 1
    for text in collect_texts(bound)[:_MOST_EXPRESSIONS]:
        if text.use != "expression" or any(name in text.value for name in _ELSEWHERE):
            continue
        if refusal_of(text.value) is not None:
            continue
        if is_used(bound, text.at):
            yield ".".join(str(part) for part in text.at[depth:]), text.value


def make_evaluating_parameters(read: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Returns the parameters of a node that evaluates expressions and passes its items on."""
    listed = [
        {"id": str(index), "name": f"p{index}", "value": value, "type": "string"}
        for index, (_, value) in enumerate(read)
    ]
    return {
        "mode": "manual",
        "assignments": {"assignments": listed},
        "includeOtherFields": True,
        "options": {"ignoreConversionErrors": True, "dotNotation": False},
    }


def once(bound: ResolvedNode) -> dict[str, Any]:
    """Returns the setting of a node that runs for its first item only; empty for any other."""
    return {"executeOnce": True} if bound.node.source.get("executeOnce") is True else {}
