"""Choose the tools that a clause asks for: what starts the graph, what is done, what serves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domain import Domain
from grounded_builder.planner.clauses import Clause
from grounded_builder.planner.mentions import Mention, is_everyday, mentions_in
from grounded_builder.planner.timing import schedule_in
from grounded_builder.registry.registry import Registry
from grounded_builder.registry.search import Hit
from grounded_builder.registry.words import meanings
from grounded_builder.resolve.finding import find_tools

# Words of something that happens; a schedule beside them polls for it, without them it acts.
_EVENT = re.compile(
    r"\b(?:when\w*|trigger\w*|new|incoming|once|upon|arriv\w+|receiv\w+|check for|watch\w*|"
    r"monitor\w*|listen\w*)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(r"\b(?:from|in|of)\s+(?:the\s+|an?\s+|my\s+)?$", re.IGNORECASE)
_LEAST = 0.55
_LEAST_WITH_OPERATION = 0.35
_EXPECTED = 0.6
_FEW_WORDS = 1
# How people speak of what decides or repeats; whose condition it is says nothing of the tool.
_DECIDING = {"if": "if it holds", "each": "for each item"}
_USUAL = 4
_MOST = 0.75
_NAMED = 0.5


@dataclass(frozen=True, slots=True)
class Pick:
    """A tool for a clause with the operation that its words ask for; ``said`` names it."""

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


class Chooser:
    """The choices of one request over one catalog; ``named_only`` leaves out what words suggest."""

    def __init__(self, domain: Domain, registry: Registry, *, named_only: bool = False) -> None:
        self._named_only = named_only
        self._domain = domain
        self._registry = registry

    def speaks(self, text: str) -> bool:
        """Whether a text names a tool or means one by a phrase."""
        return bool(mentions_in(text, self._registry)) or self._cue(text) is not None

    def choices(self, clause: Clause, *, first: bool) -> list[Pick]:
        """The tools of one clause in the order of the work; what starts the graph comes first."""
        if clause.role in ("if", "each"):
            deciding = self._cue(_DECIDING[clause.role], starts=False)
            return [Pick(deciding)] if deciding is not None else []
        start = self._start(clause) if first else None
        if start is None:
            return self._acts(clause.text, [])
        told = [one for one in self._mentions(clause.text) if one.said == start.said]
        cue = self._matched(clause.text, starts=True) if not told else None
        rest = clause.text[: cue.start()] + " " + clause.text[cue.end() :] if cue else clause.text
        if told:
            return [start, *self._acts(clause.text, told)]
        if len(rest.split()) <= _FEW_WORDS:
            return [start]
        if schedule_in(clause.text) is None and clause.role == "start":
            return [start, *self._acts(rest, [], guessed=False)]
        return [start, *self._acts(rest, [])]

    def serving(self, said: str, kind: str, *, learnt: bool = False) -> Pick | None:
        """The tool of a kind of sub-node that words name; ``learnt`` takes the usual one."""
        hits = self._registry.search.find(said, 3, kind=kind)
        terms = self._registry.search.terms(said)
        for hit in hits:
            if (
                not self._wants(hit.tool)
                and self._registry.search.named(self._registry.search.by_id[hit.tool], terms) >= 0.5
            ):
                return Pick(hit.tool, {}, said)
        if not learnt:
            return None
        usual = [hit.tool for hit in find_tools(said, self._registry, _USUAL, kind=kind)]
        usual = [tool for tool in usual if not self._wants(tool)]
        free = [tool for tool in usual if not self._needs_account(tool)]
        chosen = free or usual
        return Pick(chosen[0]) if chosen else None

    def cued(self, text: str, *, starts: bool = False) -> list[str]:
        """The installed tools that phrases of a text mean, in the domain's order."""
        return [
            cue.tool
            for cue in self._domain.speech.cues
            if cue.starts == starts
            and self._installed(cue.tool)
            and re.search(cue.pattern, text, re.IGNORECASE)
        ]

    def hosts(self) -> list[str]:
        """The tools that phrases mean and that take sub-nodes, in the domain's order."""
        tools = (cue.tool for cue in self._domain.speech.cues if self._installed(cue.tool))
        return [tool for tool in dict.fromkeys(tools) if self._takes(tool)]

    def is_trigger(self, tool: str) -> bool:
        """Whether a tool starts a graph."""
        return "trigger" in self._registry.tools[tool].capabilities

    def spec(self, tool: str) -> Any:
        """The tool, compiled at its usual version."""
        row = self._registry.tools[tool]
        version = row.default_version if row.default_version in row.versions else row.newest
        return self._registry.spec(tool, version)

    def _start(self, clause: Clause) -> Pick | None:
        """What starts the graph; a service of its own where the clause tells its event."""
        text = clause.text
        cue = self._cue(text, starts=True)
        matched = self._matched(text, starts=True)
        rest = f"{text[: matched.start()]} {text[matched.end() :]}" if matched else text
        if _EVENT.search(rest) or (clause.role == "start" and cue is None):
            for mention in self._mentions(text):
                trigger = self._trigger_of(mention)
                if trigger is not None and (cue is None or matched is None or _EVENT.search(rest)):
                    return Pick(trigger, self._operation(trigger, text), mention.said)
        if cue is not None:
            return Pick(cue)
        if clause.role != "start":
            return None
        hit = self._clear(text, starts=True)
        return Pick(hit.tool, hit.params) if hit is not None else None

    def _acts(self, text: str, spent: list[Mention], *, guessed: bool = True) -> list[Pick]:
        """What is done: hosts meant by phrases, tools called by name, else what words find."""
        named = [one for one in self._mentions(text) if one not in spent]
        picks = [self._action(one, text) for one in named]
        meant = self.cued(text)
        hosts = [tool for tool in meant if self._takes(tool)]
        served = [tool for tool in meant if self._serves(tool)]
        known = {pick.tool for pick in picks}
        if hosts and not any(self._takes(pick.tool) for pick in picks):
            picks.insert(0, Pick(hosts[0]))
        if hosts:
            picks = [pick for pick in picks if not (pick.said and self.cued(pick.said))]
        if hosts or not named:
            picks += [Pick(tool) for tool in served if tool not in known]
        if picks or spent:
            return picks
        if meant:
            return [Pick(meant[0])]
        hit = self._clear(text, starts=False) if guessed else None
        return [Pick(hit.tool, hit.params)] if hit is not None else []

    def _action(self, mention: Mention, text: str) -> Pick:
        acting = [tool for tool in mention.tools if not self.is_trigger(tool)] or mention.tools
        tool = next((one for one in acting if not self._serves(one)), acting[0])
        return Pick(tool, self._operation(tool, text), mention.said)

    def _operation(self, tool: str, text: str) -> Mapping[str, Any]:
        """The operation that the words which any operation of the tool knows agree on."""
        search = self._registry.search
        document = search.by_id.get(tool)
        if document is None:
            return {}
        terms = {
            term: weight
            for term, weight in search.terms(text).items()
            if term in document.spoken or not meanings(term).isdisjoint(document.meant)
        }
        params = search.hit(document, 1.0, terms).params
        return params if params in self._usual_operations(tool) else {}

    def _usual_operations(self, tool: str) -> list[Mapping[str, Any]]:
        """The operations of a tool at its usual version; older versions may have had others."""
        row, variants = self._registry.tools[tool], self._registry.tool(tool)["variants"]
        version = row.default_version if row.default_version in row.versions else row.newest
        usual = next((one for one in variants if version in one["versions"]), variants[-1])
        return [one["params"] for one in usual.get("operations") or ()]

    def _mentions(self, text: str) -> list[Mention]:
        """The names in a text; what something comes from is before what it goes to."""
        # The product itself is no tool of its graphs: "an n8n workflow".
        own = self._domain.name.casefold()
        found = [one for one in mentions_in(text, self._registry) if one.said.casefold() != own]
        sources = [one for one in found[1:] if _SOURCE.search(text[: one.at])]
        from_there = [one for one in sources if re.search(r"\bfrom\b", text[: one.at][-12:])]
        return [*from_there, *(one for one in found if one not in from_there)]

    def _trigger_of(self, mention: Mention) -> str | None:
        for tool in mention.tools:
            if self.is_trigger(tool):
                return tool
            for starter in self._registry.names.starters.get(tool, ()):
                if self._installed(starter) and not self._registry.tools[starter].superseded:
                    return starter
        return None

    def _clear(self, text: str, *, starts: bool) -> Hit | None:
        """The tool that fits a text clearly enough; an operation that fits counts for it."""
        if self._named_only:
            return None
        for hit in self._registry.search.find(text, 6, trigger=starts):
            least = _LEAST_WITH_OPERATION if hit.params else _LEAST
            clear = hit.score >= least and (hit.params or starts or self._named(hit.tool, text))
            if clear and self._stands_alone(hit.tool):
                return hit
        for hit in find_tools(text, self._registry, 1, trigger=starts):
            if hit.why and hit.score >= _EXPECTED and self._stands_alone(hit.tool):
                return hit
        return None

    def _stands_alone(self, tool: str) -> bool:
        return not self._serves(tool) and not self._registry.tools[tool].superseded

    def _named(self, tool: str, text: str) -> bool:
        """Whether a text says most of a tool's name, verbs and everyday words aside."""
        search = self._registry.search
        telling = {term for term in search.terms(text) if not is_everyday(term)}
        return search.named(search.by_id[tool], telling) >= _MOST

    def _cue(self, text: str, *, starts: bool | None = None) -> str | None:
        for wanted in (True, False) if starts is None else (starts,):
            found = self.cued(text, starts=wanted)
            if found:
                return found[0]
        return None

    def _matched(self, text: str, *, starts: bool) -> re.Match[str] | None:
        for cue in self._domain.speech.cues:
            if cue.starts == starts and self._installed(cue.tool):
                match = re.search(cue.pattern, text, re.IGNORECASE)
                if match:
                    return match
        return None

    def _installed(self, tool: str) -> bool:
        row = self._registry.tools.get(tool)
        return row is not None and row.availability == "installed"

    def _needs_account(self, tool: str) -> bool:
        variants = self._registry.tool(tool)["variants"]
        return any(one.get("required") for one in variants[-1].get("credentials") or ())

    def _wants(self, tool: str) -> bool:
        return bool(self._domain.speech.wants(self.spec(tool), {}))

    def _takes(self, tool: str) -> bool:
        return bool(self._domain.speech.takes(self.spec(tool), {}))

    def _serves(self, tool: str) -> bool:
        return bool(self._domain.speech.serves(self.spec(tool), {}))
