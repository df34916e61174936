"""What a request asks to see or to measure: by which sink or sensor, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.domains.simulink.catalog.compile_tool import Connection
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import SHOWN_VERB, shown_by
from grounded_builder.domains.simulink.keyword_plan.text import Text

_ASKED = re.compile(r"\b(measur|show|plot|display|view|observ|monitor|scope)", re.IGNORECASE)
# What is measured, by the words for it and the domain: the sensor, and the label of its port.
_SENSORS = {
    "electrical": (
        (r"currents?(?! sources?)", "Current Sensor", "I"),
        (r"voltages?(?! (sources?|divider))", "Voltage Sensor", "V"),
    ),
    "rotational": (
        (r"speeds?|angular velocity|velocity|rpm", "Ideal Rotational Motion Sensor", "W"),
        (r"angles?|positions?", "Ideal Rotational Motion Sensor", "A"),
    ),
    "translational": (
        (r"velocity|speeds?", "Ideal Translational Motion Sensor", "V"),
        (r"positions?|displacements?", "Ideal Translational Motion Sensor", "P"),
    ),
    "thermal": ((r"temperatures?", "Temperature Sensor", "T"),),
}
_OF_ERROR = re.compile(
    r"\s*(?:for|on|of|with|showing|shows?|to show)?\s*(?:the )?(?:control )?error\b(?!\s+and)",
    re.IGNORECASE,
)
_LOGGED = re.compile(
    r"(?:^|[,;.:]|\b(?:and|then|to|please|finally|also))\s*(?P<asked>(?:log|record|store|save)s?)\s+"
    r"(?:it|them|both|all|(?:the|its|this|that|these)\s+\w+)\b"
    r"|\b(?:is|are|be|gets?)\s+(?:then\s+)?(?P<done>logged|recorded|stored|saved)\b",
    re.IGNORECASE,
)
_KEPT = ("/Sinks/To Workspace", "/Sinks/To File", "/Sinks/Record", "/Sinks/Out1")
_SECOND = re.compile(r"\b(second|last|load)\s+$", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst\s+$", re.IGNORECASE)


def sensors_asked(
    text: Text, given: Sequence[Mention], lexicon: Lexicon, *, controlled: bool
) -> list[Mention]:
    """Sensors that are asked for by what they measure, where none is named."""
    if not controlled and _ASKED.search(text.request) is None:
        return []
    domains = {port.domain for one in given for port in one.spec.physical}
    named = {one.spec.name for one in given}
    found: list[Mention] = []
    for domain, kinds in _SENSORS.items():
        if domain not in domains or any(
            name in named for _, name, _ in kinds if domain != "electrical"
        ):
            continue
        for words, name, _ in kinds:
            told = _told(rf"\b(?:{words})\b", text, given)
            ids = lexicon.meant(name) if told is not None and name not in named else []
            if told is not None and ids:
                named.add(name)
                found.append(Mention(ids[0], lexicon.spec(ids[0]), told.start(), told.end()))
    return found


def _told(words: str, text: Text, given: Sequence[Mention]) -> re.Match[str] | None:
    """The first place where one of these words is no part of a block's name."""
    for match in re.finditer(words, text.request, re.IGNORECASE):
        if not any(known.start <= match.start() < known.end for known in given):
            return match
    return None


def placed(sensor: Mention, row: Sequence[Mention], text: Text) -> Mention | None:
    """The element across which a sensor lies: the one that is named beside it, else the last."""
    passive = [one for one in row if not one.spec.name.endswith(("Source", "Sensor"))]
    before = text.before(sensor.start, 40)
    after = text.after(sensor.end, 50)
    for said in (after, before):
        best: tuple[int, Mention] | None = None
        for one in passive:
            word = singular(split_identifier(one.spec.name)[-1])
            hit = re.search(rf"\b{word}s?\b", said, re.IGNORECASE)
            if hit is None:
                continue
            same = [other for other in passive if other.tool == one.tool]
            late = _SECOND.search(said[: hit.start()]) is not None
            one = same[-1] if late else same[0] if _FIRST.search(said[: hit.start()]) else one  # noqa: PLW2901 - of several the one that is meant
            if best is None or hit.start() < best[0]:
                best = (hit.start(), one)
        if best is not None:
            return best[1]
    return passive[-1] if passive else None


def port_meant(sensor: Mention, ports: Sequence[tuple[str, Connection]], text: Text) -> str:
    """The port of a sensor that gives what the request speaks of, else its first."""
    for kinds in _SENSORS.values():
        for words, name, label in kinds:
            said = re.search(rf"\b(?:{words})\b", text.request, re.IGNORECASE)
            if name == sensor.spec.name and said is not None:
                hit = next((port for port, one in ports if one.id == label), None)
                if hit is not None:
                    return hit
    return ports[0][0]


def verbs_of_seeing(text: Text) -> list[tuple[int, int, str]]:
    """Where a request asks to look at a signal, with the sink that it means."""
    return [
        (match.start(), match.end(), shown_by(match[0]) or "Scope")
        for match in SHOWN_VERB.finditer(text.request)
    ]


def logged(
    text: Text, mentions: Sequence[Mention], lexicon: Lexicon, taken: list[tuple[int, int]]
) -> list[Mention]:
    """What keeps a signal where a request asks for that and names nothing that does."""
    found: list[Mention] = []
    for one in _LOGGED.finditer(text.request) if mentions else ():
        span = one.span("asked") if one["asked"] else one.span("done")
        begin, end = text.sentence(span[0])
        near = [two for two in mentions if begin <= two.start < end]
        if any(two.start <= span[0] < two.end for two in near):
            continue
        taken.append(span)
        kept = any(
            two.tool.endswith(_KEPT)
            or (two.start > span[0] and (lexicon.is_sink(two.tool) or "Memory" in two.spec.name))
            for two in near
        )
        if not kept and not found:
            (tool,) = lexicon.meant("To Workspace")
            found.append(Mention(tool, lexicon.spec(tool), *span, role="kept"))
    return found


def shows_error(sink: Mention, text: Text) -> bool:
    """Whether a sink is asked for the error of a loop."""
    return _OF_ERROR.match(text.after(sink.end, 40)) is not None
