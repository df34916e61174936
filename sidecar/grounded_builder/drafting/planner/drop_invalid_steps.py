"""Take out of a plan what the compiler calls wrong, so that the rest can be judged again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic

_PARAMS_DEPTH = 4
# What somebody forbade is said, never quietly left out.
_MEANT = frozenset({"PolicyError"})


def without_wrong(plan: Mapping[str, Any], said: Iterable[Diagnostic]) -> dict[str, Any] | None:
    """The plan without the parameters, else the steps, that are wrong; None when none is told.

    What followed a step that is taken out follows what it followed; its sub-nodes go with it.
    """
    steps = [dict(step) for step in plan["steps"]]
    gone: set[str] = set()
    changed = False
    for one in said:
        if one.rule.kind != "wrong" or one.at[:1] != ("steps",) or len(one.at) < 2:
            continue
        if one.rule.error_type in _MEANT:
            return None
        step = steps[int(one.at[1])]
        key = one.at[3] if len(one.at) >= _PARAMS_DEPTH and one.at[2] == "params" else None
        if key in step["params"]:
            step["params"] = {k: v for k, v in step["params"].items() if k != key}
            changed = True
        elif one.at[2:3] != ("params",):
            gone.add(step["id"])
    if not gone and not changed:
        return None
    gone |= {step["id"] for step in steps if step.get("for") in gone}
    sources = {step["id"]: step.get("inputs", []) for step in steps}
    kept = [_fed(step, sources, gone) for step in steps if step["id"] not in gone]
    clauses = [
        {**one, "steps": [step for step in one["steps"] if step not in gone]}
        for one in plan["metadata"]["clauses"]
    ]
    return {**plan, "steps": kept, "metadata": {**plan["metadata"], "clauses": clauses}}


def _fed(step: dict[str, Any], sources: Mapping[str, list[Any]], gone: set[str]) -> dict[str, Any]:
    if "inputs" not in step:
        return step
    inputs: list[Any] = []
    for source in step["inputs"]:
        for one in _behind(source, sources, gone, set()):
            if one not in inputs and _name(one) != step["id"]:
                inputs.append(one)
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
    found = []
    for before in sources[name]:
        for one in _behind(before, sources, gone, seen | {name}):
            is_back = isinstance(source, dict) and source.get("back")
            plain = one if isinstance(one, dict) else {"from": one}
            found.append({**plain, "back": True} if is_back else one)
    return found


def _name(source: Any) -> str:
    return str(source["from"] if isinstance(source, dict) else source)
