"""Writes SVG elements (lines, shapes, text), fits texts to a width, and strips HTML of notes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from grounded_builder.catalog.text_cleaning import sub_closed
from grounded_builder.domains.simulink.draw.geometry import Point

_TAG = re.compile(r"<[^>]*>")
_WIDE = 0.56  # of the size of the letters, on average
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


def number(value: float) -> str:
    """Returns a length with at most one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def polyline(points: Iterable[Point], kind: str = "") -> str:
    """Returns a line through points."""
    shown = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline points="{shown}"{_class(kind)}/>'


def polygon(points: Iterable[Point], kind: str = "") -> str:
    """Returns a closed shape."""
    shown = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polygon points="{shown}"{_class(kind)}/>'


def path(steps: str, kind: str = "") -> str:
    """Returns a path of SVG steps."""
    return f'<path d="{steps}"{_class(kind)}/>'


def rectangle(left: float, top: float, width: float, height: float, kind: str = "") -> str:
    """Returns a rectangle."""
    place = f'x="{number(left)}" y="{number(top)}"'
    return f'<rect {place} width="{number(width)}" height="{number(height)}"{_class(kind)}/>'


def ellipse(centre: Point, across: float, down: float) -> str:
    """Returns an ellipse by its half axes."""
    place = f'cx="{number(centre[0])}" cy="{number(centre[1])}"'
    return f'<ellipse {place} rx="{number(across)}" ry="{number(down)}"/>'


def text(at: Point, words: str, size: float = 10, anchor: str = "middle", kind: str = "") -> str:
    """Returns one line of text, vertically centred at ``at``."""
    shown = escape(_UNSEEN.sub("", words))
    place = f'x="{number(at[0])}" y="{number(at[1])}" font-size="{number(size)}"'
    return f'<text {place} text-anchor="{anchor}" dy=".35em"{_class(kind)}>{shown}</text>'


def fit_text(words: str, width: float, most: float = 10, least: float = 6) -> tuple[str, float]:
    """Returns a text and its font size for a width; cut where the smallest size is too wide."""
    words = " ".join(words.split())
    size = min(most, width / max(len(words) * _WIDE, 1))
    if size >= least:
        return words, size
    room = max(int(width / (least * _WIDE)) - 1, 1)
    return (words if len(words) <= room else words[:room] + "\u2026"), least


def plain(note: str) -> list[str]:
    """Returns the lines of a note without HTML tags."""
    if note.lstrip().startswith("<"):
        head = note.find("<body")
        note = note[head:] if head >= 0 else note
        note = re.sub(r"</p>|<br\s*/?>", "\n", note)
        note = sub_closed(_TAG, ">", "", note)
        note = note.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">")
        note = note.replace("&amp;", "&")
    return [line.strip() for line in note.split("\n") if line.strip()]


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
