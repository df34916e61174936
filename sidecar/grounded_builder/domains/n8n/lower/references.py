"""Rewrite references to steps in expressions into the names of their nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.n8n.expressions import split
from grounded_builder.domains.n8n.expressions.references import (
    Reference,
    find_references,
    may_refer,
)

_ROOT = re.compile(r"(?<![\w$.'\"`\]])([A-Za-z_]\w*)(?=\s*(?:\?\.|\.|\[))")


def rewrite_references(value: Any, names: Mapping[str, str]) -> Any:
    """Returns a parameter value in which every reference to a step or named output names its node.

    ``names`` maps step ids and output names to node names.
    """
    if isinstance(value, str):
        return _text(value, names) if value.startswith("=") else _code(value, names)
    if isinstance(value, dict):
        return {key: rewrite_references(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [rewrite_references(item, names) for item in value]
    return value


def rename_references(text: str, names: Mapping[str, str]) -> str:
    """Returns an expression, or code, in which every reference to a node of ``names`` has its new
    name.
    """
    if not text.startswith("="):
        return _code(text, names)
    return _pieces(text, lambda code: _code(code, names))


def _text(value: str, names: Mapping[str, str]) -> str:
    return _pieces(
        value, lambda code: _ROOT.sub(lambda match: _rewrite_name(match, names), _code(code, names))
    )


def _pieces(value: str, rewrite: Callable[[str], str]) -> str:
    """Rewrites pieces of code from the last to the first, so that earlier positions stay valid."""
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
    for reference in sorted(find_references(code), key=lambda reference_: -reference_.start):
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
    """Returns ``$node.save`` as an index, because a node name need not be an identifier."""
    quoted = target.replace("\\", "\\\\").replace('"', '\\"')
    return f'{code[: reference.start - 1]}["{quoted}"]{code[reference.end :]}'


def _rewrite_name(match: re.Match[str], names: Mapping[str, str]) -> str:
    """Rewrites a bare step id or output before a dot, which reads that step's item."""
    target = names.get(match[1])
    if target is None:
        return match[0]
    quoted = target.replace("\\", "\\\\").replace("'", "\\'")
    return f"$('{quoted}').item.json"
