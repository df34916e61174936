"""Draw the steps of a plan: one after the other, in branches, in loops."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.planner.clauses import Clause
from grounded_builder.planner.conditions import condition_in, field_named
from grounded_builder.planner.entities import values_in
from grounded_builder.planner.meaning import Meaning, Reference, Task
from grounded_builder.planner.starting import Start
from grounded_builder.planner.timing import duration_in, schedule_in
from grounded_builder.planner.toolbox import Pick, Toolbox

_UNLESS = re.compile(r"^unless\b", re.IGNORECASE)
_GATE = re.compile(r"^only\b", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:with|including|containing)\s+(?:the|its|their|his|her)\s+"
    r"([a-z]+(?:\s+(?!of|from|in|to|and|by|on|for)[a-z]+)?)(?=\s+(?:of|from|in|to|and|by|on|for)\b|[,.]|$)",
    re.IGNORECASE,
)
_LONGEST_ACTION = 80
_LONGEST_TASK = 300
_HOLDS, _ELSE = 0, 1


@dataclass(frozen=True, slots=True)
class End:
    """A place that the next step follows: a step, and which output of it."""

    step: str
    output: int | None = None

    def source(self) -> Any:
        """As an input of a plan's step."""
        return self.step if self.output is None else {"from": self.step, "output": self.output}


@dataclass(slots=True)
class _Decision:
    step: str
    sentence: int
    gate: bool
    turned: bool
    then: list[End] | None = None


@dataclass(slots=True)
class _Loop:
    step: dict[str, Any]
    sentence: int
    body: int = 0


@dataclass(slots=True)
class Drawing:
    """The steps drawn so far; ``ends`` are what the next step follows."""

    box: Toolbox
    steps: list[dict[str, Any]] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    _starts: int = 0
    _decision: _Decision | None = None
    _loop: _Loop | None = None

    def draw(self, clause: Clause, picks: list[Pick]) -> list[str]:
        """Add a clause's steps; the ids of the steps that stand for it."""
        self._turn(clause)
        ids = [one for pick in picks if (one := self._stands(clause, pick)) is not None]
        if ids and clause.role == "if":
            turned = bool(_UNLESS.match(clause.text))
            gate = bool(_GATE.match(clause.text))
            self._decision = _Decision(ids[-1], clause.sentence, gate, turned)
            self.ends = [End(ids[-1], _ELSE if turned else _HOLDS)]
        if ids and clause.role == "each":
            self._close_loop()
            self._loop = _Loop(self.steps[-1], clause.sentence)
        return ids

    def _stands(self, clause: Clause, pick: Pick) -> str | None:
        """The step for a pick; what starts a graph stands in it once, and only first."""
        if self.steps and self.box.is_trigger(pick.tool):
            same = (step["id"] for step in self.steps if step["tool"] == pick.tool)
            return next(same, None)
        return self._step(clause, pick)

    def start(self, clause: Clause, start: Start) -> list[str]:
        """Put what starts the graph first; a further one begins a line of its own."""
        self._turn(clause)
        before = next((one for one in self.steps if one["tool"] == start.pick.tool), None)
        if before is not None:
            return [str(before["id"])]
        beside = self.ends if len(self.steps) == self._starts else []
        self.ends = []
        self._starts += 1
        made = self._step(clause, start.pick)
        self.ends = [*beside, *self.ends]
        return [made]

    def finish(self) -> None:
        """Close what is still open."""
        self._close_loop()

    def host(self, tool: str, sub: dict[str, Any]) -> None:
        """Put a tool at the end of the line for a sub-node that has no place; it hangs there."""
        step: dict[str, Any] = {
            "id": f"{sub['id']}h",
            "tool": tool,
            "action": sub["action"],
            "params": {},
            "preset": {},
        }
        if self.ends:
            step["inputs"] = [end.source() for end in self.ends]
        self.ends = [End(step["id"])]
        self.steps.append(step)

    def _turn(self, clause: Clause) -> None:
        """Go over to the other branch, out of a decision, or out of a loop."""
        decision = self._decision
        if decision is not None and clause.role == "else":
            if decision.then is None:
                decision.then = self.ends
                self.ends = [End(decision.step, _HOLDS if decision.turned else _ELSE)]
            decision.sentence = clause.sentence
        elif decision is not None and clause.sentence != decision.sentence:
            other = decision.then
            if other is None and not decision.gate:
                other = [End(decision.step, _HOLDS if decision.turned else _ELSE)]
            self.ends = list(dict.fromkeys([*self.ends, *(other or ())]))
            self._decision = None
        loop = self._loop
        if loop is not None and loop.body and clause.sentence != loop.sentence:
            self._close_loop()
        elif loop is not None and not loop.body:
            loop.sentence = clause.sentence

    def _close_loop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None or not loop.body:
            return
        loop.step.setdefault("inputs", []).extend(
            {**({"output": end.output} if end.output is not None else {}),
             "from": end.step, "back": True}
            for end in self.ends
        )  # fmt: skip
        self.ends = [End(loop.step["id"])]

    def _step(self, clause: Clause, pick: Pick) -> str:
        params = {**pick.params}
        serves = self.box.serves(pick.tool, params)
        before = self.steps[-1] if self.steps else None
        alike = before is not None and before["tool"] == pick.tool and clause.role == "act"
        if before is not None and alike and not (pick.params and before["preset"] != pick.params):
            before["action"] = f"{before['action']}, {clause.text}"[:_LONGEST_ACTION]
            before["params"].update(self._told(clause, pick, before["params"]))
            return str(before["id"])
        params.update(self._told(clause, pick, params))
        step: dict[str, Any] = {
            "id": f"s{len(self.steps) + 1}",
            "tool": pick.tool,
            "action": clause.text[:_LONGEST_ACTION],
            "params": params,
            "preset": dict(pick.params),
        }
        self.said[step["id"]] = pick.said
        if not serves:
            if self.ends:
                step["inputs"] = [end.source() for end in self.ends]
            self.ends = [End(step["id"])]
            if self._loop is not None:
                self._loop.body += 1
        self.steps.append(step)
        return str(step["id"])

    def _told(self, clause: Clause, pick: Pick, params: Mapping[str, Any]) -> dict[str, Any]:
        """What the clause says for the parameters of a step that takes it."""
        spec, made = self.box.spec(pick.tool), dict(params)
        added: dict[str, Any] = {}
        for meaning in self._meanings(clause, pick):
            told = self.box.domain.speech.express(spec, made, meaning)
            fresh = {key: value for key, value in told.items() if key not in made}
            made.update(fresh)
            added.update(fresh)
        return added

    def _follows_start(self) -> bool:
        """Whether what comes next has nothing before it but what starts a talk."""
        alone = {end.step for end in self.ends}
        tools = [step["tool"] for step in self.steps if step["id"] in alone]
        starts = set(self.box.domain.speech.starters.values())
        return bool(tools) and starts.issuperset(tools)

    def _meanings(self, clause: Clause, pick: Pick) -> list[Meaning]:
        if clause.role == "if":
            condition = condition_in(clause.text)
            return [condition] if condition is not None else []
        found: list[Meaning] = []
        if self.box.takes(pick.tool, pick.params) and not self._follows_start():
            found.append(Task(clause.text[:_LONGEST_TASK]))
        if self.box.is_trigger(pick.tool):
            schedule = schedule_in(clause.text)
            found += [schedule] if schedule is not None else []
        elif not pick.said:
            duration = duration_in(clause.text)
            found += [duration] if duration is not None else []
        values = values_in(clause.text)
        found += values
        told = _TOLD.search(clause.text)
        source = next((end.step for end in reversed(self.ends) if end.output is None), None)
        if told and source and not any(value.kind == "message" for value in values):
            found.append(Reference("message", source, field_named(told[1])))
        return found
