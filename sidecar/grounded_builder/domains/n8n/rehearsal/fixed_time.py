"""Replaces the clock in the expressions and the JavaScript of a node by a fixed time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.ir.graph import ResolvedNode

_CLOCK = re.compile(
    rf"""{NAME_START}(?:
      (?P<now>\$now)(?![\w$])
    | (?P<today>\$today)(?![\w$])
    | (?P<date>new[ ]Date)[ ]?\([ ]?\)
    | (?P<milliseconds>Date\.now)[ ]?\([ ]?\)
    | (?P<local>DateTime\.(?:now|local))[ ]?\([ ]?\)
    | (?P<utc>DateTime\.utc)[ ]?\([ ]?\)
    )""",
    re.VERBOSE,
)


def fix_time(
    bound: ResolvedNode, node: Mapping[str, Any], moment: datetime | None
) -> Mapping[str, Any]:
    """Returns the copy of a node with a fixed time, unchanged where the moment is None.

    The zone stays that of the workflow. Python, and what nodes read of the clock, is not changed.
    """
    if moment is None:
        return node
    changed = deepcopy(dict(node))
    for text in collect_texts(bound):
        if text.use in ("expression", "code"):
            written = _rewrite(text, moment.isoformat(timespec="milliseconds"))
            _replace(changed, text.at[len(bound.node.at) :], text.value, written)
    return changed


def _rewrite(text: Text, moment: str) -> str:
    if text.use == "code":
        return _fix_code(text.value, moment)
    value = text.value[1:]
    # From the end, so that the places of earlier pieces stay what they are.
    for chunk in reversed(split(value)):
        end = chunk.start + len(chunk.code)
        if value[chunk.start : end] == chunk.code:
            value = f"{value[: chunk.start]}{_fix_code(chunk.code, moment)}{value[end:]}"
    return f"={value}"


def _fix_code(code: str, moment: str) -> str:
    outline = mask_literals(code)
    for match in reversed(list(_CLOCK.finditer(outline))):
        start, end = match.span()
        luxon = f'DateTime.fromISO("{moment}")'
        fixed = {
            "now": f"{luxon}.setZone($now.zone)",
            "today": f'{luxon}.setZone($now.zone).startOf("day")',
            "date": f'new Date("{moment}")',
            "milliseconds": f'Date.parse("{moment}")',
            "local": luxon,
            "utc": f"{luxon}.toUTC()",
        }[str(match.lastgroup)]
        code = f"{code[:start]}{fixed}{code[end:]}"
    return code


def _replace(node: dict[str, Any], route: Route, before: str, after: str) -> None:
    """Writes a text at a route below a node, where the copy still has the same one."""
    level: Any = node
    for part in route[:-1]:
        level = _get_child(level, part)
    if _get_child(level, route[-1]) == before:
        level[route[-1]] = after


def _get_child(level: Any, part: str | int) -> Any:
    """Returns what a container has under a key or a number, None without it."""
    if isinstance(level, dict):
        return level.get(part)
    is_place = isinstance(level, list) and isinstance(part, int) and part < len(level)
    return level[part] if is_place else None
