"""Estimates which installed tools a name or a request uses, from the domain's usage lexicon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.catalog.usage_features import name_features, request_features
from grounded_builder.catalog.usage_lexicon import Lexicon

_MIN_LOG = -12.0
_LIKELY_RANGE = 6.0
_COUNTED_RANGE = 12.0
_ABSENT = -1e9


@dataclass(frozen=True, slots=True)
class ExpectedTool:
    """Log probabilities by tool, best first; ``known`` is how many words the lexicon has."""

    logs: Mapping[str, float]
    known: int


class UsagePrior:
    """A lexicon restricted to the installed tools of a catalog; empty without a lexicon."""

    def __init__(self, lexicon: Lexicon | None, tools: Iterable[ToolRow]) -> None:
        installed = {tool.id for tool in tools if tool.availability == "installed"}
        self.lexicon = lexicon
        present = [
            (number, tool)
            for number, tool in enumerate(lexicon.tools if lexicon else ())
            if tool in installed
        ]
        self._numbers = tuple(number for number, _ in present)
        self._ids = tuple(tool for _, tool in present)
        self.seen = frozenset(self._ids)
        biases = lexicon.names.bias if lexicon else ()
        self._name_bias = [
            weight if tool in self.seen else _ABSENT
            for weight, tool in zip(biases, lexicon.tools if lexicon else (), strict=True)
        ]

    def terms(self, use: str) -> Sequence[float] | None:
        """Returns the feature weights for a use, None if the lexicon has none of the tools."""
        return self.lexicon.terms.get(use) if self.lexicon and self.seen else None

    def is_unknown_stem(self, word: str) -> bool:
        """Returns whether no name in the training data had this stem."""
        lexicon = self.lexicon
        return lexicon is not None and crc32(word.encode()) not in lexicon.names.spans

    def expect_by_name(self, text: str, limit: int) -> ExpectedTool:
        """Returns the tools that a step of this name most often uses, with log shares."""
        if self.lexicon is None or not self._ids:
            return ExpectedTool({}, 0)
        features, words = name_features(text)
        table = self.lexicon.names
        scores = table.scores(features, self._name_bias)
        known = sum(feature in table.spans for feature in features[:words])
        most = max(scores)
        least, far = most - _LIKELY_RANGE, most - _COUNTED_RANGE
        near = [score - most for score in scores if score > far]
        total = most + math.log(math.fsum(map(math.exp, near)))
        likely = [(score, at) for at, score in enumerate(scores) if score > least]
        likely.sort(reverse=True)
        tools = self.lexicon.tools
        logs = {tools[at]: max(_MIN_LOG, score - total) for score, at in likely[:limit]}
        return ExpectedTool(logs, known)

    def expect_by_request(self, text: str) -> ExpectedTool:
        """Returns the log odds of each tool to be used for such a request."""
        if self.lexicon is None or not self._ids:
            return ExpectedTool({}, 0)
        features = request_features(text)
        table = self.lexicon.requests
        scores = table.scores(features)
        known = sum(feature in table.spans for feature in features)
        return ExpectedTool(
            {tool: scores[at] for at, tool in zip(self._numbers, self._ids, strict=True)}, known
        )
