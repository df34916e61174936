"""Reads and writes usage lexicons: a domain's learned weights from text features to tools.

A lexicon is a file in this package, made by ``scripts/learn_lexicon.py``. It has hashed features
with a weight for some tools each, and none of the texts it was learned from. Tools that did not
occur in those texts have no weight and are found only by the words of the catalog.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson
import zstandard

_LARGEST = 64_000_000
_LEVEL = 19
UNIT = 0.001

Steps = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """Sparse weights: a feature's span in ``tools`` (numbers) and ``values`` (times UNIT).

    ``bias`` is the weight of each tool without any feature, ``rarity`` that of a feature.
    """

    bias: array[float]
    spans: Mapping[int, tuple[int, int, float]]
    tools: array[int]
    values: array[int]

    def scores(self, features: Iterable[int], bias: Sequence[float] | None = None) -> list[float]:
        """Returns the score of every tool; ``bias`` replaces the learned bias."""
        known = [span for span in map(self.spans.get, features) if span is not None]
        scores = list(bias or self.bias)
        if not known:
            return scores
        norm = math.sqrt(sum(rarity * rarity for _, _, rarity in known))
        tools, values = self.tools, self.values
        for start, end, rarity in known:
            share = rarity / norm * UNIT
            for tool, value in zip(tools[start:end], values[start:end], strict=True):
                scores[tool] += share * value
        return scores


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The learned weights of one domain.

    ``names`` score the tool that a step's name means (exponents of a share), ``requests`` the
    tools that the workflow of a title uses (log odds). ``terms`` are the weights that combine the
    lexicon with the words of a catalog. ``steps`` give, for each kind of answer, how often an
    answer of a share was right.
    """

    tools: tuple[str, ...]
    names: Weights
    requests: Weights
    terms: Mapping[str, Sequence[float]]
    steps: Mapping[str, Steps]


@lru_cache(8)
def load_lexicon(domain: str) -> Lexicon | None:
    """Returns the lexicon that ships for a domain, None if there is none."""
    file = files(__package__) / "lexicons" / f"{domain}.lexicon"
    return loads(file.read_bytes()) if file.is_file() else None


def dumps(lexicon: Lexicon) -> bytes:
    """Returns a lexicon as compressed bytes: a line of JSON, then its numbers, little-endian."""
    blocks: list[bytes] = []
    head: dict[str, Any] = {
        "tools": lexicon.tools,
        "terms": lexicon.terms,
        "steps": lexicon.steps,
    }
    for name, weights in (("names", lexicon.names), ("requests", lexicon.requests)):
        order = sorted(weights.spans)
        spans = [weights.spans[number] for number in order]
        arrays: list[array[Any]] = [
            weights.bias,
            array("I", order),
            array("H", (end - start for start, end, _ in spans)),
            array("f", (rarity for _, _, rarity in spans)),
            array("H", (t for start, end, _ in spans for t in weights.tools[start:end])),
            array("h", (v for start, end, _ in spans for v in weights.values[start:end])),
        ]
        head[name] = [len(numbers) for numbers in arrays]
        blocks += [_little(numbers).tobytes() for numbers in arrays]
    content = b"".join([orjson.dumps(head), b"\n", *blocks])
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content)


def loads(content: bytes) -> Lexicon:
    """Returns the lexicon in the bytes that ``dumps`` made."""
    plain = zstandard.ZstdDecompressor().decompress(content, max_output_size=_LARGEST)
    line, _, rest = plain.partition(b"\n")
    head = orjson.loads(line)
    tables: list[Weights] = []
    at = 0
    for name in ("names", "requests"):
        arrays: list[array[Any]] = []
        for kind, size in zip("fIHfHh", head[name], strict=True):
            numbers: array[Any] = array(kind)
            end = at + size * numbers.itemsize
            numbers.frombytes(rest[at:end])
            arrays.append(_little(numbers))
            at = end
        bias, order, lengths, rarities, tools, values = arrays
        spans: dict[int, tuple[int, int, float]] = {}
        start = 0
        for feature, length, rarity in zip(order, lengths, rarities, strict=True):
            spans[feature] = start, start + length, rarity
            start += length
        tables.append(Weights(bias, spans, tools, values))
    return Lexicon(
        tools=tuple(head["tools"]),
        names=tables[0],
        requests=tables[1],
        terms={key: tuple(row) for key, row in head["terms"].items()},
        steps={key: tuple(map(tuple, rows)) for key, rows in dict(head["steps"]).items()},
    )


def _little(numbers: array[Any]) -> array[Any]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers
