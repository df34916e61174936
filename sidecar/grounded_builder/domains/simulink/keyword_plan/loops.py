"""Close the loops of a request: a reference, a controller, its plant, and the way back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder, Step
from grounded_builder.domains.simulink.keyword_plan.text import Text

_LOOP = re.compile(
    r"\b(feedback|fed back|closed[- ]loop|loop|control(s|led|ling)?|controllers?|regulat\w+|"
    r"cascade|set[- ]?point)\b",
    re.IGNORECASE,
)
_FEEDBACK = re.compile(r"\b(feedback|fed back|closed[- ]loop)\b", re.IGNORECASE)
# Where signals of a loop meet, and what they are called there.
_JUNCTION = re.compile(
    r"\b(comparison (?:point|element)|summing (?:point|junction|node|element)|summation point|"
    r"fed back|(?:measured|process|controlled|manipulated) (?:value|variable)|feedback path|"
    r"forward path|error signal|control error|feed[- ]?forward)\b",
    re.IGNORECASE,
)
_WITH = re.compile(r"\s*(?:with|of)(?: an?| the)?\s*", re.IGNORECASE)
_AHEAD = re.compile(r"\bfeed[- ]?forward\b", re.IGNORECASE)
_OPEN = re.compile(r"\bopen[- ]loop\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\b(reference|set[- ]?point|target|desired|command|demand)\b", re.IGNORECASE
)
_SET_POINT = re.compile(
    r"\b(?:reference|set[- ]?point|target|desired)(?: (?:value|speed|position|temperature|level))?"
    r"\s*(?:of|is|=|:|at)?\s+",
    re.IGNORECASE,
)
_DISTURBANCE = re.compile(r"\b(disturb\w*|load (step|torque|change)|noise)\b", re.IGNORECASE)
_AT_OUTPUT = re.compile(r"\b(output|measurement|measured|sensor)\b", re.IGNORECASE)
_INNER, _OUTER = re.compile(r"\binner\b", re.IGNORECASE), re.compile(r"\bouter\b", re.IGNORECASE)
_BACKWARD = re.compile(r"\b(feedback|measured|measurement|sensor)\b", re.IGNORECASE)
_SUM = "simulink/Math Operations/Sum"
_PLANTS = frozenset(
    "TransferFcn StateSpace ZeroPole Integrator SecondOrderIntegrator DiscreteTransferFcn "
    "DiscreteStateSpace DiscreteZeroPole".split()
)


def is_controller(one: Mention) -> bool:
    """Whether a block sets what drives a plant by the error."""
    named = ("PID Controller", "Discrete PID Controller", "Transfer Fcn Lead or Lag")
    return one.spec.name.startswith(named) or one.kind == "Relay"


def is_plant(one: Mention) -> bool:
    """Whether a block may be what is controlled."""
    return one.kind in _PLANTS or one.spec.pattern is not None


def junctions(text: Text) -> list[tuple[int, int]]:
    """Where a request speaks of the parts that every loop has."""
    if _LOOP.search(text.request) is None or _OPEN.search(text.request) is not None:
        return []
    return [match.span() for match in _JUNCTION.finditer(text.request)]


def asks_for_loop(text: Text, mentions: list[Mention], *, network: bool) -> bool:
    """Whether a request is about a controller and what it controls."""
    controller = any(is_controller(one) for one in mentions)
    controller = controller or _FEEDBACK.search(text.request) is not None
    plant = network or any(is_plant(one) for one in mentions)
    said = _LOOP.search(text.request) is not None and _OPEN.search(text.request) is None
    return controller and plant and said


class Loop:
    """Draws the loop of a request; afterwards ``output`` is the signal that is controlled."""

    def __init__(self, text: Text, lexicon: Lexicon, drawing: SketchBuilder) -> None:
        self.text, self.lexicon, self.drawing = text, lexicon, drawing
        self.output = self.error = ""

    def draw(
        self, mentions: list[Mention], network: tuple[Step, str] | None = None
    ) -> list[Mention]:
        """Draw the loop; what takes no part in it is given back.

        ``network`` is a plant that is drawn: the step that takes its input, and its output.
        """
        sources = [one for one in mentions if self.lexicon.is_source(one.tool)]
        sinks = [one for one in mentions if self.lexicon.is_sink(one.tool)]
        path = [one for one in mentions if one not in sources and one not in sinks]
        controllers = [one for one in path if is_controller(one)]
        plants = [one for one in path if is_plant(one) and not is_controller(one)]
        others = [one for one in path if one not in controllers and one not in plants]
        disturbing = [source for source in sources if self._says(_DISTURBANCE, source)]
        calm = [source for source in sources if source not in disturbing]
        reference = next(
            (one for one in calm if self._says(_REFERENCE, one)), calm[0] if calm else None
        )
        rest = [one for one in calm if one is not reference]
        back = [one for one in others if self._says(_BACKWARD, one)]
        ahead = [one for one in others if one not in back and self._says(_AHEAD, one)]
        forward = [one for one in others if one not in back and one not in ahead]
        own = [one for one in forward if self._is_of(one, plants)]
        plants = sorted((*plants, *own), key=lambda one: one.start)
        forward = [one for one in forward if one not in own]
        # What is led ahead, or disturbs, is added anyway.
        added = bool(ahead or disturbing)
        forward = [one for one in forward if not (added and one.spec.name in ("Sum", "Add"))]
        before = self._reference(reference)
        if len(controllers) > 1 and len(plants) > 1:
            self._cascade(before, controllers, forward, plants)
        else:
            error = self._error(before)
            self.error = str(error["id"])
            last = error["id"]
            for one in controllers:
                last = self._behind(one, last)
            for one in ahead if before else ():
                last = self._ahead(one, before, last)
            for one in forward:
                last = self._behind(one, last)
            last = self._plants(plants, last, disturbing, network)
            self._return(error, last, back)
        return [*rest, *sinks]

    def _is_of(self, one: Mention, plants: list[Mention]) -> bool:
        """Whether a gain is that of a plant, as in "an integrator with gain 2"."""
        between = (self.text.request[two.end : one.start] for two in plants if two.end <= one.start)
        return one.kind == "Gain" and any(_WITH.fullmatch(said) for said in between)

    def _ahead(self, one: Mention, before: str, last: str) -> str:
        """Lead the reference through a block, and add it behind the controller."""
        way = self.drawing.add(one)
        way["inputs"] = [before]
        step = self.drawing.put(_SUM, {"Inputs": "|++"}, "Feedforward")
        step["inputs"] = [last, way["id"]]
        return str(step["id"])

    def _says(self, pattern: re.Pattern[str], one: Mention) -> bool:
        """Whether a word stands beside a block's name, in its part of the sentence."""
        before = re.split(r"[,;]|\band\b|\bwith\b", self.text.before(one.start, 40))[-1]
        after = re.split(r"[,;]|\band\b|\bwith\b", self.text.after(one.end, 40))[0]
        said = self.text.request[one.start : one.end]
        return pattern.search(f"{before}{said}{after}") is not None

    def _reference(self, one: Mention | None) -> str:
        if one is None:
            return self._set_point()
        return str(self.drawing.add(replace(one, role="reference"))["id"])

    def _set_point(self) -> str:
        """A constant for a set point that is told as a number; empty where none is."""
        said = _SET_POINT.search(self.text.request)
        number = next((q for q in self.text.quantities if said and q.start == said.end()), None)
        if said is None or number is None:
            return ""
        (tool,) = self.lexicon.meant("Constant")
        step = self.drawing.put(tool, {"Value": number.value}, "Reference")
        self.drawing.places[step["id"]] = said.start()
        self.drawing.spans.append((said.start(), number.end))
        return str(step["id"])

    def _error(self, before: str, called: str = "Error") -> Step:
        step = self.drawing.put(_SUM, {"Inputs": "|+-"}, called)
        if before:
            step["inputs"] = [before]
        else:
            text = "the reference of the loop is not told: input 1 of the error is open"
            self.drawing.note(step["id"], text)
        return step

    def _behind(self, one: Mention, last: str) -> str:
        step = self.drawing.add(one)
        step["inputs"] = [last]
        return str(step["id"])

    def _plants(
        self,
        plants: list[Mention],
        last: str,
        disturbing: list[Mention],
        network: tuple[Step, str] | None,
    ) -> str:
        inner = [one for one in disturbing if not self._says(_AT_OUTPUT, one)]
        for one in inner:
            last = self._disturbed(one, last)
        if network is not None:
            network[0]["inputs"].insert(0, last)
            last = network[1]
        for plant in plants:
            last = self._behind(plant, last)
        for one in disturbing:
            if one not in inner:
                last = self._disturbed(one, last)
        return last

    def _disturbed(self, one: Mention, last: str) -> str:
        source = self.drawing.add(replace(one, role="disturbance"))
        step = self.drawing.put(_SUM, {"Inputs": "|++"}, "Disturbed")
        step["inputs"] = [last, source["id"]]
        return str(step["id"])

    def _return(self, error: Step, last: str, back: list[Mention]) -> None:
        self.output = last
        for one in back:
            last = self._behind(one, last)
        way: dict[str, Any] = {"from": last, "input": 2, "back": True}
        error["inputs"] = [*error["inputs"], way]

    def _cascade(
        self,
        before: str,
        controllers: list[Mention],
        forward: list[Mention],
        plants: list[Mention],
    ) -> None:
        """One loop inside another: the outer controller gives the inner one its reference."""
        outer = next(
            (controller for controller in controllers if self._says(_OUTER, controller)),
            controllers[0],
        )
        inner = next(controller for controller in controllers if controller is not outer)
        near = next((plant for plant in plants if self._says(_INNER, plant)), plants[0])
        far = [plant for plant in plants if plant is not near]
        error = self._error(before, "Outer error")
        reference = self._behind(outer, error["id"])
        within = self._error(reference, "Inner error")
        last = self._behind(inner, within["id"])
        for one in forward:
            last = self._behind(one, last)
        last = self._behind(near, last)
        within["inputs"].append({"from": last, "input": 2, "back": True})
        for one in far:
            last = self._behind(one, last)
        self._return(error, last, [])
