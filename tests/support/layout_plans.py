"""Makes plans of every shape that a layout must handle, over invented nodes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from grounded_builder.catalog.registry import Registry
from tests.support.catalogs import add_end_line, header, jsonl
from tests.support.registries import registry_from

Line = dict[str, Any]

_SUBS = ("model", "memory", "helper", "parser", "retriever", "extra")
_LONG = (
    "Send the weekly summary of every open invoice to the accounts team",
    "Ask again",
    "Look up the customer in the warehouse by the number in the mail",
    "Store",
)


def _tool(name: str, inputs: list[Line], outputs: list[Line], **facts: Any) -> Line:
    variant = {"versions": [1], "inputs": inputs, "outputs": outputs, "parameters": []} | facts
    entries = {"kind": "tool", "id": f"acme-nodes.{name}", "name": name.title()}
    return entries | {"package": "acme-nodes", "variants": [variant]}


def _ports(count: int, *names: str) -> list[Line]:
    labels = [*names, *[""] * (count - len(names))]
    return [{"kind": "main"} | ({"name": label} if label else {}) for label in labels]


def make_layout_registry() -> Registry:
    """Returns a registry of nodes with every number and kind of ports."""
    sub_inputs = [
        {"kind": f"ai_{kind}", "name": kind.title(), "required": kind == "model"} for kind in _SUBS
    ]
    tools = [
        _tool("start", [], _ports(1), traits={"trigger": True}),
        _tool("step", _ports(1), _ports(1)),
        _tool("fork", _ports(1), _ports(2, "true", "false")),
        _tool("choice", _ports(1), _ports(8, "Invoice", "Complaint about a delivery", "Spam")),
        _tool("risky", _ports(1), _ports(2, "Success", "Error")),
        _tool("loop", _ports(1), _ports(2, "done", "loop")),
        _tool("merge", _ports(2, "Input 1", "Input 2"), _ports(1)),
        _tool("join", _ports(5, *(f"Input {i + 1}" for i in range(5))), _ports(1)),
        *(
            _tool(f"agent{count}", [*_ports(1), *sub_inputs[:count]], _ports(1))
            for count in range(1, 7)
        ),
        *(_tool(kind, [], [{"kind": f"ai_{kind}"}]) for kind in _SUBS),
        _tool("shelf", [{"kind": "ai_model", "name": "Model"}], [{"kind": "ai_retriever"}]),
    ]
    note = _tool("note", [], [])
    note |= {"id": "n8n-nodes-base.stickyNote", "package": "n8n-nodes-base", "name": "Sticky Note"}
    packages = [{"name": "acme-nodes", "version": "1.2.0", "community": True}]
    packages.append({"name": "n8n-nodes-base", "version": "1.0.0", "community": False})
    return registry_from(jsonl(add_end_line([header(packages=packages), *tools, note])))


def make_layout_plan(seed: int) -> Line:
    """Returns the plan with this number, which is reproducible and differs from the others."""
    return _Drawing(Random(seed)).plan(seed)


class _Drawing:
    """Builds one plan; an end is a step and the output at which it continues."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._steps: list[Line] = []
        self._most = 0

    def plan(self, seed: int) -> Line:
        pick = self._random
        self._most = pick.randint(6, 40)
        ends: list[Line] = []
        for _ in range(pick.choice((1, 1, 1, 2, 3))):
            start = self._add("start", [])
            ends.append(self._grow({"from": start, "output": 0}, 0))
        if len(ends) > 1 and pick.random() < 0.7:
            self._grow({"from": self._add("join", ends[:5]), "output": 0}, 1)
        for _ in range(pick.choice((0, 0, 0, 1, 2))):
            self._grow({"from": self._add("step", []), "output": 0}, 2)
        self._skip()
        return {"version": 1, "goal": f"Layout {seed}", "steps": self._steps}

    def _add(self, tool: str, inputs: list[Line], **facts: Any) -> str:
        number = len(self._steps)
        step: Line = {"id": f"{tool}_{number}", "tool": f"acme-nodes.{tool}", "inputs": inputs}
        if self._random.random() < 0.4:
            step["action"] = f"{self._random.choice(_LONG)} {number}"
        self._steps.append(step | facts)
        return str(step["id"])

    def _grow(self, end: Line, depth: int) -> Line:
        """Adds parts after an end; returns the new end."""
        for _ in range(self._random.randint(1, 4 - min(depth, 3))):
            if len(self._steps) > self._most:
                end = self._step(end, depth)
                break
            parts: list[Callable[[Line, int], Line]] = [self._step, self._step, self._agent]
            if depth < 3 and len(self._steps) < self._most:
                parts += [self._branch, self._diamond, self._loop, self._choose, self._fail]
            end = self._random.choice(parts)(end, depth)
        return end

    def _step(self, end: Line, _depth: int) -> Line:
        return {"from": self._add("step", [end]), "output": 0}

    def _agent(self, end: Line, _depth: int) -> Line:
        count = self._random.randint(1, 6)
        agent = self._add(f"agent{count}", [end])
        for kind in _SUBS[:count]:
            if kind == "retriever" and self._random.random() < 0.5:
                shelf = self._serve("shelf", agent)
                self._serve("model", shelf)
            else:
                self._serve(kind, agent)
        return {"from": agent, "output": 0}

    def _serve(self, tool: str, host: str) -> str:
        step = self._add(tool, [], **{"for": host})
        del self._steps[-1]["inputs"]
        return step

    def _branch(self, end: Line, depth: int) -> Line:
        fork = self._add("fork", [end])
        self._grow({"from": fork, "output": 0}, depth + 1)
        return self._grow({"from": fork, "output": 1}, depth + 1)

    def _diamond(self, end: Line, depth: int) -> Line:
        fork = self._add("fork", [end])
        first: Line = {"from": fork, "output": 0}
        if self._random.random() < 0.7:
            first = self._grow(first, depth + 1)
        second = self._grow({"from": fork, "output": 1}, depth + 1)
        return {"from": self._add("merge", [first, second]), "output": 0}

    def _choose(self, end: Line, depth: int) -> Line:
        choice = self._add("choice", [end])
        used = self._random.sample(range(8), self._random.randint(2, 6))
        ends = [self._grow({"from": choice, "output": i}, depth + 1) for i in sorted(used)]
        if self._random.random() < 0.5:
            return {"from": self._add("join", ends[:5]), "output": 0}
        return ends[0]

    def _fail(self, end: Line, depth: int) -> Line:
        risky = self._add("risky", [end])
        self._grow({"from": risky, "output": 1}, depth + 1)
        return {"from": risky, "output": 0}

    def _loop(self, end: Line, depth: int) -> Line:
        loop = self._add("loop", [end])
        last = self._grow({"from": loop, "output": 1}, depth + 1)
        step = next(step for step in self._steps if step["id"] == loop)
        step["inputs"].append(last | {"back": True})
        return {"from": loop, "output": 0}

    def _skip(self) -> None:
        """Adds an earlier step as a second input of a later step."""
        line = [step for step in self._steps if step.get("inputs") and "for" not in step]
        if len(line) > 4 and self._random.random() < 0.3:
            early, late = sorted(self._random.sample(range(len(line)), 2))
            if late - early > 1:
                line[late]["inputs"].append({"from": line[early]["id"], "output": 0})
