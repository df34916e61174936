"""Lead the signals of a request on: through what follows, into what is done to them."""

from __future__ import annotations

import re

from grounded_builder.domains.simulink.keyword_plan.block_order import in_turn
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.pending_inputs import Open, signed
from grounded_builder.domains.simulink.keyword_plan.plan_builder import (
    SketchBuilder,
    Step,
    takes,
    widens,
)
from grounded_builder.domains.simulink.keyword_plan.sinks_and_sensors import shows_error
from grounded_builder.domains.simulink.keyword_plan.stop_words import BOTH
from grounded_builder.domains.simulink.keyword_plan.subsystems import is_conditional, is_inside
from grounded_builder.domains.simulink.keyword_plan.text import Text

_CONTROLS = re.compile(
    r"\b(by|when|if|while|whenever|once|depending on|according to|of)( an?| the)?\s+$",
    re.IGNORECASE,
)
_ENABLES = re.compile(
    r"\b(enabled|triggered|reset|activated) (by|on|with|when)( each| every)?( an?| the)?\s*$"
    r"|\bedges? of( an?| the)?\s*$",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:and|then)\s+(?:then\s+)?(?:apply|send|feed|pass|lead|use|put|run|let)\b[^,;]*$",
    re.IGNORECASE,
)
_SUBSYSTEM = "simulink/Ports & Subsystems/"
_PORTS = {"enable": f"{_SUBSYSTEM}Enable", "trigger": f"{_SUBSYSTEM}Trigger"}
_CONSTANT = "simulink/Sources/Constant"
_SWITCHES = ("Switch", "MultiPortSwitch")


class Chain:
    """Joins the blocks of one request in the order of its words."""

    def __init__(self, text: Text, lexicon: Lexicon, drawing: SketchBuilder) -> None:
        self.text, self.lexicon, self.drawing = text, lexicon, drawing
        self.loose: list[str] = []
        self.error = ""
        self.last: str | None = None
        self._open: list[Open] = []
        self._starved: list[Open] = []
        self._conditions: list[Open] = []
        self._sinks: list[tuple[Step, Mention]] = []

    def lead(self, mentions: list[Mention]) -> None:
        """Lead signals through all of these, in their order."""
        waiting = in_turn(mentions, self.text, self.lexicon)
        while waiting:
            one = waiting.pop(0)
            if is_conditional(one):
                inner = [two for two in waiting if is_inside(two, one, self.text, self.lexicon)]
                waiting = [two for two in waiting if two not in inner]
                self._conditional(one, inner)
            elif self.lexicon.is_source(one.tool):
                self._source(one)
            elif self.lexicon.is_sink(one.tool):
                self._sink(one)
            else:
                self._deed(one, waiting)
        self._close()
        for step, one in self._sinks:
            self._into(step, one)

    def offer(self, name: str) -> None:
        """Lead a signal to what waits for one."""
        self.last = name
        while self._open and self._open[-1].is_full:
            self._open.pop()
        top = self._open[-1] if self._open else None
        if top is not None and top.one.infix == "&" and len(top.step["inputs"]) > 1:
            # A gate has its operands: what follows is theirs.
            top = None if self._starved else top
        if top is not None:
            self._open[-1].step["inputs"].append(name)
            self._finish(self._open[-1])
        elif self._starved:
            self._feed(self._starved[0], name)
        else:
            self.loose.append(name)

    def _feed(self, waiting: Open, name: str) -> None:
        waiting.step["inputs"].append(name)
        if len(waiting.step["inputs"]) >= waiting.wants and not widens(waiting.one):
            self._starved.remove(waiting)

    def _source(self, one: Mention) -> None:
        step = self.drawing.add(one)
        control = self._controlled(one)
        if control is not None:
            waiting, port = control
            waiting.step["inputs"].append({"from": step["id"], "input": port})
            self.last = step["id"]
            return
        self.offer(step["id"])

    def _controlled(self, one: Mention) -> tuple[Open, str | int] | None:
        """The block that a source switches or enables, where the text says so."""
        before = self.text.before(one.start, 40)
        for waiting in (*self._conditions, *reversed(self._open), *reversed(self._starved)):
            ports = waiting.one.spec.ports or {}
            said = _ENABLES.search(before)
            port = next((name for name in ("enable", "trigger") if name in ports), None)
            if said and port is not None:
                return waiting, port
            if waiting.one.kind in _SWITCHES and _CONTROLS.search(before):
                return waiting, 2 if waiting.one.kind == "Switch" else 1
        return None

    def _sink(self, one: Mention) -> None:
        self._close()
        step = self.drawing.add(one)
        if self.loose:
            self._into(step, one)
        else:
            self._sinks.append((step, one))

    def _into(self, step: Step, one: Mention) -> None:
        """Lead what is loose into a sink, and what it comes from where both are asked for."""
        if self.error and shows_error(one, self.text):
            step["inputs"] = [self.error]
            return
        if widens(one):
            taken = list(self.loose)
            if one.copies > 1 and one.copies == len(taken):
                taken = [taken[one.copy]]
            said = self.text.before(one.start, 60) + self.text.after(one.end, 40)
            if BOTH.search(said) and len(taken) == 1:
                taken.insert(0, self.drawing.origin(taken[0], said))
        else:
            taken = self.loose[-max(1, takes(one)) :]
        step["inputs"] = list(dict.fromkeys(taken))

    def _deed(self, one: Mention, following: list[Mention]) -> None:
        wants = takes(one)
        step_one = Open(self.drawing.add(one), one, wants)
        name = step_one.step["id"]
        if one.branches:
            self._decide(step_one)
        elif one.infix:
            self._join(step_one)
        elif one.deed and self._has_operands(following):
            if one.verb:
                self._close()
            self.offer(name)
            self._open.append(step_one)
        else:
            self._through(step_one)

    def _decide(self, one: Open) -> None:
        """Switch between two outcomes by the last signal."""
        self._close()
        name = one.step["id"]
        deciding = self.loose.pop() if self.loose else None
        if deciding is None:
            self.drawing.note(name, "what decides is not told: input 2 of the switch is open")
        else:
            one.step["inputs"].append({"from": deciding, "input": 2})
        for port, outcome in zip((1, 3), one.one.branches, strict=True):
            source = deciding
            if outcome:
                source = self.drawing.put(_CONSTANT, {"Value": outcome})["id"]
            if source is not None:
                one.step["inputs"].append({"from": source, "input": port})
        self.loose.append(name)
        self.last = name

    def _has_operands(self, following: list[Mention]) -> bool:
        """Whether a signal to work on is named behind a deed, before anything ends it."""
        return bool(following) and not self.lexicon.is_sink(following[0].tool)

    def _join(self, one: Open) -> None:
        """What joins two signals takes the last one, and the next."""
        name = one.step["id"]
        top = self._open[-1] if self._open else None
        sums = ("Sum",)
        if top is not None and top.one.kind in sums and one.one.kind in sums:
            # A further summand of a sum that is being listed.
            top.signs.extend("+" * (len(top.step["inputs"]) - len(top.signs)))
            top.signs.append(one.one.infix)
            self.drawing.steps.remove(one.step)
            del self.drawing.places[name]
            return
        if top is not None and top.step["inputs"]:
            one.step["inputs"].append(top.step["inputs"].pop())
            top.step["inputs"].append(name)
        elif self._taker() is not None:
            # What was led on already is joined before that.
            taker = self._taker() or {}
            taker["inputs"] = [name if known == self.last else known for known in taker["inputs"]]
            one.step["inputs"].append(self.last)
        elif self.loose:
            one.step["inputs"].append(self.loose.pop())
            self.loose.append(name)
        else:
            self.loose.append(name)
        self.last = name
        if one.one.kind in sums:
            one.signs += ["+", one.one.infix]
        self._open.append(one)

    def _taker(self) -> Step | None:
        """The block that took the last signal; None where that still leads nowhere."""
        if self.last is None or self.last in self.loose:
            return None
        return next((step for step in self.drawing.steps if self.last in step["inputs"]), None)

    def _through(self, one: Open) -> None:
        """Lead the last signals through a block; what it lacks may follow."""
        name = one.step["id"]
        top = self._open[-1] if self._open else None
        if top is not None and top.one.infix == "&" and len(top.step["inputs"]) == 1:
            # The second operand of a gate, whose own signal follows.
            self._starved.append(one)
            top.step["inputs"].append(name)
            self.last = name
            return
        if top is not None and top.one.verb and _NEXT.search(self.text.before(one.one.start, 60)):
            # What follows is done to what came of it.
            self._close()
            top = None
        operand = 2 if top is not None and top.one.infix == "&" else 1
        whole = top is not None and len(top.step["inputs"]) == operand
        if top is not None and whole and top.wants > 1 and one.wants == 1:
            one.step["inputs"].append(top.step["inputs"].pop())
            top.step["inputs"].append(name)
            self.last = name
            return
        self._close()
        if not one.wants:
            self.loose.append(name)
            return
        count = len(self.loose) if widens(one.one) else one.wants
        taken = self.loose[-count:] if count else []
        one.step["inputs"] += taken
        self.loose = self.loose[: len(self.loose) - len(taken)]
        if len(taken) < one.wants:
            if not taken and self._starved:
                # One behind another, and what drives them comes later.
                one.step["inputs"].append(self.last)
                self.loose = [known for known in self.loose if known != self.last]
            else:
                self._starved.append(one)
        self.loose.append(name)
        self.last = name

    def _finish(self, one: Open) -> None:
        if one.is_full:
            self._open.remove(one)
            signed(one)

    def _close(self) -> None:
        """End what is open: what it lacks is what was loose before."""
        self._starved = [one for one in self._starved if len(one.step["inputs"]) < one.wants]
        while self._open:
            one = self._open.pop()
            name = one.step["id"]
            while len(one.step["inputs"]) < one.wants:
                spare = [known for known in self.loose if known != name]
                if not spare:
                    self._starved.append(one)
                    break
                one.step["inputs"].insert(0, spare[-1])
                self.loose.remove(spare[-1])
            signed(one)

    def _conditional(self, one: Mention, inner: list[Mention]) -> None:
        """A subsystem that runs on a condition, with what is said to lie in it."""
        step = self.drawing.add(one)
        name = step["id"]
        ports = [port for port in ("enable", "trigger") if port in (one.spec.ports or {})]
        waiting = Open(step, one, 1)
        if inner:
            for port in ports:
                self.drawing.put(_PORTS[port], {}, "", name)
            first = last = ""
            for two in inner:
                made = self.drawing.add(two, inside=name)
                made["inputs"] = [last] if last else []
                first, last = first or made["id"], made["id"]
            waiting = Open(self.drawing.step(first), inner[0], 1)
            if not ports and self.loose:
                waiting.step["inputs"].insert(0, self.loose.pop())
                self.loose.append(last)
                self.last = last
                return
            self._conditions.append(Open(step, one, len(ports)))
            self._starved.append(waiting)
            self.loose.append(last)
            self.last = last
            return
        self._conditions.append(waiting)
        self._starved.append(waiting)
        self.loose.append(name)
        self.last = name
