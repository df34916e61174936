"""Which block a phrase of a request names: of signals, or of the networks that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import STOP, singular, split_identifier
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.keyword_plan.stop_words import HOW
from grounded_builder.domains.simulink.resolve.constraints import kept
from grounded_builder.domains.simulink.resolve.name_index import BASE, fold, names_of
from grounded_builder.ir.resolution import NameContext

_SHORTEST = 4
_QUICK, _TABLES = "simulink/Quick Insert/", "simulink/Lookup Tables/"
# What elements have; a model of equations has it as well.
_QUANTITIES = frozenset(
    "resistance inductance capacitance inertia friction stiffness damping mass voltage".split()
)
# Libraries of physical elements, the general ones first.
_NETWORKS = ("fl_lib", "nesl_utility", "ee_lib")
_SAID_SO = re.compile(
    r"\b(simscape|voltage divider|physical (network|model)"
    r"|(electric\w*|rc|rl|rlc|lc)( series| parallel)? circuit)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names by which a request calls blocks; ``physical`` puts elements of networks first."""

    registry: Registry
    goal: str
    physical: bool
    _known: dict[tuple[str, bool], list[str]] = field(default_factory=dict, compare=False)

    def spec(self, tool: str) -> BlockSpec:
        """A block in its compact form."""
        spec: BlockSpec = self.registry.spec(tool, self.registry.tools[tool].newest)
        return spec

    def meant(self, phrase: str, *, stressed: bool = False) -> list[str]:
        """The blocks that a phrase may name, one where it is clear.

        Of a single word a preset is meant only where it is ``stressed``, as in "the cosine of".
        """
        asked = (phrase, stressed)
        if asked not in self._known:
            self._known[asked] = self._meant(phrase, stressed=stressed)
        return list(self._known[asked])

    def _meant(self, phrase: str, *, stressed: bool) -> list[str]:
        for form in (phrase, " ".join(singular(word) for word in phrase.casefold().split())):
            found = self._named(form, stressed=stressed)
            if found:
                return found
        return self._shortened(phrase) if self.physical else []

    def optional(self, phrase: str) -> tuple[str, dict[str, str]] | None:
        """The one source that has an option of the name before "wave", and that option."""
        words = split_identifier(phrase)
        if words[-1] not in ("wave", "signal", "waveform", "noise"):
            return None
        key = fold(" ".join(words[:-1]))
        hits = [
            (tool, {one.name: option})
            for tool, row in self.registry.tools.items()
            if row.package == BASE and self.is_source(tool) and not tool.startswith(_QUICK)
            for one in self.spec(tool).parameters.values()
            if one.kind == "choice"
            for option in one.options
            if fold(option) == key
        ]
        return hits[0] if len(hits) == 1 else None

    def _named(self, phrase: str, *, stressed: bool) -> list[str]:
        key = fold(phrase)
        is_word = len(split_identifier(phrase)) == 1
        names = names_of(self.registry)
        found = [*names.titles.get(key, ()), *names.others.get(key, ())]
        context = NameContext(goal=self.goal)
        ids = kept(dict.fromkeys(found), self.registry, context) if found else []
        rows = self.registry.tools
        ids = [one for one in ids if not any(two in ids for two in rows[one].equivalent_to)]
        if self.physical:
            # Without known ports an element cannot be joined to anything.
            ids = [one for one in ids if rows[one].package not in _NETWORKS or self.is_element(one)]
            elements = [one for one in ids if self.is_element(one)]
            for library in _NETWORKS:
                own = [element for element in elements if rows[element].package == library]
                if own:
                    return own if library == _NETWORKS[0] else self._shortened(phrase) or own
        base = [one for one in ids if rows[one].package == BASE]
        if is_word and self.physical:
            # What else a word means beside sources and sinks of signals is hardly meant here.
            ends = [one for one in base if {"source", "sink"} & set(rows[one].capabilities)]
            base = ends or [one for one in base if fold(rows[one].name) == key]
        if "lookup" not in key and "table" not in key and not stressed:
            base = [one for one in base if not one.startswith(_TABLES)]
        if is_word:
            hidden = (_TABLES,) if stressed else (_QUICK, _TABLES)
            base = [one for one in base if not one.startswith(hidden)]
        if base:
            return _first(base, key)
        patterns = [tool for tool, called in self.patterns() if key in called and not self.physical]
        if patterns:
            return patterns[:1]
        others = [one for one in ids if rows[one].package not in (BASE, *_NETWORKS)]
        if self.physical:
            return []
        if is_word:
            # A word that some library has a block of may mean anything else.
            others = [one for one in others if stressed and one not in names.titles.get(key, ())]
        elif key in names.titles:
            others = [one for one in others if one in names.titles[key]] or others
        return others if len(key) > _SHORTEST and len(others) == 1 else []

    def _shortened(self, phrase: str) -> list[str]:
        """Elements whose name ends with a phrase: a spring is a translational or another one."""
        words = tuple(singular(one) for one in split_identifier(phrase))
        if not words or words[-1] in STOP or (len(words) == 1 and words[0] in HOW):
            return []
        return [
            tool
            for tool, row in self.registry.tools.items()
            if row.package == _NETWORKS[0]
            and not row.hidden
            and self.is_element(tool)
            and split_identifier(row.name)[-len(words) :] == words
        ]

    def patterns(self) -> Iterable[tuple[str, frozenset[str]]]:
        """Every pattern with its folded names."""
        return _patterns(self.registry)

    def is_element(self, tool: str) -> bool:
        """Whether a block belongs to a physical network."""
        return "physical" in self.registry.tools[tool].capabilities

    def is_source(self, tool: str) -> bool:
        """Whether a block of signals begins a chain."""
        return "source" in self.registry.tools[tool].capabilities and not self.is_element(tool)

    def is_sink(self, tool: str) -> bool:
        """Whether a block of signals ends a chain."""
        if "sink" in self.registry.tools[tool].capabilities:
            return True
        ports = self.spec(tool).ports
        return ports is not None and ports.get("in", 0) > 0 and not ports.get("out")


@cache
def _patterns(registry: Registry) -> tuple[tuple[str, frozenset[str]], ...]:
    tools = dict.fromkeys(tool for _, tool in names_of(registry).patterns)
    rows = ((tool, registry.tools[tool]) for tool in tools)
    return tuple((t, frozenset(map(fold, (row.name, *row.aliases)))) for t, row in rows)


def _first(ids: list[str], key: str) -> list[str]:
    """Of several blocks of the base library the one that bears the name itself."""
    if len(ids) == 1:
        return ids
    titled = [one for one in ids if fold(one.rsplit("/", 1)[1]) == key]
    plain = [one for one in titled or ids if not one.startswith((_QUICK, _TABLES))]
    return plain if len(plain) == 1 else titled or ids


def lexicon_for(request: str, words: Iterable[str], registry: Registry) -> Lexicon:
    """The names that a request means: of networks where it says so or names an element of one.

    A single word counts only where it names an electrical element: mass and inertia are
    quantities as well.
    """
    said = list(words)
    physical = Lexicon(registry, request, physical=True)
    if _SAID_SO.search(request):
        return physical
    plain = Lexicon(registry, request, physical=False)
    at = elements = 0
    while at < len(said):
        size = next((n for n in (4, 3, 2, 1) if _is_known(said[at : at + n], plain)), 0)
        if not size:
            size = next((n for n in (4, 3, 2, 1) if _is_element(said[at : at + n], registry)), 0)
            elements += bool(size)
        at += size or 1
    # A network has a source and a load at least.
    return physical if elements > 1 else plain


def _is_known(words: list[str], plain: Lexicon) -> bool:
    """Whether words name blocks of signals; a twin of an element in another library is none."""
    meant = plain.meant(" ".join(words)) if words else []
    rows = plain.registry.tools
    own = any(rows[one].package in (BASE, "pattern") for one in meant)
    return own or (bool(meant) and not _is_element(words, plain.registry))


def _is_element(words: list[str], registry: Registry) -> bool:
    if words and words[-1].casefold() in _QUANTITIES:
        return False
    names = names_of(registry)
    form = fold(" ".join(singular(one) for one in " ".join(words).casefold().split()))
    ids = [*names.titles.get(form, ()), *names.others.get(form, ())]
    ids = [one for one in ids if registry.tools[one].package == _NETWORKS[0]]
    return any(len(words) > 1 or "/Electrical Elements/" in one for one in ids)
