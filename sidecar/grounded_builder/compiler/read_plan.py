"""Recognizes and reads plans in documents, in any of the forms that drafters write."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.compiler.duplicate_keys import find_duplicate_keys, load_or_keep
from grounded_builder.compiler.read_inputs import DEPENDENCY_KEYS, read_inputs, separate_outputs
from grounded_builder.compiler.unread_keys import (
    as_mapping,
    is_prose,
    note_loose,
    report_type,
    report_unread,
    report_unused,
    states_nothing,
)
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.plan import ABOUT_PLAN, Plan, Setting, Step, assumptions_in, model_settings
from grounded_builder.ir.rules.reading import DUPLICATE_STEP, LOOSE_SHAPE, MALFORMED_STEP
from grounded_builder.ir.target import Target, TargetOption
from grounded_builder.ir.unique_names import UniqueNames

STEP_KEYS = ("steps", "plan", "tool_calls", "tool_call", "function_call")
_TOOL = ("tool", "tool_id", "tool_name", "type", "node", "block", "name")
# The keys with one call, and those by which an entry of a list is a call.
_SINGLE_CALLS = frozenset({"tool_call", "function_call"})
_CALLS = frozenset({"tool", "tool_id", "tool_name", "function"})
# The values that providers write as the "type" of any call.
_CALL_KINDS = frozenset({"function", "tool_call", "tool_use"})
_PARAMS = ("params", "parameters", "arguments", "args", "config")
_LIBRARY = "library"
# What a step can state of its operation beside its parameters.
_STATED = ("resource", "operation", "event", "mode")
_SETTINGS = "settings"
_REMARKS = ("remarks", "notes")
_STEP = frozenset(
    "id action function inputs input outputs output for as in remarks notes version typeVersion "
    "index".split()
).union(_TOOL, _PARAMS, DEPENDENCY_KEYS, (_LIBRARY,))
_PLAN = frozenset(
    {"assumptions", "constraints", "expect", "metadata", "model", *_REMARKS, *STEP_KEYS, _LIBRARY}
)
_VERSIONS = ("version", "typeVersion")
_DECIMAL = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
# The keys of a plan with the types of their values.
_PLAN_VALUES: Mapping[str, tuple[Any, str]] = {
    **dict.fromkeys(("goal", "name", _LIBRARY), (str, "text")),
    **dict.fromkeys(("settings", "model", "constraints"), (dict, "an object")),
    **dict.fromkeys(ABOUT_PLAN, (str | list, "a text or a list of texts")),
    "version": (str | int | float, "the number 1"),
}
_WORD = re.compile(r"[^a-z0-9]+")
_MAX_ID_CHARS = 40

_Notes = tuple[Diagnostic, ...]


def is_plan(document: Any, target_options: Sequence[TargetOption] = ()) -> bool:
    """Returns whether a document is a plan rather than a native document."""
    if isinstance(document, list):
        return bool(document) and all(
            _is_step(entry) and not (isinstance(entry, dict) and "nodes" in entry)
            for entry in document
        )
    if not isinstance(document, dict) or "nodes" in document:
        return False
    if any(_holds_calls(key, document.get(key)) for key in STEP_KEYS):
        return True
    known = _PLAN | {"goal", "version", *_option_names(target_options)}
    return "steps" in document and document.keys() <= known


def holds_plan(value: Any) -> bool:
    """Returns whether a value inside a draft is a plan: an object or a list with objects as steps.

    Other than a draft itself, a list of objects is a plan only if each names a tool.
    """
    if isinstance(value, list):
        return bool(value) and all(
            isinstance(entry, dict) and not _CALLS.isdisjoint(entry) for entry in value
        )
    return isinstance(value, dict) and any(
        _holds_calls(key, entries)
        and (isinstance(entries, dict) or any(isinstance(entry, dict) for entry in entries))
        for key, entries in value.items()
        if key in STEP_KEYS
    )


def _holds_calls(key: str, value: Any) -> bool:
    """Returns whether the value of a key of steps is a list, or the one call of its key."""
    return isinstance(value, list) or (isinstance(value, dict) and key in _SINGLE_CALLS)


def read_plan(
    document: Any,
    own: frozenset[str] = frozenset(),
    target_options: Sequence[TargetOption] = (),
    step_settings: Collection[str] = (),
    model_keys: Collection[str] = (),
    plan_settings: Collection[str] = (),
) -> tuple[Plan | None, _Notes]:
    """Returns the plan in a document; entries that are no steps are reported.

    ``own`` are places of steps and parameters that are regular in the domain. ``target_options``
    are the facts about the installation that its plans and steps can state, ``step_settings`` the
    settings that a step can state beside its parameters, ``model_keys`` the keys of "model" that
    only restore a file, ``plan_settings`` the settings of the whole document.
    """
    document, moved = _move_settings(document, plan_settings)
    names = {fold_name(name): name for name in step_settings}
    plan, diagnostics = _read_document(document, target_options, names)
    diagnostics += moved
    diagnostics += tuple(_report_model(document, model_keys)) if plan is not None else ()
    return plan, tuple(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.rule != LOOSE_SHAPE or _loose_key(diagnostic) not in own
    )


def _move_settings(document: Any, names: Collection[str]) -> tuple[Any, _Notes]:
    """Returns a plan whose settings beside its steps are under "settings", with a note for each."""
    stated = document.get(_SETTINGS) if isinstance(document, dict) and names else None
    if not isinstance(document, dict) or not isinstance(stated, dict | None):
        return document, ()
    known = {fold_name(name): name for name in names}
    moved = {
        key: known[fold_name(key)]
        for key, value in document.items()
        if key not in _PLAN_VALUES and fold_name(key) in known and not states_nothing(value)
    }
    settings = {name: document[key] for key, name in moved.items()} | (stated or {})
    moved = {key: name for key, name in moved.items() if settings[name] == document[key]}
    if not moved:
        return document, ()
    rest = {key: value for key, value in document.items() if key not in moved}
    notes = (note_loose((key,), f'"{key}" was read as the setting {moved[key]}') for key in moved)
    return {**rest, _SETTINGS: settings}, tuple(notes)


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
    taken = UniqueNames(separator="_", fold=str)
    bounds = _read_shared(document, (_LIBRARY, *_option_names(options)))
    for index, entry in enumerate(step_entries):
        step, step_notes = _read_step(entry, (*at, index), taken, bounds, options, settings)
        out += step_notes
        if step is not None:
            steps.append(step)
    steps, output_notes = separate_outputs(steps)
    out += output_notes
    if not at or at[-1] in ("steps", "plan"):
        out += _report_unread_in_plan(document, at, options)
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
    title = _read_text(as_mapping(document).get("name")) or ""
    settings, assumptions = model_settings(document), assumptions_in(document)
    return Plan(goal or title, tuple(steps), settings, assumptions, title), tuple(out)


def _find_steps(document: Any) -> tuple[Route, list[Any], str, _Notes]:
    """Returns the route of a plan's steps, the steps and the goal."""
    if isinstance(document, list):
        return (), document, "", (note_loose((), "a bare list was read as the steps of a plan"),)
    goal = document.get("goal") if isinstance(document.get("goal"), str) else ""
    for key in STEP_KEYS:
        inner = document.get(key)
        if _holds_calls(key, inner):
            form = "a plan of one step" if isinstance(inner, dict) else "the steps of a plan"
            notes = (note_loose((key,), f'"{key}" was read as {form}'),) if key != "steps" else ()
            return (key,), [inner] if isinstance(inner, dict) else inner, goal, notes
    return (), [], goal, ()


def _read_shared(document: Any, names: Sequence[str]) -> dict[str, Any]:
    """Returns the values under these names that apply to all steps of a plan."""
    shared: dict[str, Any] = {}
    if isinstance(document, dict):
        inner = document.get("constraints")
        shared |= _read_shared(inner, names) if isinstance(inner, dict) else {}
        shared |= {name: document[name] for name in names if document.get(name)}
    return shared


def _read_step(
    entry: Any,
    at: Route,
    taken: UniqueNames,
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
    call = as_mapping(entry.get("function"))
    around = at
    if call:
        entry, at = {**entry, **call}, (*at, "function")
    tool_key = next(
        (
            key
            for key in _TOOL
            if isinstance(entry.get(key), str) and (key != "type" or entry[key] not in _CALL_KINDS)
        ),
        None,
    )
    action = entry.get("action") if isinstance(entry.get("action"), str) else ""
    tool = entry[tool_key] if tool_key else action or None
    params = _read_params(entry, at)
    identity, duplicates = _make_id(entry, action or tool or "step", tool_key, taken, at)
    inputs, input_notes = read_inputs(entry, at, params.key)
    settings, setting_notes = _read_settings(entry, at, names) if names else ({}, ())
    used = (tool, action, *_CALL_KINDS, *([] if "id" in entry else [entry.get("name")]))
    if not action and "id" in entry and entry.get("name") not in used:
        action = _read_text(entry.get("name")) or ""
        used = (*used, action)
    known = _STEP | _option_names(options)
    unread = {
        key: (value, (*(at if key in call or not call else around), key))
        for key, value in entry.items()
        if (key not in known and not (names and (key == _SETTINGS or fold_name(key) in names)))
        or (key in _TOOL and not states_nothing(value) and value not in used)
    }
    step = Step(
        id=identity,
        at=at,
        tool=tool,
        tool_at=(*at, tool_key or "action"),
        action=action,
        params=params.values,
        params_at=(*at, params.key),
        stated={key: entry[key] for key in _STATED if entry.get(key) not in (None, "")},
        param_places=params.places,
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
        version=next(filter(None, map(_read_number, map(entry.get, _VERSIONS))), None),
        settings=settings,
        unread=unread,
    )
    return step, (
        *params.notes,
        *duplicates,
        *input_notes,
        *setting_notes,
        *_report_types(entry, at),
    )


def _read_remarks(entry: Mapping[str, Any]) -> str:
    """Returns the texts for people at a step, each on a line."""
    inner = entry.get(_SETTINGS)
    holders = (entry, inner) if isinstance(inner, dict) else (entry,)
    texts = [
        text for holder in holders for key in _REMARKS for text in _read_texts(holder.get(key))
    ]
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
                    finding = report_unread(key, value, (*here, key), "a step's settings")
                    hint = f"its settings: {', '.join(names.values())}" if finding.help else ""
                    notes.append(replace(finding, help=hint))
                continue
            if name in settings and settings[name].value != value:
                hint = "write one of the two values"
                notes.append(report_unused(key, (*here, key), "has two values in a step", hint))
            elif value is not None:
                settings.setdefault(name, Setting(value, (*here, key)))
    return settings, tuple(notes)


def _report_types(entry: dict[str, Any], at: Route) -> Iterator[Diagnostic]:
    """Yields a finding for each key of a step whose value has a type that cannot be read."""
    for key, (is_read, expected) in _TYPES.items():
        value = entry.get(key)
        if not states_nothing(value) and not is_read(value):
            yield report_type(key, value, (*at, key), expected)
    versions = [key for key in _VERSIONS if _read_number(entry.get(key)) is not None]
    if len({_read_number(entry[key]) for key in versions}) > 1:
        reason = f'differs from "{versions[0]}"'
        yield report_unused(versions[1], (*at, versions[1]), reason, "write one of the two values")


@dataclass(frozen=True, slots=True)
class _Params:
    """The parameters of a step, and their key; ``places`` are routes of those under other keys."""

    key: str
    values: Mapping[str, Any]
    notes: _Notes = ()
    places: Mapping[str, Route] = field(default_factory=dict)


def _read_params(entry: dict[str, Any], at: Route) -> _Params:
    """Returns the parameters under all of their keys, or an object in ``inputs``."""
    notes: list[Diagnostic] = []
    first: str | None = None
    values: dict[str, Any] = {}
    places: dict[str, Route] = {}
    for key in _PARAMS:
        value = entry.get(key)
        if isinstance(value, str):
            text, value = value, load_or_keep(value)
            notes += find_duplicate_keys(text, value, (*at, key))
        if isinstance(value, dict):
            first = first or key
            for name, inner in value.items():
                if name not in values:
                    values[name] = inner
                    if key != first:
                        places[name] = (*at, key, name)
                elif values[name] != inner:
                    reason = f'in "{key}" differs from that in "{first}"'
                    hint = "write one of the two values"
                    notes.append(report_unused(name, (*at, key, name), reason, hint))
        elif not states_nothing(value):
            message = f'"{key}" is {name_json_kind(value)}, not an object'
            hint = "write parameters as an object"
            notes.append(new_diagnostic(MALFORMED_STEP, (*at, key), message, help=hint))
    inputs = entry.get("inputs")
    if first is None and isinstance(inputs, dict) and "from" not in inputs:
        notes.append(note_loose((*at, "inputs"), 'an object in "inputs" was read as parameters'))
        return _Params("inputs", inputs, tuple(notes))
    return _Params(first or "params", values, tuple(notes), places)


def _report_unread_in_plan(
    document: Any, at: Route, options: Sequence[TargetOption]
) -> Iterator[Diagnostic]:
    """Yields the keys of a plan, outside of its steps, that nothing reads."""
    whole: Any = document
    for depth, used in enumerate(at):
        for key, value in as_mapping(whole).items():
            if key != used:
                yield from _report_plan_key(key, value, (*at[:depth], key), str(used), options)
        whole = as_mapping(whole).get(str(used))


def _report_plan_key(
    key: str, value: Any, at: Route, used: str, options: Sequence[TargetOption]
) -> Iterator[Diagnostic]:
    """Yields the findings for one key of a plan; ``used`` is the key of its steps."""
    bounds = (_LIBRARY, *_option_names(options))
    is_known = key in _PLAN or key in _PLAN_VALUES or key in bounds
    if states_nothing(value):
        if not is_known:
            yield report_unread(key, value, at, "a plan")
    elif key in STEP_KEYS and isinstance(value, list | dict):
        message = f'the steps are under "{used}", and "{key}" has others'
        yield new_diagnostic(MALFORMED_STEP, at, message, help="write all steps in one list")
    elif key == "metadata" or (not is_known and is_prose(value)):
        yield note_loose(at, f'"{key}" is not a part of the result')
    elif key in _PLAN_VALUES:
        types, expected = _PLAN_VALUES[key]
        if not isinstance(value, types):
            yield report_type(key, value, at, expected)
        elif key == "version" and _read_number(value) != 1:
            yield note_loose(at, "plans have no other version than 1")
        elif key == "constraints":
            for name in value:
                if name not in bounds:
                    yield report_unread(name, value[name], (*at, name), "a plan's constraints")
        elif key in ABOUT_PLAN and isinstance(value, list):
            for index, entry in enumerate(value):
                if not isinstance(entry, str):
                    yield report_type(key, entry, (*at, index), expected)
    elif key not in bounds and at != ("expect",):
        yield report_unread(key, value, at, "a plan")


def _report_model(document: Any, model_keys: Collection[str]) -> Iterator[Diagnostic]:
    """Yields the keys of "model" that nothing reads, and settings that differ from those there."""
    model = as_mapping(as_mapping(document).get("model"))
    for key, value in model.items():
        if key in model_keys:
            yield note_loose(("model", key), f'"{key}" restores a file and was not compiled')
        elif key != _SETTINGS:
            yield report_unread(key, value, ("model", key), "a plan's model")
        elif not isinstance(value, dict) and not states_nothing(value):
            yield report_type(key, value, ("model", key), "an object")
    inner = as_mapping(model.get(_SETTINGS))
    for key, value in as_mapping(as_mapping(document).get(_SETTINGS)).items():
        if key in inner and inner[key] != value:
            reason = 'differs from that in "model"'
            yield report_unused(key, (_SETTINGS, key), reason, "write one of the two values")


def _make_id(
    entry: dict[str, Any], words: str, tool_key: str | None, taken: UniqueNames, at: Route
) -> tuple[str, _Notes]:
    """Returns the step's own id, else one made from its words; it is unique in the plan."""
    given = entry.get("id", entry.get("name") if tool_key != "name" else None)
    is_readable = isinstance(given, str | int | float) and not isinstance(given, bool)
    text = str(given) if is_readable and str(given).strip() else ""
    base = text or _WORD.sub("_", words.casefold()).strip("_")[:_MAX_ID_CHARS] or "step"
    is_taken = bool(text) and text in taken
    identity = taken.claim(base)
    if not is_readable and not states_nothing(entry.get("id")):
        return identity, (report_type("id", given, (*at, "id"), "text"),)
    if not is_taken:
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


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_list(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _read_number(value: Any) -> float | None:
    """Returns a number, also one that is written as text; None for anything else."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        number = float(value)
        return int(number) if number.is_integer() else number
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


# The keys of a step with one type: whether a value has it, and its name.
_TYPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("action", "as", "in", _LIBRARY), (_is_text, "text")),
    **dict.fromkeys(("for", "remarks", "notes", "outputs", "output"), (_is_text_or_list, "text")),
    "function": (lambda value: isinstance(value, dict), "an object"),
    **dict.fromkeys(_VERSIONS, (lambda value: _read_number(value) is not None, "a number")),
}
