"""Reports values of a drafted model that do not have the JSON shape of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.simulink.read.document import PORT_KINDS

MALFORMED_MODEL = Rule.wrong(
    "SLX104", "malformed-model", "ParseError", "A drafted model is malformed."
)

_TEXTS = ("parameters", "properties", "signals")
_KINDS = frozenset(PORT_KINDS)


def check_shape(model: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Finds values that do not have the shape that ``document`` describes."""
    sids: dict[str, Route] = {}
    waiting: list[tuple[Route, Any]] = [(("system",), model["system"])]
    while waiting:
        route, system = waiting.pop()
        if not isinstance(system, dict):
            yield _bad(route, "a system", "an object", system)
            continue
        for key in ("blocks", "lines"):
            if not isinstance(system.get(key), list):
                yield _bad((*route, key), f'"{key}" of a system', "a list", system.get(key))
        if not all(isinstance(system.get(key), list) for key in ("blocks", "lines")):
            continue
        for index, block in enumerate(system["blocks"]):
            here = (*route, "blocks", index)
            faults = list(_block(block, here, sids))
            yield from faults
            if not faults and block.get("system") is not None:
                waiting.append(((*here, "system"), block["system"]))
        for index, line in enumerate(system["lines"]):
            yield from _line(line, (*route, "lines", index))


def _block(block: Any, at: Route, sids: dict[str, Route]) -> Iterator[Diagnostic]:
    if not isinstance(block, dict):
        yield _bad(at, "a block", "an object", block)
        return
    for key in ("sid", "name", "type"):
        value = block.get(key)
        if not isinstance(value, str) or (key != "name" and not value):
            yield _bad((*at, key), f'"{key}" of a block', "a text", value)
    for key in _TEXTS:
        texts = block.get(key, {})
        if not isinstance(texts, dict):
            yield _bad((*at, key), f'"{key}" of a block', "an object", texts)
        elif odd := next((name for name, v in texts.items() if not isinstance(v, str)), None):
            yield _bad((*at, key, odd), f'"{odd}" of a block', "a text", texts[odd])
    ports = block.get("ports", {})
    if not isinstance(ports, dict) or not all(_is_count(count) for count in ports.values()):
        yield _bad((*at, "ports"), '"ports" of a block', "counts by kind", ports)
    if "source" in block and not isinstance(block["source"], str):
        yield _bad((*at, "source"), '"source" of a block', "a text", block["source"])
    mask = block.get("mask")
    if mask is not None and not (
        isinstance(mask, dict) and isinstance(mask.get("parameters", {}), dict)
    ):
        yield _bad((*at, "mask"), '"mask" of a block', "an object", mask)
    sid = block.get("sid")
    if isinstance(sid, str):
        if sid in sids:
            message = f'two blocks have the sid "{sid}"'
            yield new_diagnostic(MALFORMED_MODEL, at, message, help="give each block a unique sid")
        sids[sid] = at


def _line(line: Any, at: Route) -> Iterator[Diagnostic]:
    waiting: list[tuple[Route, Any]] = [(at, line)]
    while waiting:
        here, part = waiting.pop()
        if not isinstance(part, dict):
            yield _bad(here, "a line", "an object", part)
            continue
        for key in ("from", "to"):
            if part.get(key) is not None and not _is_end(part[key]):
                yield _bad(
                    (*here, key),
                    f'"{key}" of a line',
                    'a port: {"block": sid, "kind": "in", "index": 1}',
                    part[key],
                )
        branches = part.get("branches", [])
        if not isinstance(branches, list):
            yield _bad((*here, "branches"), '"branches" of a line', "a list", branches)
            continue
        waiting += [((*here, "branches", index), branch) for index, branch in enumerate(branches)]


def _is_end(end: Any) -> bool:
    return (
        isinstance(end, dict)
        and isinstance(end.get("block"), str)
        and isinstance(end.get("kind"), str)
        and end["kind"] in _KINDS
        and _is_count(end.get("index"))
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000


def _bad(at: Route, what: str, expected: str, value: Any) -> Diagnostic:
    shown = "absent" if value is None else name_json_kind(value)
    message = f"{what} is {shown}, not {expected}"
    return new_diagnostic(MALFORMED_MODEL, at, message, help=f"write {expected}")
