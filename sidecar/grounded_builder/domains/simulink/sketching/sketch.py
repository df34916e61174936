"""Connect the blocks that a request names: sources first, sinks last, all else in its order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.plans.sockets import WIDENED
from grounded_builder.domains.simulink.ports import ports_of
from grounded_builder.domains.simulink.sketching.mentions import Mention, mentions_in
from grounded_builder.registry.registry import Registry
from grounded_builder.registry.words import STOP, parts

_LONGEST_GOAL = 300
_MOST = 60
_SHORT = 3
_BETWEEN = re.compile(
    r"(?=\b(?:with|and|through|into|using|then|from|on|onto|to|by|of)\b)|(?<=[,.;\n])",
    re.IGNORECASE,
)
# What only says how blocks are to be put together, or which of their settings.
_HOW = frozenset(
    """
    build make create connect feed lead write save show shown plot display result signal signals
    output outputs input inputs model simulink block blocks value amplitude frequency phase time
    both seconds radians hertz sample rate gain one two three first second order closed loop
    feedback reference plant system
    """.split()
)
_CLOSED = re.compile(r"\b(feedback|closed[- ]loop|control(s|led|ling)?)\b", re.IGNORECASE)
_SUM = "simulink/Math Operations/Sum"
_PLANTS = frozenset({"TransferFcn", "StateSpace", "ZeroPole", "Integrator", "DiscreteTransferFcn"})


def sketch(request: str, registry: Registry) -> Mapping[str, Any]:
    """A plan of the blocks that a request names.

    Parts of the request that name no block are left as clauses without steps.
    """
    found = mentions_in(request, registry)[:_MOST]
    order = sorted(found, key=lambda one: (_rank(one, registry), one.start))
    steps: list[dict[str, Any]] = []
    ids: dict[str, int] = {}
    for one in order:
        base = name = "_".join(one.spec.name.casefold().split())
        number = 1
        while name in ids:
            number += 1
            name = f"{base}_{number}"
        ids[name] = one.start
        steps.append({"id": name, "tool": one.tool, "params": one.params, "inputs": []})
    _connect(order, steps, registry)
    if _CLOSED.search(request):
        _close(order, steps)
    return {
        "version": 1,
        "goal": " ".join(request.split())[:_LONGEST_GOAL],
        "steps": steps,
        "metadata": {"clauses": _clauses(request, ids), "open": []},
    }


def _clauses(request: str, ids: Mapping[str, int]) -> list[dict[str, Any]]:
    """The parts of a request with their steps; one without says more than how, or is left out."""
    clauses = []
    at = 0
    for part in _BETWEEN.split(request):
        here = [name for name, start in ids.items() if at <= start < at + len(part)]
        words = [word for word in parts(part) if word not in STOP | _HOW and not word.isdigit()]
        if here or any(len(word) > _SHORT for word in words):
            clauses.append({"clause": part.strip(), "steps": here})
        at += len(part)
    return clauses


def _rank(one: Mention, registry: Registry) -> int:
    capabilities = registry.tools[one.tool].capabilities
    return 0 if "source" in capabilities else 2 if "sink" in capabilities else 1


def _connect(order: list[Mention], steps: list[dict[str, Any]], registry: Registry) -> None:
    """Lead each signal on: into what takes many all that is loose, else the last one."""
    loose: list[str] = []
    for one, step in zip(order, steps, strict=True):
        rank = _rank(one, registry)
        if rank == 0:
            loose.append(step["id"])
            continue
        takes = len(loose) if one.spec.block_type in WIDENED else _inputs(one)
        step["inputs"] = loose[-takes:] if takes else []
        if rank == 1:
            loose = [known for known in loose if known not in step["inputs"]]
            loose.append(step["id"])


def _inputs(one: Mention) -> int:
    """How many signals a block takes."""
    ports = ports_of(one.spec.block_type, one.spec.path, one.params, one.spec) or one.spec.usual
    return ports.get("in", 0) if ports is not None else 1


def _close(order: list[Mention], steps: list[dict[str, Any]]) -> None:
    """Feed a plant's output back to the controller before it, through a difference."""
    controller = next((n for n, one in enumerate(order) if "PID" in one.spec.name), None)
    if controller is None:
        return
    plants = [n for n, one in enumerate(order) if one.spec.block_type in _PLANTS and n > controller]
    if not plants or not steps[controller]["inputs"]:
        return
    before = steps[controller]["inputs"]
    plant = steps[plants[-1]]["id"]
    error = {
        "id": "error",
        "tool": _SUM,
        "params": {"Inputs": "|+-"},
        "inputs": [*before, {"from": plant, "input": 2, "back": True}],
    }
    steps[controller]["inputs"] = ["error"]
    steps.insert(controller, error)
