"""Take out of a plan what the compiler calls wrong, so that the rest can be judged again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic

_PARAMS_DEPTH = 4
# What somebody forbade is said, never quietly left out.
_MEANT = frozenset({"PolicyError"})


def without_wrong(
    plan: Mapping[str, Any], diagnostics: Iterable[Diagnostic]
) -> dict[str, Any] | None:
    """Returns the plan without the wrong parameters, else steps; None when none is located.

    Each parameter that is left out is an open point with its reason.
    What followed a step that is taken out follows what it followed; its sub-nodes go with it.
    """
    steps = [dict(step) for step in plan["steps"]]
    dropped: set[str] = set()
    notes: list[dict[str, str]] = []
    changed = False
    for diagnostic in diagnostics:
        if (
            diagnostic.rule.kind != "wrong"
            or diagnostic.at[:1] != ("steps",)
            or len(diagnostic.at) < 2
        ):
            continue
        if diagnostic.rule.error_type in _MEANT:
            return None
        step = steps[int(diagnostic.at[1])]
        key = (
            diagnostic.at[3]
            if len(diagnostic.at) >= _PARAMS_DEPTH and diagnostic.at[2] == "params"
            else None
        )
        if key in step["params"]:
            step["params"] = {k: v for k, v in step["params"].items() if k != key}
            text = f'"{key}" of {_title(step["tool"])} was left out: {diagnostic.message}'
            notes.append({"step": step["id"], "text": text})
            changed = True
        elif diagnostic.at[2:3] != ("params",):
            dropped.add(step["id"])
    if not dropped and not changed:
        return None
    dropped |= {step["id"] for step in steps if step.get("for") in dropped}
    sources = {step["id"]: step.get("inputs", []) for step in steps}
    results = [_reconnect(step, sources, dropped) for step in steps if step["id"] not in dropped]
    clauses = [
        {**clause, "steps": [step for step in clause["steps"] if step not in dropped]}
        for clause in plan["metadata"]["clauses"]
    ]
    metadata = {
        **plan["metadata"],
        "clauses": clauses,
        "open": [*plan["metadata"].get("open", ()), *notes],
    }
    return {**plan, "steps": results, "metadata": metadata}


def _title(tool: str) -> str:
    return tool.rsplit("/", 1)[-1].rsplit(".", 1)[-1]


def _reconnect(
    step: dict[str, Any], sources: Mapping[str, list[Any]], gone: set[str]
) -> dict[str, Any]:
    if "inputs" not in step:
        return step
    inputs: list[Any] = []
    for source in step["inputs"]:
        for item in _behind(source, sources, gone, set()):
            if item not in inputs and _name(item) != step["id"]:
                inputs.append(item)
    return {**step, "inputs": inputs}


def _behind(
    source: Any, sources: Mapping[str, list[Any]], gone: set[str], seen: set[str]
) -> list[Any]:
    """A source, or what lies behind it where it is taken out; an edge back stays one."""
    name = _name(source)
    if name not in gone:
        return [source]
    if name in seen:
        return []
    results = []
    for before in sources[name]:
        for item in _behind(before, sources, gone, seen | {name}):
            is_back = isinstance(source, dict) and source.get("back")
            plain = item if isinstance(item, dict) else {"from": item}
            results.append({**plain, "back": True} if is_back else item)
    return results


def _name(source: Any) -> str:
    return str(source["from"] if isinstance(source, dict) else source)
