"""Find services that a text names and no tool is there for: only a plain call can reach them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.tool_facts import Toolbox
from grounded_builder.resolve.mentions import Mention, is_everyday

_BY = re.compile(
    r"\b(?P<role>with|using|via|through|powered by|from|to|into|in|on|and|&)\s+(?:the\s+)?"
    r"(?P<name>[A-Z][\w]*(?:[.-][\w]+)*(?:\s+[A-Z][\w.]*)?)"
)
_TOOL = frozenset({"with", "using", "via", "through", "powered by"})
# Marks of a product's name: capitals within, a domain, "API" behind it.
_INNER = re.compile(r"[a-z][A-Z]|\d[A-Z]")
_DOMAIN = re.compile(
    r"(?<![@/\w.-])(?P<name>[\w-]+\.(?:com|io|ai|co|app|dev|so|net|org))\b", re.IGNORECASE
)
_API = re.compile(r"(?P<name>\b[A-Z][\w.-]{0,60}(?:\s{1,16}[A-Z][\w.-]{0,60})?)\s+API\b")
_TITLE_SHARE = 0.5


def strangers_in(text: str, named: Iterable[Mention], box: Toolbox) -> list[str]:
    """The names in a text that look like a service's and are no tool's."""
    if not box.is_installed(box.domain.prompting.fallback) or box.named_only:
        return []
    taken = [(one.at, one.at + len(one.said)) for one in named]
    is_title = _is_title(text)
    found: list[str] = []
    for match in [*_API.finditer(text), *_DOMAIN.finditer(text), *_BY.finditer(text)]:
        name, begin, end = match["name"], match.start("name"), match.end("name")
        if any(start < end and begin < stop for start, stop in taken):
            continue
        sure = match.re is not _BY or _INNER.search(name) is not None
        if sure or (not is_title and match["role"] in _TOOL and _is_rare(name, box)):
            taken.append((begin, end))
            found.append(name)
    return found


def _is_title(text: str) -> bool:
    """Whether most words begin with a capital: then capitals tell no names."""
    words: list[str] = re.findall(r"[A-Za-z]\w{3,}", text)
    return sum(word[0].isupper() for word in words) > _TITLE_SHARE * len(words)


def _is_rare(name: str, box: Toolbox) -> bool:
    """Whether no word of a name is an everyday one or described of any tool."""
    words = split_identifier(name)
    return bool(words) and not any(
        is_everyday(word) or box.registry.search.knows(stem(word)) for word in words
    )
