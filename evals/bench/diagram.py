"""Draws a reliability diagram as SVG: claimed confidence against the share of correct answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SIDE = 300
_MARGIN = 40
_LARGEST = 9.0


@dataclass(frozen=True, slots=True)
class Tenth:
    """Answers of similar confidence: mean confidence, share correct, and its 95 % bounds."""

    claimed: float
    right: float
    low: float
    high: float
    answers: int


def draw_diagram(tenths: Sequence[Tenth], title: str) -> str:
    """Returns the diagram; on its dashed line, answers are correct as often as claimed."""
    return "\n".join(_format_elements(tenths, title)) + "\n"


def _format_elements(tenths: Sequence[Tenth], title: str) -> Iterator[str]:
    whole = _SIDE + 2 * _MARGIN
    most = max((tenth.answers for tenth in tenths), default=1)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{whole}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="{title}">'
    )
    yield f'<rect width="{whole}" height="{whole}" fill="#fff"/>'
    yield f'<text x="{whole / 2:g}" y="20" text-anchor="middle" font-size="13">{title}</text>'
    for step in range(0, 11, 2):
        at = step / 10
        yield _format_line(at, 0, at, 1, "#e5e5e5")
        yield _format_line(0, at, 1, at, "#e5e5e5")
        yield f'<text x="{_x(at):g}" y="{_y(0) + 15:g}" text-anchor="middle">{at:g}</text>'
        yield f'<text x="{_x(0) - 6:g}" y="{_y(at) + 4:g}" text-anchor="end">{at:g}</text>'
    yield _format_line(0, 0, 1, 1, "#777", dashes="4 4")
    for item in tenths:
        yield _format_line(item.claimed, item.low, item.claimed, item.high, "#1f6feb")
        size = 2 + (_LARGEST - 2) * (item.answers / most) ** 0.5
        yield (
            f'<circle cx="{_x(item.claimed):.1f}" cy="{_y(item.right):.1f}" r="{size:.1f}" '
            f'fill="#1f6feb" fill-opacity="0.7"><title>{item.answers} answers: '
            f"{item.claimed:.3f} claimed, {item.right:.3f} right</title></circle>"
        )
    yield f'<text x="{whole / 2:g}" y="{whole - 6}" text-anchor="middle">claimed confidence</text>'
    yield (
        f'<text transform="translate(12 {whole / 2:g}) rotate(-90)" text-anchor="middle">'
        "share that was right</text>"
    )
    yield "</svg>"


def _format_line(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{_x(x1):.1f}" y1="{_y(y1):.1f}" x2="{_x(x2):.1f}" y2="{_y(y2):.1f}" '
        f'stroke="{colour}"{dashed}/>'
    )


def _x(share: float) -> float:
    return _MARGIN + share * _SIDE


def _y(share: float) -> float:
    return _MARGIN + (1 - share) * _SIDE
