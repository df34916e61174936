"""Transfer functions and expressions that a request writes as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from grounded_builder.domains.simulink.matlab_expr import Refused, parse
from grounded_builder.domains.simulink.matlab_expr.polynomial import (
    HIGHEST,
    Polynomial,
    plain,
    plus,
    row,
    times,
)
from grounded_builder.domains.simulink.matlab_expr.rational import exact

_RUN = re.compile(r"(?:(?<![A-Za-z_])[sz](?![A-Za-z_])|[0-9.+\-*/^() ])+")
_NAMED = re.compile(r"\b[A-Za-z]\w*\s*\(\s*[sz]\s*\)\s*=\s*$")
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([sz])|(\*\*|[-+*/^()]))")
_FUNCTIONS = "sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|exp|log|log10|sqrt|abs|sgn|pow|hypot|pi"
_OF_INPUT = re.compile(rf"(?:\b(?:u|{_FUNCTIONS})\b|[-0-9.+*/^(),\s\[\]])+")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of a text: a rational function of ``s`` or ``z``, or an expression of ``u``."""

    start: int
    end: int
    variable: str
    text: str
    numerator: str = ""
    denominator: str = ""


def formulas_in(text: str) -> Iterator[Formula]:
    """The formulas of a text, in its order."""
    for run in _RUN.finditer(text):
        if len(run[0]) > _LONGEST:
            continue
        if "/" in run[0] and ("s" in run[0] or "z" in run[0]):
            yield from _rational(run, text)
    for run in _OF_INPUT.finditer(text):
        if len(run[0]) > _LONGEST:
            continue
        if re.search(r"\bu\b", run[0]) and re.search(rf"[-+*/^]|\b({_FUNCTIONS})\(", run[0]):
            yield from _expression(run)


def _rational(run: re.Match[str], text: str) -> Iterator[Formula]:
    """The longest part of a run of marks that is a fraction with the variable below."""
    words = [(match.start(), match.end()) for match in re.finditer(r"\S*[^\s.]", run[0])]
    spans = sorted(
        ((first[0], last[1]) for n, first in enumerate(words) for last in words[n:]),
        key=lambda span: span[0] - span[1],
    )
    for begin, end in spans[:400]:
        part = run[0][begin:end]
        variable = "s" if "s" in part else "z"
        if "/" not in part or variable not in part:
            continue
        try:
            above, below = _Reader(part, variable).read()
        except (ValueError, ZeroDivisionError):
            continue
        if len(below) < 2:
            continue
        start = run.start() + begin
        named = _NAMED.search(text[:start])
        start = named.start() if named else start
        yield Formula(
            start, run.start() + end, variable, part.replace(" ", ""), row(above), row(below)
        )
        return


def _expression(run: re.Match[str]) -> Iterator[Formula]:
    part = run[0].strip(" ,")
    while part:
        try:
            parse(part)
        except Refused:
            shorter = re.sub(r"[\s,]*[^\s,]+$", "", part)
            part = shorter if shorter != part else ""
            continue
        if re.search(r"\bu\b", part) and not re.fullmatch(r"[-+\s]*u", part):
            start = run.start() + run[0].index(part)
            yield Formula(start, start + len(part), "u", part)
        return


class _Reader:
    """Reads a rational function of one variable: its numerator and denominator."""

    def __init__(self, text: str, variable: str) -> None:
        self.tokens: list[str] = []
        at = 0
        text = text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or (found[2] and found[2] != variable):
                raise ValueError(text)
            self.tokens.append(found[1] or found[2] or found[3].replace("**", "^"))
            at = found.end()
        self.at = 0

    def read(self) -> tuple[Polynomial, Polynomial]:
        """The fraction; ValueError where the text is none."""
        above, below = self._sum()
        if self.at < len(self.tokens):
            raise ValueError(self.tokens[self.at])
        return plain(above), plain(below)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self.at += 1
        return token

    def _sum(self) -> tuple[Polynomial, Polynomial]:
        sign = -1 if self._peek() == "-" else 1
        if self._peek() in ("+", "-"):
            self._take()
        above, below = self._product()
        above = times((Fraction(sign),), above)
        while self._peek() in ("+", "-"):
            sign = -1 if self._take() == "-" else 1
            top, bottom = self._product()
            top = times((Fraction(sign),), top)
            if bottom == below:
                above = plus(above, top)
            else:
                above = plus(times(above, bottom), times(top, below))
                below = times(below, bottom)
        return above, below

    def _product(self) -> tuple[Polynomial, Polynomial]:
        above, below = self._power()
        while (mark := self._peek()) and mark not in ("+", "-", ")"):
            if mark in ("*", "/"):
                self._take()
            top, bottom = self._power()
            if mark == "/":
                top, bottom = bottom, top
            above, below = times(above, top), times(below, bottom)
        return above, below

    def _power(self) -> tuple[Polynomial, Polynomial]:
        above, below = self._primary()
        if self._peek() == "^":
            self._take()
            count = int(self._take())
            if not 0 <= count <= HIGHEST:
                raise ValueError(count)
            top, bottom = above, below
            above = below = (Fraction(1),)
            for _ in range(count):
                above, below = times(above, top), times(below, bottom)
        return above, below

    def _primary(self) -> tuple[Polynomial, Polynomial]:
        mark = self._take()
        if mark == "(":
            inner = self._sum()
            if self._take() != ")":
                raise ValueError(mark)
            return inner
        if mark in ("s", "z"):
            return (Fraction(1), Fraction(0)), (Fraction(1),)
        return (exact(mark),), (Fraction(1),)
