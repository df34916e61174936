"""Fits the weights that combine features into a score, and the accuracy of each score."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from operator import mul

Signs = tuple[float, ...]
Choice = tuple[Sequence[Signs], int]

_PACE = 0.1
_LEAST_SLOPE = 0.001


def score(weights: Sequence[float], signs: Signs) -> float:
    """Return the weighted sum of the features."""
    return math.fsum(map(mul, weights, signs))


def fit_choice(choices: Sequence[Choice], start: Sequence[float], epochs: int = 4) -> list[float]:
    """Return the weights under which the right one of several candidates is likeliest.

    A choice is the signs of its candidates and the place of the right one. Every weight has a
    pace of its own, slower the more it was moved (AdaGrad).
    """
    weights = list(start)
    moved = [1.0] * len(weights)
    total = [0.0] * len(weights)
    draw = random.Random(1)  # noqa: S311 - a seeded order, not cryptography
    order = list(range(len(choices)))
    seen = 0
    for epoch in range(epochs):
        draw.shuffle(order)
        for at in order:
            for number, slope in _slopes(weights, choices[at]):
                moved[number] += slope * slope
                weights[number] -= _PACE * slope / math.sqrt(moved[number])
            if epoch >= epochs // 2:
                seen += 1
                for number, weight in enumerate(weights):
                    total[number] += weight
    return [round(item / seen, 3) for item in total] if seen else weights


def _slopes(weights: Sequence[float], choice: Choice) -> list[tuple[int, float]]:
    """Return the gradient of the loss by each weight that takes part."""
    candidates, right = choice
    scores = [score(weights, signs) for signs in candidates]
    most = max(scores)
    shares = [math.exp(score - most) for score in scores]
    whole = sum(shares)
    slopes = [0.0] * len(weights)
    for place, signs in enumerate(candidates):
        slope = shares[place] / whole - (place == right)
        if abs(slope) > _LEAST_SLOPE:
            for number, sign in enumerate(signs):
                slopes[number] += slope * sign
    return [(number, slope) for number, slope in enumerate(slopes) if slope]


def fit_odds(rows: Sequence[tuple[Signs, bool]], start: Sequence[float]) -> list[float]:
    """Return weights under which the likelihood of a candidate equals how often it was right."""
    weights = list(start)
    draw = random.Random(1)  # noqa: S311 - a seeded order, not cryptography
    order = list(range(len(rows)))
    epochs = 4
    for epoch in range(epochs):
        step = 0.02 * (1 - epoch / epochs)
        draw.shuffle(order)
        for at in order:
            signs, right = rows[at]
            odds = max(-30.0, min(30.0, score(weights, signs)))
            slope = 1 / (1 + math.exp(-odds)) - right
            for number, sign in enumerate(signs):
                weights[number] -= step * slope * sign
    return [round(weight, 3) for weight in weights]


def fit_steps(pairs: Sequence[tuple[float, bool]], least: int = 100) -> list[tuple[float, float]]:
    """Return how often each share was right, as rising steps with a minimum of pairs each."""
    blocks: list[list[float]] = []  # sum of shares, right ones, count
    for share, right in sorted(pairs):
        blocks.append([share, float(right), 1.0])
        while len(blocks) > 1 and (
            blocks[-2][2] < least or blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]
        ):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    if len(blocks) > 1 and blocks[-1][2] < least:
        last = blocks.pop()
        blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return [(round(s / n, 4), round(r / n, 4)) for s, r, n in blocks]
