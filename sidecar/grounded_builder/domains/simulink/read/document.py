"""Defines the JSON shape of a model; iterates its systems and line ends; finds block tools.

A model is a tree of systems. Every text that a file holds as text stays text, parameters included:
``"Gain": "2"``; nothing is evaluated. Routes into it look like
``("system", "blocks", 3, "system", "lines", 0, "branches", 1)``::

    {"simulink": 1, "kind": "model", "name": "servo", "release": "R2024b", "layout": "slx",
     "settings": {"Solver": "ode45"}, "defaults": {"Gain": {"Gain": "1"}},
     "system": {
       "blocks": [
         {"sid": "1", "name": "Sine", "type": "Sin",
          "source": "simulink/Sources/Sine Wave", "parameters": {"Frequency": "10"}},
         {"sid": "2", "name": "Inner", "type": "SubSystem", "ports": {"in": 1},
          "system": {"blocks": [...], "lines": [...]}}],
       "lines": [
         {"from": {"block": "1", "kind": "out", "index": 1}, "name": "angle",
          "branches": [{"to": {"block": "2", "kind": "in", "index": 1}}]}],
       "annotations": [{"text": "a note", "position": [10, 10, 50, 30]}]}}

Of a model, ``kind`` is that of the file: model, library or subsystem. ``defaults`` are the
parameters by BlockType that the file states once for all blocks of the type: they stand between a
block's own and the built-in ones. ``functions`` is the code of MATLAB Functions by the path of
their block, white space in it as one blank.

Of a block, ``sid`` is unique in the model. ``linked`` says that ``source`` is a live library link,
not where the block was copied from. ``parameters`` are the block's own and those of its mask,
``properties`` those that every block has (Position, Orientation, ShowName, colours, callbacks).
``ports`` counts ports by kind where the file says so. ``signals`` names outputs by their index as
text. ``element``, a ``bus`` and a ``path`` within it, is of a port block that stands for a part of
a bus: several then share one number. ``opaque`` says why what is inside is not read: ``chart``
(Stateflow), ``function`` (MATLAB Function), ``s-function``, ``model`` (the file of a referenced
model or subsystem), ``link`` (a library's), ``protected``.

A ``mask`` declares its ``type`` and its ``parameters``. ``kinds`` are those of parameters that are
no evaluated texts: ``switch``, ``choice`` of the ``options``, ``text``. ``modifies`` says that its
code may change what is inside; the code is in ``initialization`` and ``display``.

A line leads from one output to any number of inputs, or is a ``physical`` connection, which has no
direction: ``from`` is but the end that the file writes first. The ``block`` of an end is the sid of
one of the same system, its ``index`` counts from 1. A branch ends at ``to``, forks again into
``branches``, or dangles with neither. Its ``points`` are its corners as steps from where it begins;
``backwards`` says that it begins at its own end and runs to the fork, as physical ones may.
The ``position`` of a note is left, top, right, bottom, or left, top.

A block is of the tool ``source``, the library path it is linked to or was copied from; without one
it is of the tool ``built-in/<type>``, which is Simulink's own name for the bare BlockType: in
files, blocks of the base library are written so, and a parameter that is left out then means the
built-in default, not that of the library (``tool_of``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route

SHAPE = 1
BUILT_IN = "built-in"

# In the order of the vector ``Ports`` in files. ``ifaction`` is the port of an If Action Subsystem;
# ``lconn`` and ``rconn`` are physical.
PORT_KINDS = tuple("in out enable trigger state lconn rconn ifaction reset event".split())
PHYSICAL: frozenset[str] = frozenset({"lconn", "rconn"})
# Ports of which a block has one at most, counted among its inputs when drawn.
CONTROL: frozenset[str] = frozenset({"enable", "trigger", "ifaction", "reset", "event"})


def tool_of(block: Mapping[str, Any]) -> str | None:
    """Returns the catalog's id of a block's tool; None where the block does not name it.

    Ids are library paths with every run of white space as one blank.
    """
    source, kind = block.get("source"), block.get("type")
    if isinstance(source, str) and source:
        return " ".join(source.split())
    return f"{BUILT_IN}/{kind}" if isinstance(kind, str) and kind else None


def systems(model: Mapping[str, Any]) -> Iterator[tuple[Route, tuple[str, ...], Mapping[str, Any]]]:
    """Yields every system with its route and the names of the blocks around it, outermost first."""
    waiting: list[tuple[Route, tuple[str, ...], Mapping[str, Any]]] = [
        (("system",), (), model["system"])
    ]
    while waiting:
        route, path, system = waiting.pop()
        yield route, path, system
        waiting += [
            ((*route, "blocks", index, "system"), (*path, block["name"]), block["system"])
            for index, block in reversed(list(enumerate(system["blocks"])))
            if block.get("system") is not None
        ]


def ends(line: Mapping[str, Any], at: Route) -> Iterator[tuple[Route, Mapping[str, Any] | None]]:
    """Yields every end of a line with its route; None for a dangling end."""
    waiting: list[tuple[Route, Mapping[str, Any]]] = [(at, line)]
    while waiting:
        route, part = waiting.pop()
        branches = part.get("branches") or ()
        if part.get("to") is not None:
            yield (*route, "to"), part["to"]
        elif not branches:
            yield route, None
        waiting += [
            ((*route, "branches", index), branches[index])
            for index in reversed(range(len(branches)))
        ]


def block_path(names: tuple[str, ...]) -> str:
    """Returns a path as Simulink writes it: names joined by slashes, a slash in a name doubled."""
    return "/".join(name.replace("/", "//") for name in names)
