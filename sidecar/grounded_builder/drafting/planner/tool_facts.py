"""The installed tools as the planner asks about them: what they take, serve, start and do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import VERBS, split_identifier, stem, synonym_groups
from grounded_builder.drafting.planner.brands import Brand, brands_of
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.mentions import Mention, mentions_in

_SOURCE = re.compile(r"\bfrom\s+(?:the\s+|an?\s+|my\s+)?$", re.IGNORECASE)
_REACH = 16
# What is done to what stands before where it goes.
_OBJECT_ENDS = re.compile(
    r"(?<=\w)\s+(?:to|into|in|on|from|with|using|via|by|at|for)\s", re.IGNORECASE
)
# "get new orders" gets them: behind a verb, what is new is not made.
_FRESH = re.compile(r"(?<=\w)\s+(?:new|newest|latest|incoming|recent)\b", re.IGNORECASE)
_THINGS = ("message", "row", "record", "item")


@dataclass(frozen=True, slots=True)
class Pick:
    """A tool for a clause with the operation that its words ask for; ``said`` names it.

    ``serves`` is the kind by which it works for another tool, where it is chosen for that.
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""
    serves: str = ""


class Toolbox:
    """One catalog for one request; ``named_only`` leaves out what words only suggest."""

    def __init__(self, domain: Domain, registry: Registry, *, named_only: bool = False) -> None:
        self.named_only = named_only
        self.domain = domain
        self.registry = registry

    def spec(self, tool: str) -> Any:
        """The tool, compiled at its usual version."""
        return self.registry.spec(tool, self._version(tool))

    def is_trigger(self, tool: str) -> bool:
        """Whether a tool starts a graph."""
        return "trigger" in self.registry.tools[tool].capabilities

    def is_installed(self, tool: str) -> bool:
        """Whether a tool can be used at all."""
        row = self.registry.tools.get(tool)
        return row is not None and row.availability == "installed"

    def needs_account(self, tool: str) -> bool:
        """Whether a tool does nothing without credentials."""
        variants = self.registry.tool(tool)["variants"]
        return any(one.get("required") for one in variants[-1].get("credentials") or ())

    def wants(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """The kinds of sub-node that a tool cannot work without."""
        return self.domain.prompting.required_sub_nodes(self.spec(tool), params or {})

    def takes(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """The kinds of sub-node that a tool can have."""
        return self.domain.prompting.accepted_sub_nodes(self.spec(tool), params or {})

    def serves(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """The kinds by which a tool works for another one."""
        return self.domain.prompting.sub_node_kinds(self.spec(tool), params or {})

    def variant(self, tool: str, kind: str) -> str | None:
        """The tool that does the same as another one, as a sub-node of a kind."""
        same = (
            row.id
            for row in self.registry.tools.values()
            if tool in row.equivalent_to and kind in row.capabilities and self.is_installed(row.id)
        )
        return next(same, None)

    def cued(self, text: str, *, starts: bool = False, named: bool = False) -> list[str]:
        """The installed tools that phrases of a text mean, in the domain's order."""
        return [
            cue.tool
            for cue in self.domain.prompting.phrases
            if cue.starts == starts
            and cue.named >= named
            and self.is_installed(cue.tool)
            and re.search(cue.pattern, text, re.IGNORECASE)
        ]

    def matched(self, text: str, *, starts: bool) -> re.Match[str] | None:
        """Where the first phrase that means a tool stands."""
        for cue in self.domain.prompting.phrases:
            if cue.starts == starts and self.is_installed(cue.tool):
                match = re.search(cue.pattern, text, re.IGNORECASE)
                if match:
                    return match
        return None

    def hosts(self) -> list[str]:
        """The tools that phrases mean and that take sub-nodes, in the domain's order."""
        return self._hosts

    @cached_property
    def _hosts(self) -> list[str]:
        tools = (cue.tool for cue in self.domain.prompting.phrases if self.is_installed(cue.tool))
        return [tool for tool in dict.fromkeys(tools) if self.takes(tool)]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of sub-node that hosts cannot work without."""
        wanted = (kind for host in self.hosts() for kind in self.wants(host))
        return tuple(dict.fromkeys(wanted))

    def brands(self, text: str, kind: str) -> tuple[Brand, ...]:
        """The tools of a kind of sub-node whose brands a text names, in its order."""
        found = brands_of(self.registry).named(text, kind)
        return tuple(
            one for one in found if not self.wants(one.tool) or kind not in self.wants(one.tool)
        )

    def brand_names(self, kind: str) -> list[tuple[tuple[str, ...], str]]:
        """Every brand of a kind with its tool."""
        return list(brands_of(self.registry).of(kind).items())

    def speaks(self, text: str) -> bool:
        """Whether a text names a tool or means one by a phrase."""
        return bool(
            mentions_in(text, self.registry)
            or self.cued(text)
            or self.cued(text, starts=True)
            or any(self.brands(text, kind) for kind in self.kinds)
        )

    def mentions(self, text: str) -> list[Mention]:
        """The names in a text; what something comes from is before what it goes to."""
        # The product itself is no tool of its graphs: "an n8n workflow".
        own = self.domain.name.casefold()
        found = [
            mention
            for mention in mentions_in(text, self.registry)
            if mention.said.casefold() != own
        ]
        before = [one for one in found[1:] if _SOURCE.search(text[: one.at][-_REACH:])]
        return [*before, *(one for one in found if one not in before)]

    def acting(self, mention: Mention) -> str:
        """The tool of a name that does something in the line, else the first there is."""
        acting = [tool for tool in mention.tools if not self.is_trigger(tool)] or mention.tools
        return next((one for one in acting if not self.serves(one)), acting[0])

    def starter(self, mention: Mention) -> str | None:
        """The tool that starts a graph for a name."""
        for tool in mention.tools:
            if self.is_trigger(tool):
                return tool
            for starter in self.registry.names.starters.get(tool, ()):
                if self.is_installed(starter) and not self.registry.tools[starter].superseded:
                    return starter
        return None

    def operation(self, tool: str, text: str) -> Mapping[str, Any]:
        """The operation that a text asks for: by what is done to what, else by all its words.

        Where a verb is said without its object, the usual objects are tried.
        """
        done = _OBJECT_ENDS.split(_FRESH.sub(" ", text).strip(), maxsplit=1)[0]
        words = [stem(word) for word in split_identifier(done)]
        if not any(synonym_groups(word) & VERBS for word in words):
            return self._spoken(tool, text)
        document = self.registry.search.by_id.get(tool)
        things = [word for word in words if not synonym_groups(word) & VERBS]
        is_told = document is not None and any(word in document.spoken for word in things)
        tried = [done, text] if is_told else [*(f"{done} {one}" for one in _THINGS), done, text]
        return next((one for said in tried if (one := self._spoken(tool, said))), {})

    def does(self, tool: str, text: str) -> bool:
        """Whether a text asks for an operation of a tool by verb and object."""
        document = self.registry.search.by_id.get(tool)
        done = [stem(word) for word in split_identifier(_OBJECT_ENDS.split(text, maxsplit=1)[0])]
        things = [word for word in done if not synonym_groups(word) & VERBS]
        is_told = document is not None and any(word in document.spoken for word in things)
        return is_told and bool(self._spoken(tool, text))

    def has_operations(self, tool: str) -> bool:
        """Whether a tool must be told which of several things it is to do."""
        return not self.is_trigger(tool) and len(self._usual_operations(tool)) > 1

    def _spoken(self, tool: str, text: str) -> Mapping[str, Any]:
        """The operation that the words which any operation of the tool knows agree on."""
        search = self.registry.search
        document = search.by_id.get(tool)
        if document is None:
            return {}
        terms = {
            term: weight
            for term, weight in search.terms(text).items()
            if term in document.spoken or not synonym_groups(term).isdisjoint(document.meant)
        }
        params = search.hit(document, 1.0, terms).params
        return params if params in self._usual_operations(tool) else {}

    def _usual_operations(self, tool: str) -> list[Mapping[str, Any]]:
        """The operations of a tool at its usual version; older versions may have had others."""
        variants, version = self.registry.tool(tool)["variants"], self._version(tool)
        usual = next(
            (variant for variant in variants if version in variant["versions"]), variants[-1]
        )
        return [one["params"] for one in usual.get("operations") or ()]

    def _version(self, tool: str) -> float:
        row = self.registry.tools[tool]
        usual = row.default_version
        return usual if usual is not None and usual in row.versions else row.newest
