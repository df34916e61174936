"""Classifies a short script by the core node that does the same, from its syntax tree."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, cast

from grounded_builder.domains.n8n.javascript.code_filter import parser_isolate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError

Shape = Literal[
    "nothing", "wait", "filter", "sort", "limit", "dedup", "split", "aggregate", "sum", "set",
    "date", "merge",
]  # fmt: skip

# A longer script is unlikely to do only what a single node does.
_MAX_CHARACTERS = 1200
_TIME_LIMIT_S = 1.0


def classify_script(code: str) -> Shape | None:
    """Returns what the script does to its items, None if no core node does exactly that."""
    if len(code) > _MAX_CHARACTERS or "return" not in code:
        return None
    return _classify_cached(code)


@lru_cache(1024)
def _classify_cached(code: str) -> Shape | None:
    try:
        return cast("Shape | None", parser_isolate().ask("shape", code, _TIME_LIMIT_S))
    except UnknownAnswerError:
        return None
