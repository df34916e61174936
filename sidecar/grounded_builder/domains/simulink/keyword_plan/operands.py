"""Numbers that a deed or a comparison works with: gains, offsets, thresholds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

from grounded_builder.catalog.tokenize import STOP
from grounded_builder.domains.simulink.keyword_plan.disambiguate import relations_in
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.stop_words import HOW, RELATIONS
from grounded_builder.domains.simulink.keyword_plan.text import Text

_BY_NUMBER = re.compile(r"(?:[^,;.]*?\b(?:by|with)|)\s+", re.IGNORECASE)
# What a deed with a number is: the block, its parameter, the form of that.
_SCALING = {
    "Product": ("Gain", "Gain", "{}"),
    "Divide": ("Gain", "Gain", "1/{}"),
    "Add": ("Bias", "Bias", "{}"),
    "Subtract": ("Bias", "Bias", "-{}"),
    "Relational Operator": ("Compare To Constant", "const", "{}"),
}
_DELAY = "simulink/Discrete/Delay"
_GATE = re.compile(r"\b(and|or)\b", re.IGNORECASE)
_COMPARING = frozenset({"relop", "Criteria"})


def heads(one: Quantity, mentions: list[Mention], text: Text) -> Mention | None:
    """The block whose name follows a number at once, as in "a 50 Hz sine"."""
    for owner in mentions:
        between = text.request[one.end : owner.start]
        if owner.start >= one.end and not owner.infix and re.fullmatch(r"[\s-]*", between):
            return owner
    return None


def counts(one: Quantity, mentions: list[Mention], text: Text) -> bool:
    """Whether a number is of things that a word behind it names, as in "12 hands"."""
    word = next((known for known in text.words if known.start >= one.end), None)
    if word is None or text.request[one.end : word.start].strip():
        return False
    is_name = any(known.start <= word.start < known.end for known in mentions)
    return not is_name and word.text.casefold() not in STOP | HOW


@dataclass(slots=True)
class Operands:
    """Changes mentions in place; ``taken`` is what of the text was used, ``given`` by block."""

    text: Text
    mentions: list[Mention]
    lexicon: Lexicon
    taken: list[tuple[int, int]] = field(default_factory=list)
    given: set[tuple[int, str]] = field(default_factory=set)

    def settle(self) -> None:
        """Give every operand that is a number its place."""
        self._joined()
        self._scaled()
        self._shifted()
        self._compared()
        self._gated()

    def _is_of_another(self, number: Quantity) -> bool:
        """Whether a number belongs to the name behind it."""
        return heads(number, self.mentions, self.text) is not None

    def _joined(self) -> None:
        """What joins a signal to a number is a gain, or an offset."""
        for at, one in enumerate(self.mentions):
            number = next((q for q in self.text.quantities if q.start >= one.end), None)
            if not one.infix or number is None or self._is_of_another(number):
                continue
            if self.text.request[one.end : number.start].strip():
                continue
            gain = one.infix in "*/"
            name, value = ("Gain", number.value) if gain else ("Bias", number.value)
            value = {"/": f"1/{value}", "-": f"-{value}"}.get(one.infix, value)
            (tool,) = self.lexicon.meant(name)
            spec = self.lexicon.spec(tool)
            self.mentions[at] = replace(one, tool=tool, spec=spec, infix="", params={name: value})
            self.taken.append((number.start, number.end))

    def _scaled(self) -> None:
        """A deed whose second operand is a number is a gain, or an offset."""
        for at, one in enumerate(self.mentions):
            end = self.text.sentence(one.start)[1]
            said = _BY_NUMBER.match(self.text.request, one.end, end) if one.verb else None
            kind = _SCALING.get(one.spec.name)
            if said is None or kind is None:
                continue
            number = next((q for q in self.text.quantities if q.start == said.end()), None)
            inner = [m for m in self.mentions if one.end <= m.start < said.end()]
            if number is None or self._is_of_another(number) or len(inner) > 1:
                continue
            block, name, form = kind
            (tool,) = self.lexicon.meant(block)
            spec = self.lexicon.spec(tool)
            params = {name: form.format(number.value)}
            note = "how it is compared is not told: <= stands" if name == "const" else one.note
            self.mentions[at] = replace(one, tool=tool, spec=spec, params=params, note=note)
            self.taken.append((number.start, number.end))

    def _shifted(self) -> None:
        """A deed of delaying by samples is the discrete delay."""
        for at, one in enumerate(self.mentions):
            end = self.text.sentence(one.start)[1]
            if not one.verb or one.kind != "TransportDelay":
                continue
            behind = [q for q in self.text.quantities if one.end <= q.start < end]
            number = next((q for q in behind if q.measures == "samples"), None)
            if number is None:
                continue
            between = self.text.request[one.end : number.start]
            if re.fullmatch(r"\s*(\w+\s+){0,4}", between) or between.rstrip().endswith(" by"):
                spec = self.lexicon.spec(_DELAY)
                self.mentions[at] = replace(one, tool=_DELAY, spec=spec)

    def _compared(self) -> None:
        """What is compared to a number, by the block that is named for it or one of its own."""
        related: set[int] = set()
        for found in relations_in(self.text):
            relation = RELATIONS[" ".join(found[0].casefold().split())]
            follows = self.text.request[found.end() :]
            at = found.end() + len(follows) - len(follows.lstrip())
            number = next((q for q in self.text.quantities if q.start == at), None)
            begin, end = self.text.sentence(found.start())
            near = sorted(
                (m for m in self.mentions if begin <= m.start < end),
                key=lambda m: abs(m.start - found.start()),
            )
            owner = next(
                (
                    m
                    for m in near
                    if id(m) not in related
                    and (_COMPARING & m.spec.parameters.keys() or m.kind == "RelationalOperator")
                ),
                None,
            )
            following = any(
                m.start >= at and not self.text.request[at : m.start].strip(" athen") for m in near
            )
            if owner is None and (number is not None or following):
                name = "Compare To Constant" if number is not None else "Relational Operator"
                (tool,) = self.lexicon.meant(name)
                owner = Mention(tool, self.lexicon.spec(tool), found.start(), found.end())
                owner.infix = "" if number is not None else relation
                self.mentions.append(owner)
                self.mentions.sort(key=lambda m: m.start)
            if owner is not None and (number is not None or owner.kind == "RelationalOperator"):
                related.add(id(owner))
                self._relate(owner, relation, number)
                self.taken.append(found.span())

    def _gated(self) -> None:
        """The gate between two comparisons of a sentence that "and" or "or" joins."""
        compared = [one for one in self.mentions if one.spec.name == "Compare To Constant"]
        for one, other in pairwise(compared):
            between = self.text.request[one.end : other.start]
            said = _GATE.search(between)
            inner = [m for m in self.mentions if one.end <= m.start < other.start]
            if said is None or re.search(r"[.;]\s", between):
                continue
            if any(not self.lexicon.is_source(m.tool) for m in inner):
                continue
            (tool,) = self.lexicon.meant(said[1].upper(), stressed=True)
            start, end = one.end + said.start(1), one.end + said.end(1)
            gate = Mention(tool, self.lexicon.spec(tool), start, end, infix="&")
            self.mentions.append(gate)
        self.mentions.sort(key=lambda m: m.start)

    def _relate(self, owner: Mention, relation: str, number: Quantity | None) -> None:
        if "Criteria" in owner.spec.parameters:
            strict = relation in (">", "<=")
            owner.params["Criteria"] = "u2 > Threshold" if strict else "u2 >= Threshold"
            owner.role = "swapped" if relation.startswith("<") else owner.role
        elif "relop" in owner.spec.parameters:
            owner.params["relop"] = relation
        elif "Operator" in owner.spec.parameters:
            owner.params["Operator"] = relation
        place = next((n for n in ("Threshold", "const") if n in owner.spec.parameters), None)
        if number is not None and place is not None:
            owner.params[place] = number.value
            self.given.add((id(owner), place))
            self.taken.append((number.start, number.end))
