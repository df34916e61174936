"""Put the names and options that a request says into the parameters that they are meant for.

``given`` are the parameters that have a value, by the identity of their mention; ``taken`` are
the places of the request that were used.
"""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.catalog.tokenize import STOP
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import HOW
from grounded_builder.domains.simulink.keyword_plan.text import Text
from grounded_builder.domains.simulink.keyword_plan.units import NAMED, option_said

Span = tuple[int, int]

_TYPES = frozenset(
    "double single boolean int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
)


def give_texts(
    text: Text, mentions: Sequence[Mention], given: set[tuple[int, str]], taken: list[Span]
) -> None:
    """Names of variables, files and tags, for the nearest block that has one."""
    for pattern, name in NAMED:
        for found in pattern.finditer(text.request):
            if found.span() in taken:
                continue
            owners = [m for m in mentions if name in m.spec.parameters]
            owners = [m for m in owners if (id(m), name) not in given]
            if not owners or found[1].casefold() in STOP | HOW | {"well", "input"}:
                continue
            owner = min(
                owners,
                key=lambda m: min(abs(m.start - found.end()), abs(m.end - found.start())),
            )
            owner.params[name] = found[1]
            given.add((id(owner), name))
            taken.append(found.span())


def give_options(text: Text, mentions: Sequence[Mention], taken: list[Span]) -> None:
    """Words that are options of a block in their sentence."""
    for word in text.words:
        typed = next((m for m in mentions if m.kind == "DataTypeConversion"), None)
        if typed is not None and word.text in _TYPES:
            typed.params["OutDataTypeStr"] = word.text
            taken.append((word.start, word.end))
        if len(word.text) < 5 or word.text.casefold() in STOP | HOW:
            continue
        if any(one.start <= word.start < one.end for one in mentions):
            continue
        if any(start <= word.start < end for start, end in taken):
            continue
        begin, end = text.sentence(word.start)
        for owner in mentions:
            option = option_said(owner.spec, word.text) if begin <= owner.start < end else None
            if option is not None and option[0] not in owner.params:
                owner.params[option[0]] = option[1]
                taken.append((word.start, word.end))
                break
