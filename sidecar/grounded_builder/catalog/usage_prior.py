"""What a lexicon expects a text to be about, over the tools of one catalog."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.catalog.usage_features import name_features, request_features
from grounded_builder.catalog.usage_lexicon import Lexicon

_LEAST_LOG = -12.0
_SPAN = 6.0
_FAR = 12.0
_ABSENT = -1e9


@dataclass(frozen=True, slots=True)
class ExpectedTool:
    """Logarithms by tool, the likeliest first; ``known`` words of the text were ever seen."""

    logs: Mapping[str, float]
    known: int


class UsagePrior:
    """A lexicon narrowed to the installed tools of a catalog; silent without a lexicon."""

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
        learnt = lexicon.names.bias if lexicon else ()
        self._name_bias = [
            weight if tool in self.seen else _ABSENT
            for weight, tool in zip(learnt, lexicon.tools if lexicon else (), strict=True)
        ]

    def terms(self, use: str) -> Sequence[float] | None:
        """How signs count together for a use; None where the lexicon knows none of the tools."""
        return self.lexicon.terms.get(use) if self.lexicon and self.seen else None

    def unheard(self, word: str) -> bool:
        """Whether no name that was learnt from had this stem."""
        lexicon = self.lexicon
        return lexicon is not None and crc32(word.encode()) not in lexicon.names.spans

    def named(self, text: str, limit: int) -> ExpectedTool:
        """The tools that a step of this name most often is, with the logarithm of the share."""
        if self.lexicon is None or not self._ids:
            return ExpectedTool({}, 0)
        features, words = name_features(text)
        table = self.lexicon.names
        scores = table.scores(features, self._name_bias)
        known = sum(feature in table.spans for feature in features[:words])
        most = max(scores)
        least, far = most - _SPAN, most - _FAR
        near = [score - most for score in scores if score > far]
        total = most + math.log(math.fsum(map(math.exp, near)))
        likely = [(score, at) for at, score in enumerate(scores) if score > least]
        likely.sort(reverse=True)
        tools = self.lexicon.tools
        logs = {tools[at]: max(_LEAST_LOG, score - total) for score, at in likely[:limit]}
        return ExpectedTool(logs, known)

    def requested(self, text: str) -> ExpectedTool:
        """The log odds of every tool to be used by what such a request asks for."""
        if self.lexicon is None or not self._ids:
            return ExpectedTool({}, 0)
        features = request_features(text)
        table = self.lexicon.requests
        scores = table.scores(features)
        known = sum(feature in table.spans for feature in features)
        return ExpectedTool(
            {tool: scores[at] for at, tool in zip(self._numbers, self._ids, strict=True)}, known
        )
