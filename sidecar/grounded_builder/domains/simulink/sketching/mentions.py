"""The blocks that a request names, each with the numbers that stand behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from grounded_builder.domains.simulink.naming.constraints import kept
from grounded_builder.domains.simulink.naming.index import BASE, fold, names_of
from grounded_builder.domains.simulink.plans.choosing import parameter_for
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.registry.registry import Registry
from grounded_builder.registry.words import STOP, parts, singular
from grounded_builder.resolve.model import NameContext

_WORD = re.compile(r"[A-Za-z0-9]+(?:[-/^][A-Za-z0-9]+)*")
_LONGEST_PHRASE = 5
_NUMBER = r"(?P<value>-?\d+(?:\.\d+)?(?:e-?\d+)?|\[[-\d .;,]+\])\s*(?P<unit>Hz|rad/s)?"
_NAMED = re.compile(
    rf"(?P<name>[A-Za-z]+(?: [A-Za-z]+)?)\s*(?:of|=|:|is|to|at)?\s+{_NUMBER}", re.IGNORECASE
)
_OWN = re.compile(rf"^\s*(?:block\s*)?(?:of|=|:|at|by)?\s*{_NUMBER}", re.IGNORECASE)
_AHEAD = re.compile(rf"{_NUMBER}\s*$", re.IGNORECASE)
_KIND = re.compile(r"\b(PID|PI|PD|P|I)[- ]?(?:controller|control|controlled|regulator)\b")
# Short words of a sentence that blocks bear as names, too.
_PLAIN = frozenset("if from in out model and or not find input output is on off signal".split())


@dataclass(slots=True)
class Mention:
    """A block that a text names from ``start`` to ``end``."""

    tool: str
    spec: BlockSpec
    start: int
    end: int
    params: dict[str, str] = field(default_factory=dict)


# What is done to signals, by the block that does it.
_VERBS = {
    "multiply": "simulink/Math Operations/Product",
    "multiplied": "simulink/Math Operations/Product",
    "multiplies": "simulink/Math Operations/Product",
    "divided": "simulink/Math Operations/Divide",
    "added": "simulink/Math Operations/Add",
    "adds": "simulink/Math Operations/Add",
    "summed": "simulink/Math Operations/Sum",
    "subtracted": "simulink/Math Operations/Subtract",
    "integrate": "simulink/Continuous/Integrator",
    "integrated": "simulink/Continuous/Integrator",
    "integrates": "simulink/Continuous/Integrator",
    "differentiate": "simulink/Continuous/Derivative",
    "differentiated": "simulink/Continuous/Derivative",
    "saturated": "simulink/Discontinuities/Saturation",
    "saturates": "simulink/Discontinuities/Saturation",
    "plots": "simulink/Sinks/Scope",
    "plotted": "simulink/Sinks/Scope",
    "displayed": "simulink/Sinks/Display",
}
_TIMES = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}
_AGAIN = re.compile(r"\b(using|with|by|through|the)( an?| the)?\s*$", re.IGNORECASE)


def mentions_in(text: str, registry: Registry) -> list[Mention]:
    """The blocks of the base library that a text names, in its order; longest names first."""
    words = [one for one in _WORD.finditer(text) if one[0].casefold() not in _SKIPPED]
    found: list[Mention] = []
    at = 0
    while at < len(words):
        hit = _longest(words, at, text, registry)
        if hit is None:
            at += 1
            continue
        tool, end = hit
        spec: BlockSpec = registry.spec(tool, registry.tools[tool].newest)
        mention = Mention(tool, spec, words[at].start(), words[end - 1].end())
        times = _TIMES.get(words[at - 1][0].casefold(), 1) if at else 1
        found += [replace(mention) for _ in range(times)]
        at = end
    found = _once(found, text)
    for number, one in enumerate(found):
        later = [other.start for other in found[number + 1 :] if other.start > one.start]
        until = min(later, default=len(text))
        until = max(until, one.end)
        one.params = _numbers(text[one.end : until], one.spec)
        ahead = _AHEAD.search(text[max(0, one.start - 16) : one.start])
        if ahead is not None and "Frequency" in one.spec.parameters:
            one.params.setdefault("Frequency", _with_unit(ahead))
        kind = _KIND.search(text[one.start : one.end + 12])
        if kind is not None and "Controller" in one.spec.parameters and kind[1] != "PID":
            one.params["Controller"] = kind[1]
    return found


def _once(found: list[Mention], text: str) -> list[Mention]:
    """Without what is said twice, as in "add them and show the sum"."""
    kept: list[Mention] = []
    for one in found:
        before = text[max(0, one.start - 14) : one.start]
        again = _AGAIN.search(before)
        earlier = next((other for other in kept if again and _is_same(other, one)), None)
        if earlier is None:
            kept.append(one)
        elif len(one.spec.name) > len(earlier.spec.name):
            kept[kept.index(earlier)] = replace(one, start=earlier.start)
    return kept


def _is_same(earlier: Mention, later: Mention) -> bool:
    if earlier.end == later.end:
        return False
    if earlier.spec.block_type == later.spec.block_type:
        return True
    return set(parts(earlier.spec.name)) < set(parts(later.spec.name))


def _longest(
    words: list[re.Match[str]], at: int, text: str, registry: Registry
) -> tuple[str, int] | None:
    names = names_of(registry)
    doing = _VERBS.get(words[at][0].casefold())
    for end in range(min(len(words), at + _LONGEST_PHRASE), at, -1):
        phrase = " ".join(one[0] for one in words[at:end])
        if end - at == 1 and doing is not None:
            return doing, end
        if end - at == 1 and (phrase.casefold() in _PLAIN or phrase.casefold() in STOP):
            return None
        for form in (phrase, " ".join(map(singular, phrase.casefold().split()))):
            key = fold(form)
            ids = [*names.titles.get(key, ()), *names.others.get(key, ())]
            tool = _meant(ids, text, registry, single=end - at == 1)
            if tool is not None:
                return tool, end
    return None


def _meant(ids: list[str], text: str, registry: Registry, *, single: bool) -> str | None:
    """The one block of the base library; of a single word a preset is hardly meant."""
    base = [one for one in dict.fromkeys(ids) if registry.tools[one].package == BASE]
    base = [one for one in base if not registry.tools[one].equivalent_to]
    base = kept(base, registry, NameContext(goal=text))
    if single:
        base = [one for one in base if "/Quick Insert/" not in one and "Lookup Tables/" not in one]
    return base[0] if len(base) == 1 else None


def _numbers(text: str, spec: BlockSpec) -> dict[str, str]:
    """What the text behind a block sets: its first value, or parameters by their names."""
    params: dict[str, str] = {}
    own = _OWN.match(text)
    first = next((one.name for one in spec.parameters.values() if one.kind == "value"), None)
    if own is not None and own["unit"]:
        if "Frequency" in spec.parameters:
            params["Frequency"] = _with_unit(own)
    elif own is not None and first is not None:
        params[first] = own["value"]
    for said, value in _pairs(text):
        name, _ = parameter_for(said, spec, params)
        if name is not None and name in spec.parameters:
            params[name] = value
    return params


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for found in _NAMED.finditer(text):
        said = found["name"].split()
        name = " ".join(one for one in said if one.casefold() not in _FILLERS)
        if name:
            yield name, _with_unit(found)


def _with_unit(found: re.Match[str]) -> str:
    """A value in Simulink's units: frequencies are in radians a second."""
    is_hertz = (found["unit"] or "").casefold() == "hz"
    return f"2*pi*{found['value']}" if is_hertz else found["value"]


_SKIPPED = frozenset({"a", "an", "the", "it"})
_FILLERS = frozenset("of with and a an the is to at by its has value".split())
