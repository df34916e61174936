"""Find the services that a request names: those it asks for, and those it asks to leave alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.catalog.registry import Registry
from grounded_builder.resolve.mentions import Mention, find_mentions

_LONGEST_REQUEST = 8_000
_LONGEST_NAME = 4
_MOST = 12
_MOST_TOOLS = 6
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]{0,400}”|'[^']*'(?!\w)")
# What stands before a name that is not to be used, and what may stand behind it then: "contacts
# without HubSpot ids" and "if it is not in Airtable" forbid nothing.
_BEFORE = re.compile(
    r"(?:\b(?:do not|don.t|never|must not|mustn.t|should not|shouldn.t|not) (?:ever )?us(?:e|ing)"
    r"|\bwithout(?: using| any use of)?|\bavoid(?:ing)?(?: using)?|\binstead of(?: using)?"
    r"|\brather than(?: using)?)(?:\s+(?:the|any|an?))?\s*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"^(?:\s+(?:node|tool|step|app|service|integration|at all|anywhere|here))?\s*"
    r"(?:$|[.,;:!?)\n]|\b(?:and|or|but|then|as|because|since)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Service:
    """A service that a request names, as ``text``, with its tools and what starts a graph by it."""

    text: str
    tools: tuple[str, ...]
    starters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedServices:
    """What a request names: services it asks for, and those it asks to leave alone.

    ``remainder`` is the request without the words that forbid a service.
    """

    wanted: tuple[Service, ...]
    unwanted: tuple[Service, ...]
    remainder: str = ""

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The services that are both asked for and forbidden."""
        banned = {tool for item in self.unwanted for tool in item.tools}
        results = (item.text for item in self.wanted if not banned.isdisjoint(item.tools))
        return tuple(dict.fromkeys(results))


def services_named(request: str, registry: Registry) -> NamedServices:
    """The services that a request names, each once, in order."""
    wanted: dict[tuple[str, ...], Service] = {}
    unwanted: dict[tuple[str, ...], Service] = {}
    mentions = _classify(request[:_LONGEST_REQUEST], registry)
    for mention, is_banned in mentions:
        entries = unwanted if is_banned else wanted
        entries.setdefault(mention.tools, service(mention.text, mention.tools, registry))
    return NamedServices(
        tuple(wanted.values())[:_MOST],
        tuple(unwanted.values())[:_MOST],
        _without_unwanted(request, mentions),
    )


def service(text: str, tools: Iterable[str], registry: Registry) -> Service:
    """A service by its tools, with the tools that start a graph by it.

    Tools that render another one of them for a further use are left to who asks for those.
    """
    derived, results = registry.names.derived, tuple(tools)
    own = tuple(tool for tool in results if derived.get(tool) not in results)
    matches = (own or results)[:_MOST_TOOLS]
    starters = (starter for tool in matches for starter in registry.names.starters.get(tool, ()))
    return Service(
        text,
        matches,
        tuple(fromkey for fromkey in dict.fromkeys(starters) if fromkey not in matches),
    )


def _without_unwanted(request: str, mentions: Sequence[tuple[Mention, bool]]) -> str:
    """Returns a request without the words that forbid a service."""
    text = request
    for mention, is_banned in reversed(mentions):
        before = _BEFORE.search(text[: mention.at]) if is_banned else None
        if before is not None:
            text = text[: before.start()] + text[mention.at + len(mention.text) :]
    return text


def renderings(tools: Collection[str], registry: Registry) -> tuple[str, ...]:
    """Tools with those that render them and those that start a graph for the same service."""
    derived = registry.names.derived
    starters = [starter for tool in tools for starter in registry.names.starters.get(tool, ())]
    whole = dict.fromkeys([*tools, *starters])
    return tuple(
        dict.fromkeys([*whole, *(item for item, base in derived.items() if base in whole)])
    )


def _classify(text: str, registry: Registry) -> list[tuple[Mention, bool]]:
    """The names in a text with whether they are there to be left alone; quotes forbid nothing."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    mentions = sorted(
        (*find_mentions(text, registry), *_learned_service(text, registry)),
        key=lambda item: item.at,
    )
    # The domain is no service of its own graphs, although requests name it.
    mentions = [mention for mention in mentions if mention.text.casefold() != registry.domain]
    judged: list[tuple[Mention, bool]] = []
    for mention in mentions:
        end = mention.at + len(mention.text)
        inside = any(begin < mention.at < stop for begin, stop in quoted)
        banned = bool(_BEFORE.search(text[: mention.at])) and bool(_BEHIND.match(text[end:]))
        judged.append((mention, banned and not inside))
    return _merge(judged, text)


def _merge(judged: list[tuple[Mention, bool]], text: str) -> list[tuple[Mention, bool]]:
    """What is forbidden goes on over "or" and "and": without Slack or Teams."""
    out = judged[:1]
    for (before, _), (mention, banned) in pairwise(judged):
        between = text[before.at + len(before.text) : mention.at]
        goes_on = out[-1][1] and between.strip().casefold() in ("or", "nor", ",", ", or")
        out.append((mention, banned or goes_on))
    return out


def _learned_service(text: str, registry: Registry) -> Iterable[Mention]:
    """The names in a text that people decided about."""
    if not registry.learnt:
        return
    words = list(_WORD.finditer(text))
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _LONGEST_NAME) + 1):
            value = text[words[start].start() : words[end - 1].end()]
            known = registry.learnt.get(decision_key(value))
            tool = registry.tools.get(known.tool) if known and known.tool else None
            if tool is not None and tool.availability == "installed":
                yield Mention((tool.id,), value, words[start].start())
