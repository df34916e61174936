"""A model as a plan, with a list of what a plan cannot hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.checks.counts import counts
from grounded_builder.domains.simulink.checks.flow import Flow
from grounded_builder.domains.simulink.checks.networks import Port, joined
from grounded_builder.domains.simulink.checks.view import Item, View, view
from grounded_builder.domains.simulink.document import CONTROL
from grounded_builder.graph import Resolved

_NOT_WORD = re.compile(r"\W+")
# Blocks that a plan makes of lines which pass the border of a subsystem.
_BORDER = frozenset({"Inport", "Outport", "InportShadow", "PMIOPort"})


def as_plan(resolved: Resolved) -> tuple[dict[str, Any], list[str]]:
    """The plan of a model whose names are resolved, and what of the model it does not hold."""
    model = view(resolved)
    flow = Flow(model)
    lost: Counter[str] = Counter()
    ids = _ids(model)
    steps: list[dict[str, Any]] = []
    for diagram in model.judged():
        steps += [_step(item, ids, flow, lost) for item in diagram.items if item in ids]
        _lost_around(diagram.at, model, lost)
    by_id = {step["id"]: step for step in steps}
    for ports in joined(model):
        real = [port for port in ports if port.item in ids]
        for port in real[1:]:
            by_id[ids[port.item]]["inputs"].append(_joint(real[0], port, ids))
    goal = str(model.model.get("name") or "a model")
    told = [f"{count:,} {what}" for what, count in sorted(lost.items())]
    return {"version": 1, "goal": goal, "steps": steps}, told


def _ids(model: View) -> dict[Item, str]:
    """An id for every block that becomes a step, from its name."""
    taken: Counter[str] = Counter()
    ids: dict[Item, str] = {}
    for diagram in model.judged():
        for item in diagram.items:
            if diagram.owner is not None and item.type in _BORDER:
                continue
            word = _NOT_WORD.sub("_", item.block["name"]).strip("_").lower() or "block"
            word = word if not word[0].isdigit() else f"b_{word}"
            taken[word] += 1
            ids[item] = word if taken[word] == 1 else f"{word}_{taken[word]}"
    return ids


def _step(item: Item, ids: Mapping[Item, str], flow: Flow, lost: Counter[str]) -> dict[str, Any]:
    spec = item.spec
    step: dict[str, Any] = {"id": ids[item]}
    step["tool"] = item.block.get("source") or (spec.base if spec is not None else None)
    if step["tool"] is None:
        step["tool"] = item.type
        lost["blocks of a BlockType without a library block"] += 1
    if item.diagram.owner is not None:
        step["in"] = ids[item.diagram.owner]
    parameters = _parameters(item)
    if parameters:
        step["params"] = parameters
    step["inputs"] = list(_inputs(item, ids, flow, lost))
    _lost_of(item, lost)
    return step


def _parameters(item: Item) -> dict[str, str]:
    """What the block says, and what it means by silence where the library says otherwise."""
    silent = {}
    if item.spec is not None and item.spec.bare:
        silent = {
            name: one.builtin
            for name, one in item.spec.parameters.items()
            if one.builtin is not None and one.default is not None and one.builtin != one.default
        }
    return {**silent, **item.parameters()}


def _inputs(
    item: Item, ids: Mapping[Item, str], flow: Flow, lost: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Signals that arrive, from where they are made on the other side of all borders."""
    there = counts(item) or item.block.get("ports") or {}
    if item.inner is not None and item.inner.judged:
        there = {kind: count for kind, count in there.items() if kind in CONTROL}
    for kind in ("in", *sorted(CONTROL)):
        for index in range(1, there.get(kind, 0) + 1):
            source = flow.across(item, index, kind)
            if source is None or source[0] not in ids:
                lost["inputs without a line, or fed by what is not read"] += 1
                continue
            end: int | str = index if kind == "in" else kind
            yield {"from": ids[source[0]], "output": source[1], "input": end}


def _lost_of(item: Item, lost: Counter[str]) -> None:
    block = item.block
    for key, what in (
        ("position", "positions"),
        ("signals", "names of signals"),
        ("mask", "masks"),
        ("element", "parts of buses"),
    ):
        lost[what] += key in block
    lost["properties (colours, callbacks, fonts)"] += len(block.get("properties", ()))
    if item.opaque not in (None, "link"):
        lost["insides of charts, functions and referenced models"] += 1
    elif item.inner is not None and not item.inner.judged:
        lost["insides of variants and links"] += 1
    for name in [key for key, count in lost.items() if not count]:
        del lost[name]


def _lost_around(at: tuple[str | int, ...], model: View, lost: Counter[str]) -> None:
    system: Any = model.model
    for key in at:
        system = system[key]
    lost["notes"] += len(system.get("annotations", ()))
    lost["corners of lines"] += sum("points" in line for line in system["lines"])
    lost["names of signals"] += sum("name" in line for line in system["lines"])
    for name in [key for key, count in lost.items() if not count]:
        del lost[name]


def _joint(hub: Port, port: Port, ids: Mapping[Item, str]) -> dict[str, Any]:
    """A physical connection, as an input from the first port of its node."""
    return {
        "from": ids[hub.item],
        "output": _physical(hub.kind, hub.index),
        "input": _physical(port.kind, port.index),
    }


def _physical(kind: str, index: int) -> str:
    return f"{'LConn' if kind == 'lconn' else 'RConn'}{index}"
