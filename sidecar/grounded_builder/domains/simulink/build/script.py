"""Writes the MATLAB script that builds, verifies and saves a model, and names its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from grounded_builder.domains.simulink.check.parameters import find_side_effect
from grounded_builder.domains.simulink.draw.layout import lay_out
from grounded_builder.domains.simulink.matlab.literal import (
    format_comment,
    identifier,
    quote_text,
    vector,
)
from grounded_builder.domains.simulink.read.document import CONTROL, PHYSICAL, block_path

# The names of ports without a number in `add_line`:
# https://www.mathworks.com/help/simulink/slref/add_line.html
_PORTS = {
    "enable": "Enable",
    "trigger": "Trigger",
    "state": "State",
    "ifaction": "Ifaction",
    "reset": "Reset",
    "event": "Event",
    "lconn": "LConn",
    "rconn": "RConn",
}
# Properties that only affect the appearance of a block; callbacks are never written.
_SHOWN = ("Orientation", "BlockMirror", "ShowName", "NamePlacement", "Commented", "Priority")
_WIDTH = 96
_PARTS = ("building.m", "finishing.m", "running.m")


class UnsafeValueError(Exception):
    """Raised when a value may have side effects in a script or a file."""


@dataclass(slots=True)
class _Writer:
    lines: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    expected: list[str] = field(default_factory=list)


def script_of(artifact: Mapping[str, Any]) -> str:
    """Returns the script that builds the model of an artifact.

    The artifact is ``{"model": ..., "blocks": [{"sid", "block_type", "mask_type"}]}``. The script
    is one function for MATLAB R2019b and later. The same artifact gives the same bytes.
    """
    model = artifact["model"]
    facts = {block["sid"]: block for block in artifact["blocks"]}
    name = identifier(str(model.get("name") or "model"))
    writer = _Writer(variables={"model", "options", "half", "report", "expected", "whole"})
    _system(writer, model["system"], "model", (), facts)
    settings = [
        (key, value) for key, value in (model.get("settings") or {}).items() if _is_setting(key)
    ]
    if settings:
        writer.lines += _call("set_param(model", _pairs(settings), ");")
    body = "\n".join(f"    {line}" if line else "" for line in writer.lines)
    text = "\n".join(f"        {line}" for line in writer.expected)
    count = f"{len(facts)} block{'s' * (len(facts) != 1)}"
    head = _HEAD.format(
        function=f"build_{name}",
        upper=f"BUILD_{name.upper()}",
        about=format_comment(f"{count}, {artifact.get('goal') or name}"),
        model=quote_text(name),
        libraries="\n".join(
            f"    library({quote_text(library)});" for library in _libraries(model)
        ),
        body=body,
        expected=text,
    )
    return head + _tail()


def file_name(artifact: Mapping[str, Any]) -> str:
    """Returns the name of the script's file, which is that of its function, as MATLAB requires."""
    return f"build_{identifier(str(artifact['model'].get('name') or 'model'))}.m"


def _system(
    writer: _Writer,
    system: Mapping[str, Any],
    variable: str,
    path: tuple[str, ...],
    facts: Mapping[str, Mapping[str, Any]],
) -> None:
    system = lay_out(system)
    names = {block["sid"]: block["name"] for block in system["blocks"]}
    inner: list[tuple[Mapping[str, Any], str]] = []
    for block in system["blocks"]:
        within = block.get("system")
        holder = identifier(block["name"], writer.variables) if within is not None else None
        _block(writer, block, variable, holder, (*path, block["name"]), facts.get(block["sid"], {}))
        if within is not None and holder is not None:
            writer.variables.add(holder)
            inner.append((within, holder))
    for within, holder in inner:
        block_name = next(b["name"] for b in system["blocks"] if b.get("system") is within)
        writer.lines += ["", format_comment(f"Inside {block_name}"), f"clear_out({holder});"]
        _system(writer, within, holder, (*path, block_name), facts)
    if system["lines"]:
        writer.lines.append("")
    for line in system["lines"]:
        _line(writer, line, variable, names)
    for note in system.get("annotations", ()):
        position = vector(note.get("position") or [20, 20])
        writer.lines.append(f"note({variable}, {quote_text(note['text'])}, {position});")


def _block(
    writer: _Writer,
    block: Mapping[str, Any],
    variable: str,
    holder: str | None,
    path: tuple[str, ...],
    fact: Mapping[str, Any],
) -> None:
    parameters = list((block.get("parameters") or {}).items())
    for key, value in parameters:
        reason = find_side_effect(value)
        if reason:
            raise UnsafeValueError(f"{key} of {block['name']!r}: {reason}")
    properties = block.get("properties") or {}
    shown = [(key, properties[key]) for key in _SHOWN if key in properties]
    pairs = _pairs([*parameters, *shown])
    if block.get("position"):
        pairs.append(f"'Position', {vector(block['position'])}")
    given = "" if holder is None else f"{holder} = "
    source = fact.get("path") or block.get("source") or f"built-in/{block['type']}"
    start = f"{given}add({variable}, {quote_text(block['name'])}, {quote_text(source)}"
    writer.lines += _call(start, pairs, ");")
    text = ", ".join(_pairs(parameters))
    row = (block_path(path), fact.get("block_type") or "", fact.get("mask_type") or "", source)
    writer.expected.append(f"{', '.join(quote_text(item) for item in row)}, {{{text}}}")


def _line(
    writer: _Writer, line: Mapping[str, Any], variable: str, names: Mapping[str, str]
) -> None:
    start = line.get("from")
    if start is None:
        return
    for end in _ends(line):
        ends = f"{_port(start, names)}, {_port(end, names)}"
        call = f"wire({variable}, {ends}"
        label = line.get("name")
        writer.lines.append(f"{call}, {quote_text(label)});" if label else f"{call});")


def _ends(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if part.get("to") is not None:
        yield part["to"]
    for branch in part.get("branches") or ():
        yield from _ends(branch)


def _port(end: Mapping[str, Any], names: Mapping[str, str]) -> str:
    kind, index = end["kind"], int(end["index"])
    if kind in PHYSICAL:
        return f"{quote_text(names[end['block']])}, '{_PORTS[kind]}{index}'"
    port = f"'{_PORTS[kind]}'" if kind in CONTROL or kind == "state" else str(index)
    return f"{quote_text(names[end['block']])}, {port}"


def _pairs(values: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{quote_text(key)}, {quote_text(value)}" for key, value in values]


def _call(start: str, pairs: Sequence[str], end: str) -> list[str]:
    """Returns a call on one line, or with one argument pair in each line where that is too long."""
    whole = ", ".join([start, *pairs]) + end
    if len(whole) <= _WIDTH or not pairs:
        return [whole]
    return [f"{start}, ...", *(f"    {pair}, ..." for pair in pairs[:-1]), f"    {pairs[-1]}{end}"]


def _libraries(model: Mapping[str, Any]) -> list[str]:
    """Returns the libraries of the blocks, sorted by name."""
    results: set[str] = {"simulink"}
    waiting = [model["system"]]
    while waiting:
        system = waiting.pop()
        for block in system["blocks"]:
            root = str(block.get("source") or "").split("/")[0]
            if root and root != "built-in":
                results.add(root)
            if block.get("system") is not None:
                waiting.append(block["system"])
    return sorted(results)


def _is_setting(key: str) -> bool:
    return key.isidentifier() and not key.endswith("Fcn")


@cache
def _tail() -> str:
    """Returns the end of every script: functions that add blocks, draw lines, compare results."""
    folder = resources.files(__package__).joinpath("tail")
    return "".join("\n" + folder.joinpath(part).read_text("utf-8") for part in _PARTS)


_HEAD = """\
function report = {function}(varargin)
%{upper} Build a Simulink model.
{about}
%
%   {function}()
%       builds the model, updates its diagram and reads every block back.
%   {function}('File', 'motor.slx', 'Simulate', 100)
%       saves the model and simulates 100 steps.
%
%   Options: 'Layout' (true) lets Simulink arrange the blocks; 'File' ('') is the file to save
%   the model to; 'Overwrite' (false) permits replacing an existing file; 'Simulate' (0) is
%   the number of steps to simulate; 'Beat' ([]) is a function without arguments that is called
%   during the build. A model that cannot be completed is closed.

options = read_options(varargin);
model = begin({model}, options);
half = onCleanup(@() abandon(model)); %#ok<NASGU> also where it is interrupted
try
{libraries}
{body}

    % Block, BlockType, MaskType, library block, and the expected parameters.
    expected = {{
{expected}
        }};
    report = finish(model, expected, options);
catch whole
    report = failure_report(model, whole);
end
is_ended(true);
if nargout == 0
    show(report);
end
end
"""
