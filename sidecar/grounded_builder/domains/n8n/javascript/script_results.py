"""Finds results of a script that n8n refuses, and names in it that nothing declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from grounded_builder.domains.n8n.javascript.code_filter import parser_isolate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError

FaultKind = Literal["nothing", "scalar", "element", "list", "json", "keys", "method", "name"]

_MAX_CHARACTERS = 200_000
_TIME_LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class ScriptFault:
    """A fault of a script on a ``line``, counted from 1.

    ``what`` is the type of a value, or a name. ``is_sure`` tells whether each run comes there.
    """

    kind: FaultKind
    what: str
    line: int
    is_sure: bool


def find_script_faults(code: str, *, is_each: bool) -> Sequence[ScriptFault]:
    """Returns the faults of the script of a Code node, none if it cannot be parsed in time.

    ``is_each`` tells that n8n runs the script once for each item.
    """
    return _find_cached(code, is_each) if len(code) <= _MAX_CHARACTERS else ()


@lru_cache(1024)
def _find_cached(code: str, is_each: bool) -> tuple[ScriptFault, ...]:
    try:
        faults = parser_isolate().ask("results", [code, is_each], _TIME_LIMIT_S)
    except UnknownAnswerError:
        return ()
    return tuple(
        ScriptFault(fault["fault"], fault.get("what", ""), fault["line"], fault["isSure"])
        for fault in faults
    )
