"""Reads the inputs of plan steps: source steps, ports, and outputs named within a source."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grounded_builder.compiler.unread_keys import (
    as_mapping,
    note_loose,
    report_type,
    report_unread,
    report_unused,
    states_nothing,
)
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.plan import Source, Step
from grounded_builder.ir.rules.reading import MALFORMED_STEP

DEPENDENCY_KEYS = ("depends_on", "dependsOn", "dependencies", "after")
_MAX_PORT = 1_000
"""The highest number of a port that is read; no tool has nearly as many ports."""
# The keys for the ports at the two ends of an input.
_OUTPUTS = ("output", "port", "from_port", "source_port", "output_port")
_INPUTS = ("input", "to_port", "target_port", "input_port")
_SOURCE_NAMES = ("from", "step", "id")
_SOURCE = frozenset({"back", "signal", *_SOURCE_NAMES, *_OUTPUTS, *_INPUTS})
_TRUTH = {"true": True, "false": False}
# What separates a step from its output in one text: "check.true", "check[0]", "check -> true".
_OUTPUT_MARK = re.compile(r"->|=>|[.:/#@|>\[(]")
_AROUND_PORT = " \t'\"[]()"
_MAX_NAME_CHARS = 200
_POSITION = re.compile(r"[0-9]{1,4}")


def read_inputs(
    entry: dict[str, Any], at: Route, params_key: str
) -> tuple[tuple[Source, ...] | None, tuple[Diagnostic, ...]]:
    """Returns the inputs of a step, None if it states none."""
    sources: list[Source] = []
    notes: list[Diagnostic] = []
    is_stated = False
    for key in ("inputs", "input", *DEPENDENCY_KEYS):
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


def separate_outputs(steps: Sequence[Step]) -> tuple[list[Step], tuple[Diagnostic, ...]]:
    """Returns the steps with the outputs that are part of the names of their sources, and notes.

    "check.true" is the output "true" of the step "check" unless a step or an output has that name.
    """
    names = {name for step in steps for name in (step.id, *step.outputs)}
    steps, position_notes = _read_positions(steps, names)
    notes: list[Diagnostic] = [*position_notes]
    separated: list[Step] = []
    for step in steps:
        inputs = tuple(_separate_output(source, names) for source in step.inputs or ())
        for before, after in zip(step.inputs or (), inputs, strict=True):
            if after is not before:
                message = (
                    f'"{before.name}" was read as the output "{after.output}" of "{after.name}"'
                )
                notes.append(note_loose(before.at, message))
        separated.append(step if inputs == (step.inputs or ()) else replace(step, inputs=inputs))
    return separated, tuple(notes)


def _read_positions(
    steps: Sequence[Step], names: Container[str]
) -> tuple[Sequence[Step], tuple[Diagnostic, ...]]:
    """Returns the steps with their ids for the positions that inputs name, and notes.

    Positions count from 0 if one is 0; else from where every one is that of the step before.
    """
    places = [
        (index, int(source.name), source)
        for index, step in enumerate(steps)
        for source in step.inputs or ()
        if source.name not in names and _POSITION.fullmatch(source.name)
    ]
    before = {index - number for index, number, _ in places}
    first = 0 if before == {1} or any(number == 0 for _, number, _ in places) else 1
    if not places or (first == 1 and before != {0}):
        return steps, ()
    resolved = {
        source: replace(source, name=steps[number - first].id)
        for _, number, source in places
        if number - first < len(steps)
    }
    notes = tuple(
        note_loose(source.at, f'{source.name} was read as the position of the step "{step.name}"')
        for source, step in resolved.items()
    )
    return [
        replace(step, inputs=tuple(resolved.get(source, source) for source in step.inputs or ()))
        if step.inputs
        else step
        for step in steps
    ], notes


def _separate_output(source: Source, names: Container[str]) -> Source:
    if source.name in names or len(source.name) > _MAX_NAME_CHARS:
        return source
    for mark in reversed(tuple(_OUTPUT_MARK.finditer(source.name))):
        step = source.name[: mark.start()].rstrip()
        text = source.name[mark.end() :].strip(_AROUND_PORT)
        port = int(text) if text.isdecimal() and int(text) <= _MAX_PORT else text
        if step in names and text and source.output in (None, port):
            return replace(source, name=step, output=port)
    return source


def _read_source(value: Any, at: Route) -> tuple[Source | None, tuple[Diagnostic, ...]]:
    """Returns one input of a step."""
    name = _read_name(value)
    if name:
        return Source(name, at), ()
    content = as_mapping(value)
    name = _read_name(
        next((content[key] for key in _SOURCE_NAMES if content.get(key) is not None), None)
    )
    if not name:
        message = f"{name_json_kind(value)} where the name of a step is expected"
        hint = 'name a step, or {"from": step}'
        return None, (new_diagnostic(MALFORMED_STEP, at, message, help=hint),)
    notes: list[Diagnostic] = []
    ends: list[str | int | None] = []
    for keys in (_OUTPUTS, _INPUTS):
        stated = [key for key in keys if content.get(key) is not None]
        key = stated[0] if stated else keys[0]
        port = _read_port(content.get(key))
        ends.append(port)
        if port is None and stated:
            message = f'"{key}" is neither the name of a port nor a number from 0 to {_MAX_PORT}'
            hint = f"write the name or the number of the {keys[0]}, or leave it out"
            notes.append(new_diagnostic(MALFORMED_STEP, (*at, key), message, help=hint))
        elif key != keys[0]:
            notes.append(note_loose((*at, key), f'"{key}" was read as the {keys[0]} of an input'))
        notes += _report_different(content, stated, at)
    names = [key for key in _SOURCE_NAMES if content.get(key) is not None]
    notes += _report_different(content, names, at)
    notes += [
        report_unread(key, content[key], (*at, key), "a plan's input")
        for key in content
        if key not in _SOURCE
    ]
    output, into = ends
    back, signal = content.get("back"), content.get("signal")
    back = _TRUTH.get(back.casefold(), back) if isinstance(back, str) else back
    if not isinstance(back, bool) and not states_nothing(back):
        notes.append(report_type("back", back, (*at, "back"), "true or false"))
    if not isinstance(signal, str) and not states_nothing(signal):
        notes.append(report_type("signal", signal, (*at, "signal"), "text"))
    signal = signal if isinstance(signal, str) else ""
    return Source(name, at, output, into, back is True, signal), tuple(notes)


def _read_name(value: Any) -> str:
    """Returns the text or the number that names a step, "" for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if 0 <= value <= _MAX_PORT else ""
    return value if isinstance(value, str) else ""


def _report_different(
    content: Mapping[str, Any], stated: Sequence[str], at: Route
) -> Iterator[Diagnostic]:
    """Yields a finding for each key whose value differs from that of the first key."""
    for key in stated[1:]:
        if content[key] != content[stated[0]]:
            reason = f'differs from "{stated[0]}"'
            yield report_unused(key, (*at, key), reason, "write one of the two values")


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
