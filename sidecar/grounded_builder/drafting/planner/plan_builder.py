"""Draw the steps of a plan: one after the other, in branches, in loops."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.drafting.planner.clauses import Clause
from grounded_builder.drafting.planner.conditions import choice_in
from grounded_builder.drafting.planner.step_parameters import before_of, parameters_from_clause
from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.drafting.planner.triggers import Start
from grounded_builder.ir.intent import Choice

_UNLESS = re.compile(r"^unless\b", re.IGNORECASE)
_GATE = re.compile(r"^only\b", re.IGNORECASE)
_PARALLEL = re.compile(r"\b(?:in parallel|at the same time|simultaneously)\b", re.IGNORECASE)
_LONGEST_ACTION = 80
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
class _Ways:
    step: str
    values: tuple[str, ...]
    used: list[End] = field(default_factory=list)


@dataclass(slots=True)
class _Loop:
    step: dict[str, Any]
    sentence: int
    body: int = 0


@dataclass(slots=True)
class PlanBuilder:
    """The steps drawn so far; ``ends`` are what the next step follows."""

    box: Toolbox
    steps: list[dict[str, Any]] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    _starts: int = 0
    _offers: bool = False
    _decision: _Decision | None = None
    _loop: _Loop | None = None
    _ways: _Ways | None = None
    _last: list[End] | None = None

    def draw(self, clause: Clause, picks: list[Pick]) -> list[str]:
        """Add a clause's steps; the ids of the steps that stand for it."""
        self._turn(clause)
        way = self._way(clause)
        beside = self._beside(clause)
        ids = self._drawn(clause, picks)
        if beside is not None and ids:
            self.ends = list(dict.fromkeys([*beside, *self.ends]))
        if way is not None and ids:
            way.used = list(dict.fromkeys([*way.used, *self.ends]))
        choice = choice_in(clause.text) if ids and clause.role == "act" else None
        if choice is not None and self._tells(ids[-1], choice):
            self._ways = _Ways(ids[-1], choice.values)
        if ids and clause.role == "if":
            turned = bool(_UNLESS.match(clause.text))
            gate = bool(_GATE.match(clause.text))
            self._decision = _Decision(ids[-1], clause.sentence, gate, turned)
            self.ends = [End(ids[-1], _ELSE if turned else _HOLDS)]
        if ids and clause.role == "each":
            self._close_loop()
            self._loop = _Loop(self.steps[-1], clause.sentence)
        return ids

    @property
    def is_closed(self) -> bool:
        """Whether nothing can follow: all that starts offers tools and leads nowhere."""
        return self._offers and not self.ends

    def _tells(self, step: str, choice: Choice) -> bool:
        """Whether the last step is this one and parts the ways by these values."""
        last = self.steps[-1]
        spec = self.box.spec(last["tool"])
        return last["id"] == step and bool(
            self.box.domain.prompting.parameters_for(spec, {}, choice)
        )

    def _offered(self, pick: Pick) -> Pick | None:
        """What stands for a pick where the only start offers tools and leads nowhere."""
        if pick.serves or self.box.serves(pick.tool, pick.params):
            return pick
        kinds = self.box.takes(self.steps[0]["tool"])
        variants = (one for kind in kinds if (one := self.box.variant(pick.tool, kind)))
        tool = next(variants, None)
        return Pick(tool, {}, pick.said) if tool is not None else None

    def _drawn(self, clause: Clause, picks: list[Pick]) -> list[str]:
        """The steps of a clause, one behind the other, or all behind the same in parallel."""
        if not _PARALLEL.search(clause.text):
            self._last = list(self.ends)
            return [one for pick in picks if (one := self._stands(clause, pick)) is not None]
        ids: list[str] = []
        before, ends = list(self.ends), list[End]()
        for pick in picks:
            self.ends = list(before)
            made = self._stands(clause, pick)
            ids += [made] if made is not None else []
            ends += [end for end in self.ends if end not in before]
        self.ends = ends or before
        return ids

    def _way(self, clause: Clause) -> _Ways | None:
        """Go to the output of the value that a clause names; behind all of them where it names
        none.
        """
        ways = self._ways
        if ways is None:
            return None
        said = clause.text.casefold()
        for number, value in enumerate(ways.values):
            if re.search(rf"\b{re.escape(value.casefold())}", said):
                self.ends = [End(ways.step, number)]
                return ways
        open_ways = [End(ways.step, number) for number in range(len(ways.values))]
        self.ends = ways.used or open_ways
        self._ways = None
        return None

    def _beside(self, clause: Clause) -> list[End] | None:
        """Step back before the last clause where this one is to be done at the same time."""
        if self._last is None or not clause.beside:
            return None
        beside, self.ends = self.ends, self._last
        return beside

    def _stands(self, clause: Clause, pick: Pick) -> str | None:
        """The step for a pick; what starts a graph stands in it once, and only first."""
        if self.steps and self.box.is_trigger(pick.tool):
            same = (step["id"] for step in self.steps if step["tool"] == pick.tool)
            return next(same, None)
        if self.is_closed:
            offered = self._offered(pick)
            return self._step(clause, offered) if offered is not None else None
        return self._step(clause, pick)

    def start(self, clause: Clause, start: Start) -> list[str]:
        """Put what starts the graph first; a further one begins a line of its own."""
        self._turn(clause)
        before = next((step for step in self.steps if step["tool"] == start.pick.tool), None)
        if before is not None:
            return [str(before["id"])]
        beside = self.ends if len(self.steps) == self._starts else []
        self.ends = []
        self._starts += 1
        made = self._step(clause, start.pick, start.said)
        if self.box.takes(start.pick.tool):
            self.ends, self._offers = [], True
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

    def _step(self, clause: Clause, pick: Pick, action: str = "") -> str:
        params = {**pick.params}
        serves = self.box.serves(pick.tool, params)
        before = self.steps[-1] if self.steps else None
        alike = before is not None and before["tool"] == pick.tool and clause.role == "act"
        if before is not None and alike and not (pick.params and before["preset"] != pick.params):
            before["action"] = f"{before['action']}, {clause.text}"[:_LONGEST_ACTION]
            before["params"].update(
                parameters_from_clause(clause, pick, before["params"], None, self.box)
            )
            return str(before["id"])
        source = before_of(self.steps, [end.step for end in self.ends], self.box)
        params.update(parameters_from_clause(clause, pick, params, source, self.box))
        step: dict[str, Any] = {
            "id": f"s{len(self.steps) + 1}",
            "tool": pick.tool,
            "action": "" if serves else (action or clause.text)[:_LONGEST_ACTION],
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
