"""Reads a plan from a document, in any of the forms that drafters write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import orjson

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.plan import Plan, Setting, Source, Step, assumptions_in, model_settings
from grounded_builder.ir.rules.reading import DUPLICATE_STEP, LOOSE_SHAPE, MALFORMED_STEP
from grounded_builder.ir.target import Target, TargetOption

STEP_KEYS = ("steps", "plan", "tool_calls", "tool_call", "function_call")
_TOOL = ("tool", "tool_id", "tool_name", "type", "node", "block", "name")
# The values that providers write as the "type" of any call.
_CALL_KINDS = frozenset({"function", "tool_call", "tool_use"})
_PARAMS = ("params", "parameters", "arguments", "args", "config")
_DEPENDS = ("depends_on", "dependsOn", "dependencies", "after")
_LIBRARY = "library"
# What a step can state of its operation beside its parameters.
_STATED = ("resource", "operation", "event", "mode")
_SETTINGS = "settings"
# The keys for the ports at the two ends of an input.
_MAX_PORT = 1_000
"""The highest number of a port that is read; no tool has nearly as many ports."""
_OUTPUTS = ("output", "port", "from_port", "source_port", "output_port")
_INPUTS = ("input", "to_port", "target_port", "input_port")
_REMARKS = ("remarks", "notes")
_STEP = frozenset(
    "id action function inputs input outputs output for as in remarks notes version typeVersion "
    "index".split()
).union(_TOOL, _PARAMS, _DEPENDS, (_LIBRARY,))
_PLAN = frozenset({"assumptions", "constraints", "metadata", "model", *STEP_KEYS, _LIBRARY})
_SOURCE = frozenset({"from", "step", "id", "back", "signal", *_OUTPUTS, *_INPUTS})
_WORD = re.compile(r"[^a-z0-9]+")
_MAX_ID_CHARS = 40
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
    known = _PLAN | {"goal", "version", *_option_names(target_options)}
    return "steps" in document and document.keys() <= known


def read_plan(
    document: Any,
    own: frozenset[str] = frozenset(),
    target_options: Sequence[TargetOption] = (),
    step_settings: Collection[str] = (),
) -> tuple[Plan | None, _Notes]:
    """Returns the plan in a document; entries that are no steps are reported.

    ``own`` are places of steps and parameters that are regular in the domain. ``target_options``
    are the facts about the installation that its plans and steps can state, ``step_settings`` the
    settings that a step can state beside its parameters.
    """
    names = {fold_name(name): name for name in step_settings}
    plan, diagnostics = _read_document(document, target_options, names)
    return plan, tuple(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.rule != LOOSE_SHAPE or _loose_key(diagnostic) not in own
    )


def _loose_key(loose: Diagnostic) -> str:
    """Returns the key that was read loosely, "" for the whole document."""
    return str(loose.at[-1]) if loose.at else ""


def _option_names(options: Sequence[TargetOption]) -> frozenset[str]:
    return frozenset(option.name for option in options)


def _read_document(
    document: Any, options: Sequence[TargetOption], settings: Mapping[str, str]
) -> tuple[Plan | None, _Notes]:
    at, step_entries, goal, notes = _find_steps(document)
    out = [*notes]
    steps: list[Step] = []
    taken: set[str] = set()
    bounds = _read_shared(document, (_LIBRARY, *_option_names(options)))
    for index, entry in enumerate(step_entries):
        step, step_notes = _read_step(entry, (*at, index), taken, bounds, options, settings)
        out += step_notes
        if step is not None:
            steps.append(step)
            taken.add(step.id)
    if at == ("steps",):
        known = _PLAN | _option_names(options)
        lost = (key for key, value in document.items() if value and key not in known)
        out += [
            _note_loose((key,), _format_unread(key))
            for key in lost
            if isinstance(document[key], _PARTS)
        ]
    out += _report_unread_keys(step_entries, at, _STEP | _option_names(options), settings)
    if not steps:
        steps_value = None if at or isinstance(document, list) else document.get("steps")
        problem = (
            "no" if steps_value is None else f"{name_json_kind(steps_value)} where it should have"
        )
        message = f"the plan has {problem} steps"
        return None, (
            *out,
            new_diagnostic(MALFORMED_STEP, at, message, help='write {"steps": [{"tool": ...}]}'),
        )
    return Plan(goal, tuple(steps), model_settings(document), assumptions_in(document)), tuple(out)


def _find_steps(document: Any) -> tuple[Route, list[Any], str, _Notes]:
    """Returns the route of a plan's steps, the steps and the goal."""
    if isinstance(document, list):
        return (), document, "", (_note_loose((), "a bare list was read as the steps of a plan"),)
    goal = document.get("goal") if isinstance(document.get("goal"), str) else ""
    for key in STEP_KEYS:
        inner = document.get(key)
        if key == "plan" and isinstance(inner, dict):
            at, entries, inner_goal, notes = _find_steps(inner)
            return ("plan", *at), entries, inner_goal or goal, notes
        if isinstance(inner, list):
            loose = _note_loose((key,), f'"{key}" was read as the steps of a plan')
            return (key,), inner, goal, () if key == "steps" else (loose,)
        if isinstance(inner, dict) and key in ("tool_call", "function_call"):
            return (
                (key,),
                [inner],
                goal,
                (_note_loose((key,), f'"{key}" was read as a plan of one step'),),
            )
    return (), [], goal, ()


def _read_shared(document: Any, names: Sequence[str]) -> dict[str, Any]:
    """Returns the values under these names that apply to all steps of a plan."""
    shared: dict[str, Any] = {}
    for part in ("plan", "constraints"):
        inner = document.get(part) if isinstance(document, dict) else None
        shared |= _read_shared(inner, names) if isinstance(inner, dict) else {}
    if isinstance(document, dict):
        shared |= {name: document[name] for name in names if document.get(name)}
    return shared


def _read_step(
    entry: Any,
    at: Route,
    taken: set[str],
    bounds: Mapping[str, Any],
    options: Sequence[TargetOption],
    names: Mapping[str, str],
) -> tuple[Step | None, _Notes]:
    """Returns one step; ``taken`` are the ids of the steps before it, ``names`` the settings by
    their folded names.
    """
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
    params = _read_params(entry, at)
    identity, duplicates = _make_id(entry, action or tool or "step", tool_key, taken, at)
    inputs, input_notes = _read_inputs(entry, at, params.key)
    settings, setting_notes = _read_settings(entry, at, names) if names else ({}, ())
    step = Step(
        id=identity,
        at=at,
        tool=tool,
        tool_at=(*at, tool_key or "action"),
        action=action,
        params=params.values,
        params_at=(*at, params.key),
        stated={key: entry[key] for key in _STATED if entry.get(key) not in (None, "")},
        inputs=inputs,
        outputs=_read_texts(entry.get("outputs", entry.get("output"))),
        parents=_read_texts(entry.get("for")),
        role=_read_text(entry.get("as")),
        inside=_read_text(entry.get("in")),
        library=_read_text(entry.get(_LIBRARY)) or _read_text(bounds.get(_LIBRARY)),
        target=Target.of(
            {
                option.name: option.read_loosely(entry.get(option.name) or bounds.get(option.name))
                for option in options
            }
        ),
        remarks=_read_remarks(entry),
        version=_read_number(entry.get("version", entry.get("typeVersion"))),
        settings=settings,
    )
    return step, (*params.notes, *duplicates, *input_notes, *setting_notes)


def _read_remarks(entry: Mapping[str, Any]) -> str:
    """Returns the texts for people at a step, each on a line."""
    inner = entry.get(_SETTINGS)
    holders = (entry, inner) if isinstance(inner, dict) else (entry,)
    texts = [_read_text(holder.get(key)) for holder in holders for key in _REMARKS]
    return "\n".join(dict.fromkeys(text for text in texts if text))


def _read_settings(
    entry: Mapping[str, Any], at: Route, names: Mapping[str, str]
) -> tuple[dict[str, Setting], _Notes]:
    """Returns the settings of a step, which stand beside its other keys or under "settings"."""
    settings: dict[str, Setting] = {}
    notes: list[Diagnostic] = []
    inner = entry.get(_SETTINGS)
    if inner is not None and not isinstance(inner, dict):
        message = f'"{_SETTINGS}" is {name_json_kind(inner)}, not an object'
        hint = f"write settings as an object of {', '.join(names.values())}"
        notes.append(new_diagnostic(MALFORMED_STEP, (*at, _SETTINGS), message, help=hint))
    for holder, here in ((entry, at), (inner, (*at, _SETTINGS))):
        for key, value in holder.items() if isinstance(holder, dict) else ():
            name = names.get(fold_name(key))
            if name is None:
                if holder is inner and key not in _REMARKS:
                    notes.append(_note_loose((*here, key), _format_unread(key, "'s settings")))
                continue
            if name in settings and settings[name].value != value:
                message = f'"{name}" has two values in a step; the second was ignored'
                notes.append(_note_loose((*here, key), message))
            elif value is not None:
                settings.setdefault(name, Setting(value, (*here, key)))
    return settings, tuple(notes)


@dataclass(frozen=True, slots=True)
class _Params:
    """The parameters of a step, and their key."""

    key: str
    values: Mapping[str, Any]
    notes: _Notes = ()


def _read_params(entry: dict[str, Any], at: Route) -> _Params:
    """Returns the parameters under any of their keys, or an object in ``inputs``."""
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
        notes.append(_note_loose((*at, "inputs"), 'an object in "inputs" was read as parameters'))
        return _Params("inputs", inputs, tuple(notes))
    return _Params("params", {}, tuple(notes))


def _json_object(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _read_inputs(
    entry: dict[str, Any], at: Route, params_key: str
) -> tuple[tuple[Source, ...] | None, _Notes]:
    """Returns the inputs of a step, None if it states none."""
    sources: list[Source] = []
    notes: list[Diagnostic] = []
    is_stated = False
    for key in ("inputs", "input", *_DEPENDS):
        value = entry.get(key)
        if value is None or (key == "inputs" and params_key == "inputs"):
            continue
        is_stated = True
        values = value if isinstance(value, list) else [value]
        # Other keys repeat the same sources; within one list, a signal can lead to two inputs.
        before = {known.name for known in sources}
        for index, value_ in enumerate(values):
            here = (*at, key, index) if isinstance(value, list) else (*at, key)
            source, source_notes = _read_source(value_, here)
            notes += source_notes
            if source is not None and (_has_port(source) or source.name not in before):
                sources.append(source)
    return tuple(sources) if is_stated else None, tuple(notes)


def _read_source(value: Any, at: Route) -> tuple[Source | None, _Notes]:
    """Returns one input of a step."""
    if isinstance(value, str) and value:
        return Source(value, at), ()
    content = value if isinstance(value, dict) else {}
    name = content.get("from", content.get("step", content.get("id")))
    if not isinstance(name, str) or not name:
        message = f"{name_json_kind(value)} where the name of a step is expected"
        hint = 'name a step, or {"from": step}'
        return None, (new_diagnostic(MALFORMED_STEP, at, message, help=hint),)
    notes: list[Diagnostic] = []
    ends: list[str | int | None] = []
    for keys in (_OUTPUTS, _INPUTS):
        key = next((name_ for name_ in keys if content.get(name_) is not None), keys[0])
        port = _read_port(content.get(key))
        ends.append(port)
        if port is None and content.get(key) is not None:
            message = f'"{key}" is neither the name of a port nor a number from 0 to {_MAX_PORT}'
            hint = f"write the name or the number of the {keys[0]}, or leave it out"
            notes.append(new_diagnostic(MALFORMED_STEP, (*at, key), message, help=hint))
        elif key != keys[0]:
            notes.append(_note_loose((*at, key), f'"{key}" was read as the {keys[0]} of an input'))
    notes += [
        _note_loose((*at, key), _format_unread(key, "'s input"))
        for key in content
        if key not in _SOURCE
    ]
    output, into = ends
    is_back, signal = content.get("back") is True, _read_text(content.get("signal")) or ""
    return Source(name, at, output, into, is_back, signal), tuple(notes)


def _report_unread_keys(
    entries: list[Any], at: Route, known: frozenset[str], settings: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Yields the keys that no step can have, each once; their values are ignored."""
    reported: set[str] = set()
    for index, entry in enumerate(entries):
        for key in entry if isinstance(entry, dict) else ():
            if settings and (key == _SETTINGS or fold_name(key) in settings):
                continue
            if key not in known and key not in reported:
                reported.add(key)
                yield _note_loose((*at, index, key), _format_unread(key, "'s step"))


def _format_unread(key: str, whose: str = "") -> str:
    return f'"{key}" is not a key of a plan{whose} and was ignored'


def _has_port(source: Source) -> bool:
    """Returns whether a source names a port, which distinguishes it from others."""
    return source.output is not None or source.input is not None


def _read_port(value: Any) -> str | int | None:
    """Returns the name or the number of a port; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value <= _MAX_PORT else None
    return value if isinstance(value, str) else None


def _make_id(
    entry: dict[str, Any], words: str, tool_key: str | None, taken: set[str], at: Route
) -> tuple[str, _Notes]:
    """Returns the step's own id, else one made from its words; it is unique in the plan."""
    given = entry.get("id", entry.get("name") if tool_key != "name" else None)
    text = str(given) if isinstance(given, str | int) and str(given) else ""
    base = text or _WORD.sub("_", words.casefold()).strip("_")[:_MAX_ID_CHARS] or "step"
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


def _read_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _read_texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _read_number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _note_loose(at: Route, message: str) -> Diagnostic:
    return new_diagnostic(LOOSE_SHAPE, at, message)
