"""Learns sparse weights from counted examples by gradient descent, in plain Python."""

from __future__ import annotations

import math
import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grounded_builder.catalog.usage_lexicon import UNIT, Weights

Features = Sequence[int]

_LEAST_SEEN = 2
_LEAST_STEP = 0.002
_LEAST_WEIGHT = 0.1
_MOST_WEIGHT = 30.0


@dataclass(frozen=True, slots=True)
class Example:
    """The features of a text, and how often it stood for each tool."""

    features: Features
    tools: tuple[int, ...]


def learn_names(
    examples: Sequence[Example], tools: int, *, epochs: int = 6, rate: float = 1.0
) -> Weights:
    """Returns weights for a softmax over the scores: one tool per example."""
    return _learn(examples, tools, epochs, rate, _slopes_of_shares)


def learn_requests(
    examples: Sequence[Example], tools: int, *, epochs: int = 8, rate: float = 1.0
) -> Weights:
    """Returns weights for scores that are log odds: any number of tools per example."""
    return _learn(examples, tools, epochs, rate, _slopes_of_odds)


def _learn(
    examples: Sequence[Example],
    tools: int,
    epochs: int,
    rate: float,
    slopes_of: Callable[[list[float], tuple[int, ...]], list[tuple[int, float]]],
) -> Weights:
    """Returns the weights after gradient steps; ``slopes_of`` is the gradient of the loss.

    It takes the scores of all tools and the right tools, and returns tools with their slopes.
    """
    rows, rarities = _rows(examples)
    count = Counter(tool for example in examples for tool in example.tools)
    bias = [math.log((count[tool] + 0.5) / (len(examples) + 1)) for tool in range(tools)]
    table: list[dict[int, float]] = [{} for _ in rarities.features]
    order = list(range(len(rows)))
    draw = random.Random(1)  # noqa: S311 - a seeded order, not cryptography
    for epoch in range(epochs):
        step = rate * (1 - epoch / epochs)
        draw.shuffle(order)
        for at in order:
            scores = _score_tools(bias, table, rows[at])
            _descend(table, rows[at], slopes_of(scores, examples[at].tools), step)
    return _pack_weights(bias, table, rarities)


def _slopes_of_shares(scores: list[float], right: tuple[int, ...]) -> list[tuple[int, float]]:
    first = right[0]
    most = max(scores)
    shares = [math.exp(score - most) for score in scores]
    total = sum(shares)
    slopes = [
        (tool, share / total)
        for tool, share in enumerate(shares)
        if share > _LEAST_STEP * total and tool != first
    ]
    return [*slopes, (first, shares[first] / total - 1)]


def _slopes_of_odds(scores: list[float], right: tuple[int, ...]) -> list[tuple[int, float]]:
    odds = [1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) for score in scores]
    return [
        (tool, share - (tool in right))
        for tool, share in enumerate(odds)
        if share > _LEAST_STEP or tool in right
    ]


@dataclass(frozen=True, slots=True)
class _Rarities:
    features: list[int]
    values: list[float]

    def __len__(self) -> int:
        return len(self.features)


def _rows(examples: Sequence[Example]) -> tuple[list[list[tuple[int, float]]], _Rarities]:
    """Return each example as feature numbers with their shares, without features seen only once."""
    count = Counter(feature for example in examples for feature in example.features)
    features = sorted(feature for feature, times in count.items() if times >= _LEAST_SEEN)
    number = {feature: at for at, feature in enumerate(features)}
    total = len(examples)
    values = [math.log((total + 1) / (count[feature] + 0.5)) for feature in features]
    most = max(values, default=1.0)
    values = [max(0.05, value / most) for value in values]
    rows = []
    for item in examples:
        known = [number[feature] for feature in item.features if feature in number]
        norm = math.sqrt(sum(values[at] ** 2 for at in known)) or 1.0
        rows.append([(at, values[at] / norm) for at in known])
    return rows, _Rarities(features, values)


def _score_tools(
    bias: list[float], table: list[dict[int, float]], row: Iterable[tuple[int, float]]
) -> list[float]:
    scores = list(bias)
    for feature, share in row:
        for tool, weight in table[feature].items():
            scores[tool] += share * weight
    return scores


def _descend(
    table: list[dict[int, float]],
    row: Iterable[tuple[int, float]],
    slopes: Iterable[tuple[int, float]],
    step: float,
) -> None:
    for feature, share in row:
        weights = table[feature]
        pace = step * share
        for tool, slope in slopes:
            weights[tool] = weights.get(tool, 0.0) - pace * slope


def _pack_weights(bias: list[float], table: list[dict[int, float]], rarities: _Rarities) -> Weights:
    """Return the table in fixed point, without negligible weights."""
    tools, values = array("H"), array("h")
    spans: dict[int, tuple[int, int, float]] = {}
    for feature, rarity, weights in zip(rarities.features, rarities.values, table, strict=True):
        start = len(tools)
        for tool in sorted(weights):
            if abs(weights[tool]) >= _LEAST_WEIGHT:
                tools.append(tool)
                values.append(round(max(-_MOST_WEIGHT, min(_MOST_WEIGHT, weights[tool])) / UNIT))
        spans[feature] = start, len(tools), rarity
    return Weights(array("f", bias), spans, tools, values)
