"""Read a plan out of a document, in any of the shapes that drafters write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import orjson

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.plan import Plan, Source, Step, model_settings
from grounded_builder.ir.rules.reading import DUPLICATE_STEP, LOOSE_SHAPE, MALFORMED_STEP
from grounded_builder.ir.target import Target, TargetOption

STEP_KEYS = ("steps", "plan", "tool_calls", "tool_call", "function_call")
_TOOL = ("tool", "tool_id", "tool_name", "type", "node", "block", "name")
# What providers write as the "type" of any call.
_CALL_KINDS = frozenset({"function", "tool_call", "tool_use"})
_PARAMS = ("params", "parameters", "arguments", "args", "config")
_DEPENDS = ("depends_on", "dependsOn", "dependencies", "after")
_LIBRARY = "library"
# Words for the ports at the two ends of an input.
_OUTPUTS = ("output", "port", "from_port", "source_port", "output_port")
_INPUTS = ("input", "to_port", "target_port", "input_port")
_STEP = frozenset(
    "id action function inputs input outputs output for as in remarks notes version typeVersion "
    "index".split()
).union(_TOOL, _PARAMS, _DEPENDS, (_LIBRARY,))
_PLAN = frozenset({"constraints", "metadata", "model", *STEP_KEYS, _LIBRARY})
_SOURCE = frozenset({"from", "step", "id", "back", "signal", *_OUTPUTS, *_INPUTS})
_WORD = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 40
_PARTS = (list, dict)

_Notes = tuple[Diagnostic, ...]


def is_plan(document: Any, target_options: Sequence[TargetOption] = ()) -> bool:
    """Returns whether a document is a plan rather than a native document."""
    if isinstance(document, list):
        return bool(document) and all(_is_step(entry) for entry in document)
    if not isinstance(document, dict) or "nodes" in document:
        return False
    if any(isinstance(document.get(key), list | dict) for key in STEP_KEYS):
        return True
    known = _PLAN | {"goal", "version", *_names_of(target_options)}
    return "steps" in document and document.keys() <= known


def read_plan(
    document: Any,
    own: frozenset[str] = frozenset(),
    target_options: Sequence[TargetOption] = (),
) -> tuple[Plan | None, _Notes]:
    """Reads a plan; entries that are no steps are reported, the others still compile.

    ``own`` are places of steps and parameters that are not loose in the domain at hand, and
    ``target_options`` what its plans and steps can state of the installation that they are for.
    """
    plan, diagnostics = _read(document, target_options)
    return plan, tuple(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.rule != LOOSE_SHAPE or _place(diagnostic) not in own
    )


def _place(loose: Diagnostic) -> str:
    """The key that was read loosely; none for the whole document."""
    return str(loose.at[-1]) if loose.at else ""


def _names_of(options: Sequence[TargetOption]) -> frozenset[str]:
    return frozenset(option.name for option in options)


def _read(document: Any, options: Sequence[TargetOption]) -> tuple[Plan | None, _Notes]:
    at, entries, goal, notes = _entries(document)
    out = [*notes]
    steps: list[Step] = []
    taken: set[str] = set()
    bounds = _bounds(document, (_LIBRARY, *_names_of(options)))
    for index, entry in enumerate(entries):
        step, step_notes = _step(entry, (*at, index), taken, bounds, options)
        out += step_notes
        if step is not None:
            steps.append(step)
            taken.add(step.id)
    if at == ("steps",):
        known = _PLAN | _names_of(options)
        lost = (key for key, value in document.items() if value and key not in known)
        out += [_loose((key,), _not_read(key)) for key in lost if isinstance(document[key], _PARTS)]
    out += _unread(entries, at, _STEP | _names_of(options))
    if not steps:
        result = None if at or isinstance(document, list) else document.get("steps")
        what = "no" if result is None else f"{name_json_kind(result)} where it should have"
        message = f"the plan has {what} steps"
        return None, (
            *out,
            new_diagnostic(MALFORMED_STEP, at, message, help='write {"steps": [{"tool": ...}]}'),
        )
    return Plan(goal, tuple(steps), model_settings(document)), tuple(out)


def _entries(document: Any) -> tuple[Route, list[Any], str, _Notes]:
    """Returns where the steps of a plan are, the steps and the goal."""
    if isinstance(document, list):
        return (), document, "", (_loose((), "a bare list was read as the steps of a plan"),)
    goal = document.get("goal") if isinstance(document.get("goal"), str) else ""
    for key in STEP_KEYS:
        inner = document.get(key)
        if key == "plan" and isinstance(inner, dict):
            at, entries, inner_goal, notes = _entries(inner)
            return ("plan", *at), entries, inner_goal or goal, notes
        if isinstance(inner, list):
            loose = _loose((key,), f'"{key}" was read as the steps of a plan')
            return (key,), inner, goal, () if key == "steps" else (loose,)
        if isinstance(inner, dict) and key in ("tool_call", "function_call"):
            return (
                (key,),
                [inner],
                goal,
                (_loose((key,), f'"{key}" was read as a plan of one step'),),
            )
    return (), [], goal, ()


def _bounds(document: Any, names: Sequence[str]) -> dict[str, Any]:
    """Returns what a plan states, under these names, for all of its steps."""
    entries: dict[str, Any] = {}
    for part in ("plan", "constraints"):
        inner = document.get(part) if isinstance(document, dict) else None
        entries |= _bounds(inner, names) if isinstance(inner, dict) else {}
    if isinstance(document, dict):
        entries |= {name: document[name] for name in names if document.get(name)}
    return entries


def _step(
    entry: Any,
    at: Route,
    taken: set[str],
    bounds: Mapping[str, Any],
    options: Sequence[TargetOption],
) -> tuple[Step | None, _Notes]:
    """Reads one step; ``taken`` are the ids of the steps before it."""
    if not isinstance(entry, dict):
        message = f"a step is {name_json_kind(entry)}, not an object"
        hint = 'write a step as {"tool": ..., "params": {}}'
        return None, (new_diagnostic(MALFORMED_STEP, at, message, help=hint),)
    call = entry.get("function")
    if isinstance(call, dict):
        entry, at = {**entry, **call}, (*at, "function")
    tool_key = next(
        (k for k in _TOOL if isinstance(entry.get(k), str) and entry[k] not in _CALL_KINDS), None
    )
    action = entry.get("action") if isinstance(entry.get("action"), str) else ""
    tool = entry[tool_key] if tool_key else action or None
    params = _params(entry, at)
    identity, duplicates = _identity(entry, action or tool or "step", tool_key, taken, at)
    inputs, input_notes = _inputs(entry, at, params.key)
    step = Step(
        id=identity,
        at=at,
        tool=tool,
        tool_at=(*at, tool_key or "action"),
        action=action,
        params=params.values,
        params_at=(*at, params.key),
        inputs=inputs,
        outputs=_texts(entry.get("outputs", entry.get("output"))),
        parent=_text(entry.get("for")),
        role=_text(entry.get("as")),
        inside=_text(entry.get("in")),
        library=_text(entry.get(_LIBRARY)) or _text(bounds.get(_LIBRARY)),
        target=Target.of(
            {
                option.name: option.read_loosely(entry.get(option.name) or bounds.get(option.name))
                for option in options
            }
        ),
        remarks=_text(entry.get("remarks")) or _text(entry.get("notes")) or "",
        version=_number(entry.get("version", entry.get("typeVersion"))),
    )
    return step, (*params.notes, *duplicates, *input_notes)


@dataclass(frozen=True, slots=True)
class _Params:
    """The parameters of a step, and the key that has them."""

    key: str
    values: Mapping[str, Any]
    notes: _Notes = ()


def _params(entry: dict[str, Any], at: Route) -> _Params:
    """Returns parameters under any of their keys, or those that ``inputs`` is an object of."""
    notes: list[Diagnostic] = []
    for key in _PARAMS:
        value = entry.get(key)
        if isinstance(value, str) and key == "arguments":
            value = _json_object(value)
        if isinstance(value, dict):
            return _Params(key, value, tuple(notes))
        if value is not None and value != []:
            message = f'"{key}" is {name_json_kind(value)}, not an object'
            hint = "write parameters as an object"
            notes.append(new_diagnostic(MALFORMED_STEP, (*at, key), message, help=hint))
    inputs = entry.get("inputs")
    if isinstance(inputs, dict) and "from" not in inputs:
        notes.append(_loose((*at, "inputs"), 'an object in "inputs" was read as parameters'))
        return _Params("inputs", inputs, tuple(notes))
    return _Params("params", {}, tuple(notes))


def _json_object(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _inputs(
    entry: dict[str, Any], at: Route, params_key: str
) -> tuple[tuple[Source, ...] | None, _Notes]:
    """Returns what feeds a step, None where the step does not say."""
    sources: list[Source] = []
    notes: list[Diagnostic] = []
    is_stated = False
    for key in ("inputs", "input", *_DEPENDS):
        value = entry.get(key)
        if value is None or (key == "inputs" and params_key == "inputs"):
            continue
        is_stated = True
        entries = value if isinstance(value, list) else [value]
        # What other keys name is told again; one list may lead a signal to two inputs.
        before = {known.name for known in sources}
        for index, item in enumerate(entries):
            here = (*at, key, index) if isinstance(value, list) else (*at, key)
            source, source_notes = _source(item, here)
            notes += source_notes
            if source is not None and (_names_port(source) or source.name not in before):
                sources.append(source)
    return tuple(sources) if is_stated else None, tuple(notes)


def _source(value: Any, at: Route) -> tuple[Source | None, _Notes]:
    """Reads one input of a step."""
    if isinstance(value, str) and value:
        return Source(value, at), ()
    given = value if isinstance(value, dict) else {}
    name = given.get("from", given.get("step", given.get("id")))
    if not isinstance(name, str) or not name:
        message = f"{name_json_kind(value)} where the name of a step is expected"
        hint = 'name a step, or {"from": step}'
        return None, (new_diagnostic(MALFORMED_STEP, at, message, help=hint),)
    notes: list[Diagnostic] = []
    ends: list[str | int | None] = []
    for keys in (_OUTPUTS, _INPUTS):
        key = next((item for item in keys if _port(given.get(item)) is not None), keys[0])
        if key != keys[0]:
            notes.append(_loose((*at, key), f'"{key}" was read as the {keys[0]} of an input'))
        ends.append(_port(given.get(key)))
    notes += [_loose((*at, key), _not_read(key, "'s input")) for key in given if key not in _SOURCE]
    output, into = ends
    is_back, signal = given.get("back") is True, _text(given.get("signal")) or ""
    return Source(name, at, output, into, is_back, signal), tuple(notes)


def _unread(entries: list[Any], at: Route, known: frozenset[str]) -> Iterator[Diagnostic]:
    """Yields the keys of steps that no step has, each once: what is made lacks their values."""
    reported: set[str] = set()
    for index, entry in enumerate(entries):
        for key in entry if isinstance(entry, dict) else ():
            if key not in known and key not in reported:
                reported.add(key)
                yield _loose((*at, index, key), _not_read(key, "'s step"))


def _not_read(key: str, whose: str = "") -> str:
    return f'"{key}" is no key of a plan{whose}, and was not read'


def _names_port(source: Source) -> bool:
    """Whether a source is told from others of its step by a port that it names."""
    return source.output is not None or source.input is not None


def _port(value: Any) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _identity(
    entry: dict[str, Any], words: str, tool_key: str | None, taken: set[str], at: Route
) -> tuple[str, _Notes]:
    """Returns the step's own id, else one made of its words; always unique in the plan."""
    given = entry.get("id", entry.get("name") if tool_key != "name" else None)
    text = str(given) if isinstance(given, str | int) and str(given) else ""
    base = text or _WORD.sub("_", words.casefold()).strip("_")[:_LONGEST_ID] or "step"
    numbered = chain([base], (f"{base}_{number}" for number in count(2)))
    identity = next(name for name in numbered if name not in taken)
    if not text or text not in taken:
        return identity, ()
    message, hint = f'two steps have the id "{text}"', "give each step an id of its own"
    return identity, (new_diagnostic(DUPLICATE_STEP, (*at, "id"), message, help=hint),)


def _is_step(entry: Any) -> bool:
    return isinstance(entry, dict) and any(
        isinstance(entry.get(key), str | dict) for key in (*_TOOL, "action", "function")
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _loose(at: Route, message: str) -> Diagnostic:
    return new_diagnostic(LOOSE_SHAPE, at, message)
