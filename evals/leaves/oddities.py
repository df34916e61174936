"""Adds unknown keys and values to a draft, one kind of oddity at a time."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.diagnostics import Route

Plan = dict[str, Any]
Odd = Callable[[Plan, random.Random], Route | None]
# Values of every type, none of which occurs in a plan.
_VALUES: tuple[Any, ...] = (
    "quince",
    "two quinces or more",
    41,
    4.5,
    True,
    False,
    None,
    "",
    [],
    {},
    ["quince"],
    {"quince": 41},
)
_KEYS = (
    "quince",
    "retries",
    "timeout_seconds",
    "description",
    "comment",
    "title",
    "label",
    "why",
    "credentials",
    "position",
    "error_handling",
    "tags",
    "owner",
    "priority",
    "x-note",
    "schedule",
    "trigger",
)


def make_odd(plan: Mapping[str, Any], kind: str, seed: str) -> tuple[Plan, Route | None]:
    """Returns a copy of a draft with one oddity, and its route; None if it does not fit."""
    changed = copy.deepcopy(dict(plan))
    change = ODDITIES.get(kind) or NATIVE_ODDITIES[kind]
    return changed, change(changed, random.Random(f"{kind} {seed}"))


def _pick_step(plan: Plan, rng: random.Random) -> tuple[int, Plan]:
    index = rng.randrange(len(plan["steps"]))
    return index, plan["steps"][index]


def _plan_key(plan: Plan, rng: random.Random) -> Route | None:
    key = rng.choice(_KEYS)
    plan[key] = rng.choice(_VALUES)
    return (key,)


def _plan_known_key(plan: Plan, rng: random.Random) -> Route | None:
    key = rng.choice(
        ("constraints", "metadata", "model", "library", "plan", "tool_calls", "version", "settings")
    )
    plan[key] = rng.choice(_VALUES)
    return (key,)


def _step_key(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key = rng.choice(_KEYS)
    step[key] = rng.choice(_VALUES)
    return ("steps", index, key)


def _same_key_in_each(plan: Plan, rng: random.Random) -> Route | None:
    if len(plan["steps"]) < 2:
        return None
    key = rng.choice(_KEYS)
    for step in plan["steps"]:
        step[key] = f"quince of {step['id']}"
    return ("steps", len(plan["steps"]) - 1, key)


def _known_key_of_wrong_type(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key = rng.choice(
        (
            "id",
            "action",
            "params",
            "inputs",
            "outputs",
            "for",
            "as",
            "in",
            "remarks",
            "version",
            "library",
            "tool",
        )
    )
    step[key] = rng.choice(_VALUES[2:])
    return ("steps", index, key)


def _second_spelling(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key = rng.choice(
        (
            "type",
            "node",
            "name",
            "tool_name",
            "parameters",
            "arguments",
            "args",
            "config",
            "typeVersion",
            "notes",
            "depends_on",
            "after",
            "input",
            "output",
            "function",
        )
    )
    step[key] = rng.choice(("quince", {"quince": 41}, ["quince"], 41))
    return ("steps", index, key)


def _choose_param(plan: Plan, rng: random.Random) -> tuple[int, Any, str] | None:
    """Returns index, step and key of a random parameter; None without any."""
    holders = [
        (index, step)
        for index, step in enumerate(plan["steps"])
        if isinstance(step.get("params"), dict) and step["params"]
    ]
    if not holders:
        return None
    index, step = rng.choice(holders)
    return index, step, rng.choice(sorted(step["params"]))


def _param_on_the_step(plan: Plan, rng: random.Random) -> Route | None:
    choice = _choose_param(plan, rng)
    if choice is None:
        return None
    index, step, key = choice
    if key in step:
        return None
    step["params"] = dict(step["params"])
    step[key] = step["params"].pop(key)
    return ("steps", index, key)


def _step_key_among_params(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key = rng.choice(("for", "as", "inputs", "remarks", "version", "after", "id", "outputs"))
    step["params"] = {**(step.get("params") or {}), key: rng.choice(("quince", 41, ["quince"]))}
    return ("steps", index, "params", key)


def _unknown_param(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key = rng.choice(("quince", "timeout_seconds", "owner", "x-note"))
    step["params"] = {**(step.get("params") or {}), key: rng.choice(_VALUES)}
    return ("steps", index, "params", key)


def _param_of_wrong_type(plan: Plan, rng: random.Random) -> Route | None:
    choice = _choose_param(plan, rng)
    if choice is None:
        return None
    index, step, key = choice
    step["params"] = {**step["params"], key: rng.choice(_VALUES)}
    return ("steps", index, "params", key)


def _param_twice(plan: Plan, rng: random.Random) -> Route | None:
    choice = _choose_param(plan, rng)
    if choice is None:
        return None
    index, step, key = choice
    other = key.upper() if key.upper() != key else key.title()
    step["params"] = {**step["params"], other: "quince"}
    return ("steps", index, "params", other)


def _source_key(plan: Plan, rng: random.Random) -> Route | None:
    holders = [(i, s) for i, s in enumerate(plan["steps"]) if s.get("inputs")]
    if not holders:
        return None
    index, step = rng.choice(holders)
    source = step["inputs"][0]
    entry = dict(source) if isinstance(source, dict) else {"from": source}
    key = rng.choice(
        (
            "quince",
            "back",
            "signal",
            "output",
            "input",
            "port",
            "step",
            "label",
            "condition",
            "type",
        )
    )
    if key in entry:
        return None
    entry[key] = rng.choice(("quince", True, "true", 41, None, ["quince"]))
    step["inputs"] = [entry, *step["inputs"][1:]]
    return ("steps", index, "inputs", 0, key)


def _sourceless_entry(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    if step.get("for"):
        return None
    step["inputs"] = [
        *(step.get("inputs") or []),
        rng.choice(("", None, 41, "quince", {}, {"quince": 1}, ["quince"])),
    ]
    return ("steps", index, "inputs", len(step["inputs"]) - 1)


def _odd_id(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    step["id"] = rng.choice(
        (
            7,
            7.5,
            True,
            None,
            "",
            " ",
            [],
            {"id": "quince"},
            "q'u\"i`n\\ce",
            "$json",
            "q" * 200,
            "quince\nquince",
        )
    )
    return ("steps", index, "id")


def _odd_goal(plan: Plan, rng: random.Random) -> Route | None:
    plan["goal"] = rng.choice((41, ["quince"], {"text": "quince"}, None, "", "quince " * 60))
    return ("goal",)


def _step_of_odd_kind(plan: Plan, rng: random.Random) -> Route | None:
    plan["steps"].append(rng.choice((None, 41, "n8n-nodes-base.noOp", [], {}, ["quince"])))
    return ("steps", len(plan["steps"]) - 1)


def _input_of_sub_node(plan: Plan, rng: random.Random) -> Route | None:
    served = [(i, s) for i, s in enumerate(plan["steps"]) if s.get("for")]
    if not served:
        return None
    index, step = rng.choice(served)
    other = rng.choice(plan["steps"])["id"]
    entry = rng.choice((other, {"from": other, "output": 1}, {"from": step["for"], "input": 2}))
    key = rng.choice(("inputs", "after"))
    step[key] = [entry]
    return ("steps", index, key, 0)


def _setting_twice(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    key, first, second = rng.choice(
        (("retryOnFail", True, False), ("maxTries", 3, 4), ("disabled", False, True))
    )
    step[key] = first
    step["params"] = {**(step.get("params") or {}), key: second}
    return ("steps", index, "params", key)


def _long_action(plan: Plan, rng: random.Random) -> Route | None:
    index, step = _pick_step(plan, rng)
    step["id"] = f"s{index}"
    step["action"] = rng.choice(
        (
            "Fetch every invoice that is overdue by a month, except those of partners, as a list",
            "quince",
            "Quince the list of quinces, sort them by size and then keep the first ten of them",
            "={{ $json.quince }}",
            "step 1",
        )
    )
    return ("steps", index, "action")


def _same_action_in_each(plan: Plan, _: random.Random) -> Route | None:
    for index, step in enumerate(plan["steps"]):
        step["id"], step["action"] = f"s{index}", "Peel all the quinces"
    return ("steps", len(plan["steps"]) - 1, "action")


def _pick_node(draft: Plan, rng: random.Random) -> tuple[int, Plan]:
    nodes = [(i, node) for i, node in enumerate(draft["nodes"]) if isinstance(node, dict)]
    return rng.choice(nodes)


_NODE_KEYS = (*_KEYS, "enabled", "retry_on_fail", "OnError", "maxRetries", "continue_on_fail")


def _native_node_key(draft: Plan, rng: random.Random) -> Route | None:
    index, node = _pick_node(draft, rng)
    key = rng.choice([key for key in _NODE_KEYS if key not in node])
    node[key] = rng.choice((*_VALUES, "continueRegularOutput", True, False))
    return ("nodes", index, key)


def _native_settings_key(draft: Plan, rng: random.Random) -> Route | None:
    settings = draft.setdefault("settings", {})
    key = rng.choice((*_KEYS, "timeZone", "error_workflow", "save_manual_executions"))
    if not isinstance(settings, dict) or key in settings:
        return None
    settings[key] = rng.choice((*_VALUES, "Europe/Berlin", True))
    return ("settings", key)


def _native_known_key_of_wrong_type(draft: Plan, rng: random.Random) -> Route | None:
    index, node = _pick_node(draft, rng)
    key = rng.choice(
        ("retryOnFail", "maxTries", "onError", "disabled", "notes", "executeOnce", "credentials")
    )
    node[key] = rng.choice(_VALUES)
    return ("nodes", index, key)


def _native_parameter(draft: Plan, rng: random.Random) -> Route | None:
    index, node = _pick_node(draft, rng)
    if not isinstance(node.get("parameters", {}), dict):
        return None
    key = rng.choice(("quince", "timeout_seconds", "retryOnFail", "resource", "operation", "text"))
    node["parameters"] = {**node.get("parameters", {}), key: rng.choice(_VALUES)}
    return ("nodes", index, "parameters", key)


def _native_edge(draft: Plan, rng: random.Random) -> Route | None:
    edges = draft.get("connections")
    if not isinstance(edges, dict) or not edges:
        return None
    source = rng.choice(sorted(edges))
    outputs = edges[source].get("main") if isinstance(edges[source], dict) else None
    if not isinstance(outputs, list) or not outputs or not isinstance(outputs[0], list):
        return None
    outputs[0].append(
        rng.choice(
            (
                {"node": "quince", "type": "main", "index": 0},
                {"node": source, "type": "main", "index": 7},
                {"node": source, "type": "quince", "index": 0},
                "quince",
                41,
                {},
                {"node": source, "type": "main", "index": 0, "label": "quince"},
            )
        )
    )
    return ("connections", source, "main", 0, len(outputs[0]) - 1)


NATIVE_ODDITIES: dict[str, Odd] = {
    "key of a node": _native_node_key,
    "key of the settings": _native_settings_key,
    "known key of a node, wrong type": _native_known_key_of_wrong_type,
    "parameter of a node": _native_parameter,
    "entry of a connection": _native_edge,
}

ODDITIES: dict[str, Odd] = {
    "key of a plan": _plan_key,
    "known key of a plan, odd value": _plan_known_key,
    "key of a step": _step_key,
    "same key in each step": _same_key_in_each,
    "known key of a step, wrong type": _known_key_of_wrong_type,
    "second spelling of a key": _second_spelling,
    "parameter on the step": _param_on_the_step,
    "key of a step among parameters": _step_key_among_params,
    "unknown parameter": _unknown_param,
    "parameter, wrong type": _param_of_wrong_type,
    "parameter twice": _param_twice,
    "key of an input": _source_key,
    "odd input": _sourceless_entry,
    "odd id": _odd_id,
    "odd goal": _odd_goal,
    "step of an odd kind": _step_of_odd_kind,
    "input of a sub-node": _input_of_sub_node,
    "setting twice": _setting_twice,
    "long or vague action": _long_action,
    "same action in each step": _same_action_in_each,
}
