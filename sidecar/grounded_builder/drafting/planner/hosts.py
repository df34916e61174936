"""Tell which tools of a clause take others, and what works for them: models, memories, tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.brands import Brand
from grounded_builder.drafting.planner.patterns import patterns_in
from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.resolve.mentions import Mention

# What stands before the name of something that a host is given to use.
_EQUIPPED = re.compile(
    r"\b(?:access to|equipped with|(?:can|to) (?:use|search|access|query|manage|call)|tools?:?|"
    r"connected to|(?:chat|talk|interact) with)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:with|using|via|through|for|over)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:sends?|saves?|stores?|posts?|logs?|adds?|updates?|sync\w*|uploads?|publish\w*|writes?|"
    r"creates?|notif\w+|reports?|to|into|from|then)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hosting:
    """What takes others in a clause, what works for it, and the names that these use up."""

    hosts: tuple[Pick, ...] = ()
    subs: tuple[Pick, ...] = ()
    spent: tuple[Mention, ...] = ()


def hosting_in(text: str, mentions: Iterable[Mention], box: Toolbox) -> Hosting:
    """The hosts and sub-nodes that a text asks for, by phrases, by patterns and by brands."""
    mentions = list(mentions)
    for one in _doing(text, mentions, box):  # the service itself does what is asked
        text = f"{text[: one.at]}{' ' * len(one.said)}{text[one.at + len(one.said) :]}"
        mentions = [other for other in mentions if other is not one]
    meant = box.cued(text)
    hosts = [Pick(tool) for tool in meant if box.takes(tool)][:1]
    subs = [Pick(tool, {}, "", _kind(tool, box)) for tool in meant if box.serves(tool)]
    patterned = patterns_in(text, box)
    spent: list[Mention] = [one for one in mentions if patterned.uses(one.at, len(one.said))]
    kept = [one for one in mentions if one not in spent]
    for mention, sub in _branded(text, kept, patterned.hosts, box):
        subs.append(sub)
        if mention is not None:
            spent.append(mention)
    if patterned.hosts:
        hosts = list(patterned.hosts)
    elif subs and not hosts:
        wanted = {sub.serves for sub in subs}
        able = (tool for tool in box.hosts() if not wanted.isdisjoint(box.wants(tool)))
        hosts = [Pick(tool) for tool in able][:1]
    for host in hosts[:1]:
        for mention, tool in _equipment(text, host, [m for m in kept if m not in spent], box):
            subs.append(Pick(tool, {}, mention.said, _kind(tool, box)))
            spent.append(mention)
    if patterned.hosts:
        taken = {
            kind for one in [*hosts, *patterned.subs] for kind in box.takes(one.tool, one.params)
        }
        subs = [sub for sub in subs if sub.serves in taken]
    subs += [sub for sub in patterned.subs if sub.tool not in {one.tool for one in subs}]
    return Hosting(tuple(hosts), tuple(_distinct(subs)), tuple(spent))


def _doing(text: str, mentions: Iterable[Mention], box: Toolbox) -> list[Mention]:
    """The services that are called by a brand of a sub-node and do what is asked themselves."""
    branded = [brand for kind in box.kinds for brand in box.brands(text, kind)]
    return [
        mention
        for mention in mentions
        if any(
            _overlap(mention, brand) and len(mention.said) <= len(brand.said) for brand in branded
        )
        and box.does(box.acting(mention), text)
    ]


def _branded(
    text: str, mentions: list[Mention], hosts: Iterable[Pick], box: Toolbox
) -> list[tuple[Mention | None, Pick]]:
    """The sub-nodes that hosts cannot work without, by the brands in the text."""
    found: list[tuple[Mention | None, Pick]] = []
    for kind in box.kinds:
        for brand in box.brands(text, kind):
            named = [mention for mention in mentions if _overlap(mention, brand)]
            if any(len(one.said) > len(brand.said) for one in named):
                continue  # a part of the name of something else
            tool, told = _of_kind(text, brand, kind, hosts, box)
            found.append((named[0] if named else None, Pick(tool, {}, "", told)))
    return found


def _overlap(mention: Mention, brand: Brand) -> bool:
    return mention.at < brand.end and brand.at < mention.at + len(mention.said)


def _of_kind(
    text: str, brand: Brand, kind: str, hosts: Iterable[Pick], box: Toolbox
) -> tuple[str, str]:
    """The tool of a brand: of the kind that the word behind it names ("OpenAI embeddings")."""
    behind = split_identifier(text[brand.end :])[:1]
    for host in hosts:
        for other in box.wants(host.tool, host.params):
            word = split_identifier(other.partition("_")[2])[:1]
            if behind and word and stem(behind[0]) == stem(word[0]):
                same = [one for one in box.brands(text, other) if one.at == brand.at]
                return (same[0].tool, other) if same else (brand.tool, kind)
    return brand.tool, kind


def _equipment(
    text: str, host: Pick, mentions: list[Mention], box: Toolbox
) -> list[tuple[Mention, str]]:
    """The names behind what a host is given to use, as tools of a kind that it takes."""
    optional = [
        kind for kind in box.takes(host.tool, host.params) if kind not in box.wants(host.tool)
    ]
    found = []
    beside = _BESIDE.search(text)
    for mention in mentions:
        given = [match.end() for match in _EQUIPPED.finditer(text) if match.end() <= mention.at]
        behind = bool(given)
        aside = (
            beside is not None
            and mention.at >= beside.end()
            and not _DONE.search(text[: mention.at])
        )
        if not (behind or aside) or (given and _DONE.search(text[given[-1] : mention.at])):
            continue
        own = box.acting(mention)
        variants = (one for kind in optional if (one := box.variant(own, kind)) is not None)
        tool = next(variants, None)
        if tool is not None:
            found.append((mention, tool))
    return found


def _kind(tool: str, box: Toolbox) -> str:
    return next(iter(box.serves(tool)), "")


def _distinct(picks: Iterable[Pick]) -> list[Pick]:
    return list({pick.tool: pick for pick in reversed(list(picks))}.values())[::-1]
