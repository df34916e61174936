"""Rewrite what expressions say about steps into the names that the nodes got."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.n8n.expressions import split
from grounded_builder.domains.n8n.expressions.references import Reference, may_refer, references

_ROOT = re.compile(r"(?<![\w$.'\"`\]])([A-Za-z_]\w*)(?=\s*(?:\?\.|\.|\[))")


def rewritten(value: Any, names: Mapping[str, str]) -> Any:
    """Returns a parameter value in which every reference to a step or named output names its node.

    ``names`` leads from step ids and output names to node names.
    """
    if isinstance(value, str):
        return _text(value, names) if value.startswith("=") else _code(value, names)
    if isinstance(value, dict):
        return {key: rewritten(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [rewritten(item, names) for item in value]
    return value


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Returns an expression, or code, in which every reference to a node of ``names`` has its new
    name.
    """
    if not text.startswith("="):
        return _code(text, names)
    return _pieces(text, lambda code: _code(code, names))


def _text(value: str, names: Mapping[str, str]) -> str:
    return _pieces(
        value, lambda code: _ROOT.sub(lambda match: _named(match, names), _code(code, names))
    )


def _pieces(value: str, rewrite: Callable[[str], str]) -> str:
    """Rewrites from the last piece of code to the first, so that places before it stay."""
    for chunk in reversed(split(value[1:])):
        start = chunk.start + 1
        end = start + len(chunk.code)
        if value[start:end] != chunk.code:
            continue
        value = value[:start] + rewrite(chunk.code) + value[end:]
    return value


def _code(code: str, names: Mapping[str, str]) -> str:
    if not may_refer(code):
        return code
    for reference in sorted(references(code), key=lambda item: -item.start):
        target = names.get(reference.name)
        if target is None or target == reference.name:
            continue
        if reference.quote:
            written = target.replace("\\", "\\\\").replace(reference.quote, "\\" + reference.quote)
            code = code[: reference.start] + written + code[reference.end :]
        else:
            code = _as_index(code, reference, target)
    return code


def _as_index(code: str, reference: Reference, target: str) -> str:
    """``$node.save`` names a node that may not be a word any more: write it as an index."""
    quoted = target.replace("\\", "\\\\").replace('"', '\\"')
    return f'{code[: reference.start - 1]}["{quoted}"]{code[reference.end :]}'


def _named(match: re.Match[str], names: Mapping[str, str]) -> str:
    """Returns a bare step id or output before a dot reads that step's item."""
    target = names.get(match[1])
    if target is None:
        return match[0]
    quoted = target.replace("\\", "\\\\").replace("'", "\\'")
    return f"$('{quoted}').item.json"
