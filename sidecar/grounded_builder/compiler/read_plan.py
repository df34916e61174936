"""Read a plan out of a document, in any of the shapes that drafters write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import orjson

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import kind_in_words
from grounded_builder.ir.plan import Plan, Source, Step, model_settings
from grounded_builder.ir.rules.reading import DUPLICATE_STEP, LOOSE_SHAPE, MALFORMED_STEP

STEP_KEYS = ("steps", "plan", "tool_calls", "tool_call", "function_call")
_TOOL = ("tool", "tool_id", "tool_name", "type", "node", "block", "name")
# What providers write as the "type" of any call.
_CALL_KINDS = frozenset({"function", "tool_call", "tool_use"})
_PARAMS = ("params", "parameters", "arguments", "args", "config")
_DEPENDS = ("depends_on", "dependsOn", "dependencies", "after")
_BOUNDS = ("release", "products", "library")
# Words for the ports at the two ends of an input.
_OUTPUTS = ("output", "port", "from_port", "source_port", "output_port")
_INPUTS = ("input", "to_port", "target_port", "input_port")
_STEP = frozenset(
    "id action function inputs input outputs output for as in remarks notes version typeVersion "
    "index".split()
).union(_TOOL, _PARAMS, _DEPENDS, _BOUNDS)
_PLAN = frozenset({"constraints", "metadata", "model", *STEP_KEYS, *_BOUNDS})
_SOURCE = frozenset({"from", "step", "id", "back", "signal", *_OUTPUTS, *_INPUTS})
_WORD = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 40
_PARTS = (list, dict)


def is_plan(document: Any) -> bool:
    """Whether a document is a plan rather than a native document."""
    if isinstance(document, list):
        return bool(document) and all(_is_step(entry) for entry in document)
    if not isinstance(document, dict) or "nodes" in document:
        return False
    if any(isinstance(document.get(key), list | dict) for key in STEP_KEYS):
        return True
    return "steps" in document and document.keys() <= _PLAN | {"goal", "version"}


def read_plan(
    document: Any, own: frozenset[str] = frozenset()
) -> tuple[Plan | None, tuple[Diagnostic, ...]]:
    """Read a plan; entries that are no steps are named, the others still compile.

    ``own`` are places of steps and parameters that are not loose in the domain at hand.
    """
    plan, diagnostics = _read(document)
    return plan, tuple(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.rule != LOOSE_SHAPE or _place(diagnostic) not in own
    )


def _place(loose: Diagnostic) -> str:
    """The key that was read loosely; none for the whole document."""
    return str(loose.at[-1]) if loose.at else ""


def _read(document: Any) -> tuple[Plan | None, tuple[Diagnostic, ...]]:
    out: list[Diagnostic] = []
    at, entries, goal = _entries(document, out)
    steps: list[Step] = []
    taken: set[str] = set()
    bounds = _bounds(document)
    for index, entry in enumerate(entries):
        step = _step(entry, (*at, index), taken, bounds, out)
        if step is not None:
            steps.append(step)
    if at == ("steps",):
        lost = (key for key, value in document.items() if value and key not in _PLAN)
        out += [_loose((key,), _not_read(key)) for key in lost if isinstance(document[key], _PARTS)]
    out += _unread(entries, at)
    if not steps:
        result = None if at or isinstance(document, list) else document.get("steps")
        what = "no" if result is None else f"{kind_in_words(result)} where it should have"
        message = f"the plan has {what} steps"
        return None, (
            *out,
            new_diagnostic(MALFORMED_STEP, at, message, help='write {"steps": [{"tool": ...}]}'),
        )
    return Plan(goal, tuple(steps), model_settings(document)), tuple(out)


def _entries(document: Any, out: list[Diagnostic]) -> tuple[Route, list[Any], str]:
    if isinstance(document, list):
        out.append(_loose((), "a bare list was read as the steps of a plan"))
        return (), document, ""
    goal = document.get("goal") if isinstance(document.get("goal"), str) else ""
    for key in STEP_KEYS:
        inner = document.get(key)
        if key == "plan" and isinstance(inner, dict):
            at, entries, inner_goal = _entries(inner, out)
            return ("plan", *at), entries, inner_goal or goal
        if isinstance(inner, list):
            if key != "steps":
                out.append(_loose((key,), f'"{key}" was read as the steps of a plan'))
            return (key,), inner, goal
        if isinstance(inner, dict) and key in ("tool_call", "function_call"):
            out.append(_loose((key,), f'"{key}" was read as a plan of one step'))
            return (key,), [inner], goal
    return (), [], goal


def _bounds(document: Any) -> dict[str, Any]:
    """What a plan says of release, products and library for all of its steps."""
    entries: dict[str, Any] = {}
    for part in ("plan", "constraints"):
        inner = document.get(part) if isinstance(document, dict) else None
        entries |= _bounds(inner) if isinstance(inner, dict) else {}
    if isinstance(document, dict):
        entries |= {key: document[key] for key in _BOUNDS if document.get(key)}
    return entries


def _step(
    entry: Any, at: Route, taken: set[str], bounds: dict[str, Any], out: list[Diagnostic]
) -> Step | None:
    if not isinstance(entry, dict):
        message = f"a step is {kind_in_words(entry)}, not an object"
        out.append(
            new_diagnostic(
                MALFORMED_STEP, at, message, help='write a step as {"tool": ..., "params": {}}'
            )
        )
        return None
    call = entry.get("function")
    if isinstance(call, dict):
        entry, at = {**entry, **call}, (*at, "function")
    tool_key = next(
        (k for k in _TOOL if isinstance(entry.get(k), str) and entry[k] not in _CALL_KINDS), None
    )
    action = entry.get("action") if isinstance(entry.get("action"), str) else ""
    tool = entry[tool_key] if tool_key else action or None
    params_key, params = _params(entry, at, out)
    identity = _identity(entry, action or tool or "step", tool_key, taken, at, out)
    return Step(
        id=identity,
        at=at,
        tool=tool,
        tool_at=(*at, tool_key or "action"),
        action=action,
        params=params,
        params_at=(*at, params_key),
        inputs=_inputs(entry, at, params_key, out),
        outputs=_texts(entry.get("outputs", entry.get("output"))),
        parent=_text(entry.get("for")),
        role=_text(entry.get("as")),
        inside=_text(entry.get("in")),
        library=_text(entry.get("library")) or _text(bounds.get("library")),
        release=_release(entry.get("release") or bounds.get("release")),
        products=_texts(entry.get("products") or bounds.get("products")),
        remarks=_text(entry.get("remarks")) or _text(entry.get("notes")) or "",
        version=_number(entry.get("version", entry.get("typeVersion"))),
    )


def _params(entry: dict[str, Any], at: Route, out: list[Diagnostic]) -> tuple[str, dict[str, Any]]:
    """Parameters under any of their keys; an ``inputs`` object stands in for missing ones."""
    for key in _PARAMS:
        value = entry.get(key)
        if isinstance(value, str) and key == "arguments":
            value = _json_object(value)
        if isinstance(value, dict):
            return key, value
        if value is not None and value != []:
            message = f'"{key}" is {kind_in_words(value)}, not an object'
            out.append(
                new_diagnostic(
                    MALFORMED_STEP, (*at, key), message, help="write parameters as an object"
                )
            )
    inputs = entry.get("inputs")
    if isinstance(inputs, dict) and "from" not in inputs:
        out.append(_loose((*at, "inputs"), 'an object in "inputs" was read as parameters'))
        return "inputs", inputs
    return "params", {}


def _json_object(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _inputs(
    entry: dict[str, Any], at: Route, params_key: str, out: list[Diagnostic]
) -> tuple[Source, ...] | None:
    sources: list[Source] = []
    said = False
    keys = ["inputs", "input", *_DEPENDS]
    for key in keys:
        value = entry.get(key)
        if value is None or (key == "inputs" and params_key == "inputs"):
            continue
        said = True
        entries = value if isinstance(value, list) else [value]
        # What other keys name is told again; one list may lead a signal to two inputs.
        before = {known.name for known in sources}
        for index, item in enumerate(entries):
            here = (*at, key, index) if isinstance(value, list) else (*at, key)
            source = _source(item, here, out)
            if source is None:
                message = f"{kind_in_words(item)} where the name of a step is expected"
                out.append(
                    new_diagnostic(
                        MALFORMED_STEP, here, message, help='name a step, or {"from": step}'
                    )
                )
            elif _names_port(source) or source.name not in before:
                sources.append(source)
    return tuple(sources) if said else None


def _source(value: Any, at: Route, out: list[Diagnostic]) -> Source | None:
    if isinstance(value, str) and value:
        return Source(value, at)
    if not isinstance(value, dict):
        return None
    name = value.get("from", value.get("step", value.get("id")))
    if not isinstance(name, str) or not name:
        return None
    ends: list[str | int | None] = []
    for keys in (_OUTPUTS, _INPUTS):
        key = next((item for item in keys if _port(value.get(item)) is not None), keys[0])
        if key != keys[0]:
            out.append(_loose((*at, key), f'"{key}" was read as the {keys[0]} of an input'))
        ends.append(_port(value.get(key)))
    out += [_loose((*at, key), _not_read(key, "'s input")) for key in value if key not in _SOURCE]
    output, into = ends
    return Source(
        name, at, output, into, value.get("back") is True, _text(value.get("signal")) or ""
    )


def _unread(entries: list[Any], at: Route) -> Iterator[Diagnostic]:
    """What steps say that no step has, each key once: it is left out of what is made."""
    results: set[str] = set()
    for index, entry in enumerate(entries):
        for key in entry if isinstance(entry, dict) else ():
            if key not in _STEP and key not in results:
                results.add(key)
                yield _loose((*at, index, key), _not_read(key, "'s step"))


def _not_read(key: str, whose: str = "") -> str:
    return f'"{key}" is no key of a plan{whose}, and was not read'


def _names_port(source: Source) -> bool:
    """Whether a source is told from others of its step by a port that it names."""
    return source.output is not None or source.input is not None


def _port(value: Any) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _identity(
    entry: dict[str, Any],
    words: str,
    tool_key: str | None,
    taken: set[str],
    at: Route,
    out: list[Diagnostic],
) -> str:
    """The step's own id, else one drawn from its words; always unique in the plan."""
    given = entry.get("id", entry.get("name") if tool_key != "name" else None)
    text = str(given) if isinstance(given, str | int) and str(given) else ""
    if text and text in taken:
        message = f'two steps have the id "{text}"'
        out.append(
            new_diagnostic(
                DUPLICATE_STEP, (*at, "id"), message, help="give each step an id of its own"
            )
        )
    base = text or _WORD.sub("_", words.casefold()).strip("_")[:_LONGEST_ID] or "step"
    numbered = chain([base], (f"{base}_{number}" for number in count(2)))
    identity = next(name for name in numbered if name not in taken)
    taken.add(identity)
    return identity


def _is_step(entry: Any) -> bool:
    return isinstance(entry, dict) and any(
        isinstance(entry.get(key), str | dict) for key in (*_TOOL, "action", "function")
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _release(value: Any) -> str:
    """A release as it is written, a bare year too: whoever reads it says what is wrong with it."""
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _loose(at: Route, message: str) -> Diagnostic:
    return new_diagnostic(LOOSE_SHAPE, at, message)
