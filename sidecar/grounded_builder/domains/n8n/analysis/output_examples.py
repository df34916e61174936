"""Reads the fields of a service node's output from the examples that n8n ships with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from grounded_builder.domains.n8n.analysis.shapes import Shape
from grounded_builder.domains.n8n.parameters.spec import NodeSpec

_CACHE_SIZE = 512
_MAX_DEPTH = 8
# Parameters for fields that people define themselves: custom fields, columns, answers to a query.
_OF_USERS = re.compile(
    r"custom|column|propert(?:y|ies)ui|fieldsui|schema|attribute|query|sql|metadata|mapping",
    re.IGNORECASE,
)
# Parameters that select a part of the answer; n8n's example does not state their values.
_RESHAPING = re.compile(r"simpl|raw|download|resolve|flatten|json|output|binary", re.IGNORECASE)
# The output of these tools reports the delivery of a message and has no other fields.
_ACKNOWLEDGED = re.compile(r"(?:send|post|reply|delete|archive)(?![a-z])", re.IGNORECASE)


def read_example(given: Mapping[str, Any], spec: NodeSpec) -> Shape | None:
    """Returns the shape of the example for the chosen operation, None if there is none.

    n8n takes the example of the highest version up to the node's own within a major version, else
    the lowest one above (n8n-core, output-schema-resolver).
    """
    examples = spec.traits.get("output_examples")
    if not isinstance(examples, list) or _is_reshaped(given):
        return None
    chosen = [given[name] for name in ("resource", "operation") if given.get(name)]
    fitting = [example for example in examples if _fits(example, chosen, spec.version)]
    below = [example for example in fitting if example["version"] <= spec.version]
    if not fitting or not (below or chosen):
        return None
    example = (
        max(below, key=lambda item: float(item["version"]))
        if below
        else min(fitting, key=lambda item: float(item["version"]))
    )
    is_loose = _is_loose(spec) or not (chosen and _ACKNOWLEDGED.match(str(chosen[-1])))
    return _shape_of(example.get("fields"), is_loose=is_loose)


def _fits(example: Any, chosen: Sequence[Any], version: float) -> bool:
    return (
        isinstance(example, Mapping)
        and example.get("of") == chosen
        and isinstance(example.get("version"), int | float)
        and int(example["version"]) == int(version)
    )


def _shape_of(fields: Any, *, is_loose: bool) -> Shape | None:
    if not isinstance(fields, Mapping):
        return None
    inner = {
        str(name): _open(_shape_of(value, is_loose=is_loose)) for name, value in fields.items()
    }
    return Shape(inner, is_certain=False, is_loose=is_loose)


def _open(shape: Shape | None) -> Shape | None:
    """Returns a shape below the first level, whose fields may vary from item to item."""
    return None if shape is None else Shape(shape.fields, is_open=True, is_certain=False)


def _is_reshaped(given: Mapping[str, Any]) -> bool:
    options = given.get("options")
    named = [*given, *(options if isinstance(options, Mapping) else ())]
    return any(_RESHAPING.search(str(name)) for name in named)


@lru_cache(_CACHE_SIZE)
def _is_loose(spec: NodeSpec) -> bool:
    """Returns whether a node handles fields that people define themselves."""
    stack: list[tuple[Any, int]] = [(spec.variant.get("parameters"), 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, list):
            stack.extend((item, depth) for item in value)
        elif isinstance(value, Mapping) and depth <= _MAX_DEPTH:
            name = value.get("name")
            if value.get("type") == "resourceMapper":
                return True
            if "type" in value and isinstance(name, str) and _OF_USERS.search(name):
                return True
            stack.extend((value[key], depth + 1) for key in ("options", "values") if key in value)
    return False
