"""Fit the few weights by which signs count together, and how far a share can be trusted."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from operator import mul

Signs = tuple[float, ...]
Choice = tuple[Sequence[Signs], int]


def score(weights: Sequence[float], signs: Signs) -> float:
    """The signs weighed and added."""
    return math.fsum(map(mul, weights, signs))


def fit_choice(choices: Sequence[Choice], start: Sequence[float], epochs: int = 6) -> list[float]:
    """Weights under which the right one of several candidates is likeliest.

    A choice is the signs of its candidates and the place of the right one.
    """
    weights = list(start)
    total = list(start)
    seen = 1
    draw = random.Random(1)  # noqa: S311 - a seeded order, not cryptography
    order = list(range(len(choices)))
    for epoch in range(epochs):
        step = 0.1 * (1 - epoch / epochs)
        draw.shuffle(order)
        for at in order:
            candidates, right = choices[at]
            scores = [score(weights, signs) for signs in candidates]
            most = max(scores)
            shares = [math.exp(score - most) for score in scores]
            whole = sum(shares)
            for place, signs in enumerate(candidates):
                slope = shares[place] / whole - (place == right)
                if abs(slope) > 0.001:
                    for number, sign in enumerate(signs):
                        weights[number] -= step * slope * sign * 0.3
            if epoch >= epochs // 2:
                seen += 1
                for number, weight in enumerate(weights):
                    total[number] += weight
    return [round(one / seen, 3) for one in total]


def fit_odds(rows: Sequence[tuple[Signs, bool]], start: Sequence[float]) -> list[float]:
    """Weights under which each candidate is as likely as it turned out right."""
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
    return [round(one, 3) for one in weights]


def fit_steps(pairs: Sequence[tuple[float, bool]], least: int = 100) -> list[tuple[float, float]]:
    """How often each share was right: never falling, every step over at least so many pairs."""
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
