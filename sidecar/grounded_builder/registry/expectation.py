"""What a lexicon expects a text to be about, over the tools of one catalog."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest

from grounded_builder.registry.features import name_features, request_features
from grounded_builder.registry.lexicon import Lexicon
from grounded_builder.registry.model import ToolRow

_LEAST_SHARE = -12.0


@dataclass(frozen=True, slots=True)
class Expected:
    """Logarithms by tool, the likeliest first; ``known`` words of the text were ever seen."""

    logs: Mapping[str, float]
    known: int


class Expectation:
    """A lexicon narrowed to the installed tools of a catalog; silent without a lexicon."""

    def __init__(self, lexicon: Lexicon | None, tools: Iterable[ToolRow]) -> None:
        installed = {tool.id for tool in tools if tool.availability == "installed"}
        self.lexicon = lexicon
        self._present = tuple(
            (number, tool)
            for number, tool in enumerate(lexicon.tools if lexicon else ())
            if tool in installed
        )
        self.seen = frozenset(tool for _, tool in self._present)

    def named(self, text: str, limit: int) -> Expected:
        """The tools that a step of this name most often is, with the logarithm of the share."""
        if self.lexicon is None or not self._present:
            return Expected({}, 0)
        features, words = name_features(text)
        table = self.lexicon.names
        scores = table.scores(features)
        known = sum(feature in table.spans for feature in features[:words])
        present = [(scores[number], tool) for number, tool in self._present]
        best = nlargest(limit, present)
        most = best[0][0]
        total = most + math.log(math.fsum(math.exp(score - most) for score, _ in present))
        return Expected({tool: max(_LEAST_SHARE, score - total) for score, tool in best}, known)

    def requested(self, text: str) -> Expected:
        """The log odds of every tool to be used by what such a request asks for."""
        if self.lexicon is None or not self._present:
            return Expected({}, 0)
        features = request_features(text)
        table = self.lexicon.requests
        scores = table.scores(features)
        known = sum(feature in table.spans for feature in features)
        return Expected({tool: scores[number] for number, tool in self._present}, known)
