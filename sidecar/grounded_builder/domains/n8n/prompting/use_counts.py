"""Counts how often public workflows use operations, tools and parameters of n8n nodes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.domains.n8n import prompting

_AS_TOOL = "Tool"
# The uses of "message" count for "channelMessage" with one over this number as weight.
_PART_OF_NAME = 4


def count_uses(tool: str, params: Mapping[str, Any]) -> int:
    """Returns how often public workflows use an operation or an event of a tool, or with no tool
    how often an operation of this name, or one about such a resource, is used.

    ``scripts/count_operations.py`` made the file, from the 2,000 workflows that the measurements
    use.
    """
    counts = _operation_counts()
    values = (value for value in params.values())
    key = "/".join(str(value[0] if isinstance(value, list) else value) for value in values)
    if not tool:
        return _count_of_object(key) if "resource" in params else _uses_by_name().get(key, 0)
    own = counts.get(tool, {})
    return own.get(key, 0) or counts.get(tool.removesuffix(_AS_TOOL), {}).get(key, 0)


def parameter_uses(tool: str) -> Mapping[str, int]:
    """Returns how many nodes of public workflows set each parameter of a tool, and each key of its
    collections; ``""`` has the number of nodes.

    ``scripts/count_parameters.py`` made the file.
    """
    counts = parameter_counts()
    return counts.get(tool) or counts.get(tool.removesuffix(_AS_TOOL), {})


def uses_of_name(name: str) -> int:
    """Returns how many nodes of public workflows set a parameter of this name, or such a field."""
    return _uses_by_parameter().get(name, 0)


@lru_cache(1)
def _uses_by_parameter() -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for counts in parameter_counts().values():
        for path, count in counts.items():
            total[path.rsplit(".", 1)[-1]] += count
    return total


@lru_cache(1)
def parameter_counts() -> Mapping[str, Mapping[str, int]]:
    """Returns the parameters of each tool with the number of nodes that set them."""
    text = files(prompting).joinpath("parameter_counts.json").read_text(encoding="utf-8")
    counts: dict[str, dict[str, int]] = json.loads(text)
    return counts


@lru_cache(1)
def _operation_counts() -> Mapping[str, Mapping[str, int]]:
    text = files(prompting).joinpath("operation_counts.json").read_text(encoding="utf-8")
    counts: dict[str, dict[str, int]] = json.loads(text)
    return counts


@lru_cache(1)
def _uses_by_name() -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for counts in _operation_counts().values():
        for key, count in counts.items():
            total[key.rsplit("/", 1)[-1]] += count
    return total


def _count_of_object(resource: str) -> int:
    """Returns how often operations about a resource are used, by the last word of its name."""
    last = _last_word(resource)
    return _uses_by_object().get(last, 0) // (1 if last == stem(resource) else _PART_OF_NAME)


@lru_cache(1)
def _uses_by_object() -> Mapping[str, int]:
    """Returns the uses of operations by the last word of their resources, such as message."""
    total: Counter[str] = Counter()
    for counts in _operation_counts().values():
        for key, count in counts.items():
            resource, separator, _ = key.partition("/")
            total[_last_word(resource)] += count if separator else 0
    return total


def _last_word(text: str) -> str:
    words = split_identifier(text)
    return stem(words[-1]) if words else ""
