"""What a short script does, where a core node does just that, read off its syntax tree."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, cast

from grounded_builder.domains.n8n.javascript.code_filter import parser_isolate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError

Shape = Literal[
    "nothing", "wait", "filter", "sort", "limit", "dedup", "split", "aggregate", "sum", "set",
    "date", "merge",
]  # fmt: skip

# A longer script does more than one thing.
_MAX_CHARACTERS = 1200
_SECONDS = 1.0


def shape_of(code: str) -> Shape | None:
    """Returns what the script does to its items, None where no core node does just that."""
    if len(code) > _MAX_CHARACTERS or "return" not in code:
        return None
    return _shape_of_short(code)


@lru_cache(1024)
def _shape_of_short(code: str) -> Shape | None:
    try:
        return cast("Shape | None", parser_isolate().ask("shape", code, _SECONDS))
    except UnknownAnswerError:
        return None
