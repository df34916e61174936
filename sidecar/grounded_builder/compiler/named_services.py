"""Finds the services that a request names as wanted or excluded, with their tools and triggers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import separate_scripts
from grounded_builder.resolve.mentions import QUOTED, Mention, find_mentions

_MAX_REQUEST_CHARS = 8_000
_MAX_NAME_WORDS = 4
_MAX_SERVICES = 12
_MAX_TOOLS = 6
_WORD = re.compile(r"[^\W_]+")
# The text before a name that is excluded, and the text that can follow it. In "contacts without
# HubSpot ids" and "if it is not in Airtable" nothing is excluded.
_BEFORE = re.compile(
    r"(?:\b(?:do not|don.t|never|must not|mustn.t|should not|shouldn.t|not) (?:ever )?us(?:e|ing)"
    r"|\bwithout(?: using| any use of)?|\bavoid(?:ing)?(?: using)?|\binstead of(?: using)?"
    r"|\brather than(?: using)?)(?:\s+(?:the|any|an?))?\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^(?:\s+(?:node|tool|step|app|service|integration|at all|anywhere|here))?\s*"
    r"(?:$|[.,;:!?)\n]|\b(?:and|or|but|then|as|because|since)\b)",
    re.IGNORECASE,
)
# The words between a name and the one that corrects it: "Acme... no, in Globex".
_CORRECTING = frozenset("no nope nein non wait sorry rather actually mean scratch".split())
_AROUND_CORRECTING = _CORRECTING | frozenset(
    "oh or better i make that it in into to on from with via by using use a an the".split()
)
_LONGEST_CORRECTION = 60


@dataclass(frozen=True, slots=True)
class Service:
    """A service that a request names: its text, its tools and its triggers."""

    text: str
    tools: tuple[str, ...]
    starters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedServices:
    """The services that a request names: wanted and excluded ones.

    ``remainder`` is the request without the words that exclude a service.
    """

    wanted: tuple[Service, ...]
    unwanted: tuple[Service, ...]
    remainder: str = ""

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The services that are both wanted and excluded."""
        banned = {tool for service in self.unwanted for tool in service.tools}
        names = (service.text for service in self.wanted if not banned.isdisjoint(service.tools))
        return tuple(dict.fromkeys(names))


def find_services(request: str, registry: Registry) -> NamedServices:
    """Returns the services that a request names, each once, in order."""
    wanted: dict[tuple[str, ...], Service] = {}
    unwanted: dict[tuple[str, ...], Service] = {}
    request = separate_scripts(request)
    mentions = _classify(request[:_MAX_REQUEST_CHARS], registry)
    for mention, is_banned in mentions:
        services = unwanted if is_banned else wanted
        services.setdefault(mention.tools, make_service(mention.text, mention.tools, registry))
    return NamedServices(
        tuple(wanted.values())[:_MAX_SERVICES],
        tuple(unwanted.values())[:_MAX_SERVICES],
        _without_unwanted(request, mentions),
    )


def make_service(text: str, tools: Iterable[str], registry: Registry) -> Service:
    """Returns a service by its tools, with their triggers.

    Variants of other tools of the service are left out.
    """
    derived, candidates = registry.names.variants, tuple(tools)
    originals = tuple(tool for tool in candidates if derived.get(tool) not in candidates)
    service_tools = (originals or candidates)[:_MAX_TOOLS]
    triggers = (
        starter for tool in service_tools for starter in registry.names.starters.get(tool, ())
    )
    return Service(
        text,
        service_tools,
        tuple(trigger for trigger in dict.fromkeys(triggers) if trigger not in service_tools),
    )


def _without_unwanted(request: str, mentions: Sequence[tuple[Mention, bool]]) -> str:
    """Returns a request without the words that exclude a service."""
    text = request
    for mention, is_banned in reversed(mentions):
        before = _BEFORE.search(text[: mention.at]) if is_banned else None
        if before is not None:
            text = text[: before.start()] + text[mention.at + len(mention.text) :]
    return text


def list_variants(tools: Collection[str], registry: Registry) -> tuple[str, ...]:
    """Returns tools with their variants and the triggers of their services."""
    derived = registry.names.variants
    triggers = [trigger for tool in tools for trigger in registry.names.starters.get(tool, ())]
    related = dict.fromkeys([*tools, *triggers])
    return tuple(
        dict.fromkeys(
            [*related, *(variant for variant, base in derived.items() if base in related)]
        )
    )


def _classify(text: str, registry: Registry) -> list[tuple[Mention, bool]]:
    """Returns the names in a text with whether each is excluded; quoted names are not."""
    quoted = [match.span() for match in QUOTED.finditer(text)]
    mentions = sorted(
        (*find_mentions(text, registry), *_find_decided_names(text, registry)),
        key=lambda mention: mention.at,
    )
    # The domain is no service of its own graphs, although requests name it.
    mentions = [mention for mention in mentions if mention.text.casefold() != registry.domain]
    classified: list[tuple[Mention, bool]] = []
    for mention in mentions:
        end = mention.at + len(mention.text)
        is_quoted = any(begin < mention.at < stop for begin, stop in quoted)
        is_banned = bool(_BEFORE.search(text[: mention.at])) and bool(_AFTER.match(text[end:]))
        classified.append((mention, is_banned and not is_quoted))
    return _extend_over_conjunctions(_drop_corrected(classified, text), text)


def _drop_corrected(
    classified: list[tuple[Mention, bool]], text: str
) -> list[tuple[Mention, bool]]:
    """Returns the names without those that the next name corrects."""
    final = []
    for place, (mention, is_banned) in enumerate(classified):
        end = mention.at + len(mention.text)
        stop = classified[place + 1][0].at if place + 1 < len(classified) else end
        if not (end < stop <= end + _LONGEST_CORRECTION and _corrects(text[end:stop])):
            final.append((mention, is_banned))
    return final


def _corrects(between: str) -> bool:
    """Returns whether the text between two names takes the first one back."""
    words = [word.casefold() for word in _WORD.findall(between)]
    # In "Acme, no Globex" the second name is the excluded one.
    is_exclusion = words[-1:] == ["no"] and between.casefold().endswith("no ")
    return (
        not is_exclusion
        and not _CORRECTING.isdisjoint(words)
        and _AROUND_CORRECTING.issuperset(words)
    )


def _extend_over_conjunctions(
    classified: list[tuple[Mention, bool]], text: str
) -> list[tuple[Mention, bool]]:
    """Extends an exclusion over "or" and commas: without Slack or Teams."""
    merged = classified[:1]
    for (before, _), (mention, is_banned) in pairwise(classified):
        between = text[before.at + len(before.text) : mention.at]
        is_continued = merged[-1][1] and between.strip().casefold() in ("or", "nor", ",", ", or")
        merged.append((mention, is_banned or is_continued))
    return merged


def _find_decided_names(text: str, registry: Registry) -> Iterable[Mention]:
    """Yields the names in a text that users decided about."""
    if not registry.learnt:
        return
    words = list(_WORD.finditer(text))
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _MAX_NAME_WORDS) + 1):
            name = text[words[start].start() : words[end - 1].end()]
            decision = registry.learnt.get(decision_key(name))
            tool = registry.tools.get(decision.tool) if decision and decision.tool else None
            if tool is not None and tool.availability == "installed":
                yield Mention((tool.id,), name, words[start].start())
