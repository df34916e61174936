"""Equations that a request writes, with derivatives or of one variable, as trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A tree: a number, a symbol with the order of its derivative, a sign, an operator, a function.
Tree = tuple[object, ...]

FUNCTIONS = frozenset("sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign".split())
_GREEK = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|varphi|phi|"
    "chi|psi|omega|[\u03b1-\u03c9]"
)
_LETTER = rf"(?:{_GREEK}|[A-Za-z])(?:_?\d|_[A-Za-z])?(?![A-Za-z])"
# dx/dt, d2x/dt2, d^2x/dt^2
_LEIBNIZ = rf"d(?:\^?(?P<order>\d))?\s?(?P<of>{_GREEK}|[A-Za-z])\s?/\s?dt(?:\^?\d)?(?!\w)"
_PRIMED = rf"(?P<name>{_LETTER})(?P<primes>'{{1,4}}|\u2032{{1,4}}|\u2033)?(?:\(t\))?"
_DOTTED = r"(?P<point>[A-Za-z]|theta|phi|omega)_?(?P<dots>d{1,2}ot)(?!\w)"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?|\.\d+)|(?P<leibniz>{_LEIBNIZ})|"
    rf"(?P<dotted>{_DOTTED})|(?P<function>{'|'.join(sorted(FUNCTIONS))})(?=\s?\()|"
    rf"(?P<pi>pi(?!\w))|(?P<symbol>{_PRIMED})|(?P<mark>\*\*|[-+*/^()\u00b7\u2212]))"
)
_ARTICLE = re.compile(r"\s*[aAI]\s+[A-Za-z]{2}")
_EQUALS = re.compile(r"(?<![<>=~!:])=(?!=)")
# What cannot stand beside a whole side of an equation; "" is the end of the text.
_GOING_ON = frozenset("+-*/^'=<>\u00b7\u2212")
_QUANTITY = re.compile(r"\s*[-\u2212]?[\d.]+(?:e-?\d+)?\s?(?:[VAWNFHKJmghkMunpG]|\u03bc|\u03a9)\s*")
_LONGEST = 160
_MARKS = {"**": "^", "\u00b7": "*", "\u2212": "-"}


@dataclass(frozen=True, slots=True)
class Equation:
    """What is written from ``start`` to ``end``: two sides that are equal."""

    start: int
    end: int
    left: Tree
    right: Tree

    def symbols(self) -> dict[str, int]:
        """The symbols on both sides, each with its highest derivative."""
        found: dict[str, int] = {}
        for name, order in (*symbols_in(self.left), *symbols_in(self.right)):
            found[name] = max(order, found.get(name, 0))
        return found


def symbols_in(tree: Tree) -> Iterator[tuple[str, int]]:
    """The symbols of a tree with the orders of their derivatives."""
    if tree[0] == "symbol":
        yield str(tree[1]), int(str(tree[2]))
    for part in tree[1:]:
        if isinstance(part, tuple):
            yield from symbols_in(part)


def equations_in(text: str) -> Iterator[Equation]:
    """The equations of a text that have a derivative, or tell one symbol by another."""
    for equals in _EQUALS.finditer(text):
        left = _behind(text, equals.start())
        right = _ahead(text, equals.end())
        if left is None or right is None:
            continue
        one = Equation(left[0], right[0], left[1], right[1])
        symbols = one.symbols()
        derived = any(symbols.values())
        named = one.left[0] == "symbol" and str(one.left[1]) not in dict(symbols_in(one.right))
        others = {name for name, _ in symbols_in(one.right)}
        if derived or (
            named
            and not _is_quantity(text[equals.end() : right[0]])
            and len(others) == 1
            and not others & {"u", "s", "z", "t"}
        ):
            yield one


def _is_quantity(text: str) -> bool:
    """Whether a side is a number with a unit, or with its prefix."""
    return _QUANTITY.fullmatch(text) is not None


def _ahead(text: str, at: int) -> tuple[int, Tree] | None:
    """The longest expression that begins at a place, with its end."""
    ends = []
    place = at
    while place - at < _LONGEST:
        found = _TOKEN.match(text, place)
        if found is None or _ARTICLE.match(text, place):
            break
        place = found.end()
        ends.append(place)
    for end in reversed(ends):
        tree = _read(text[at:end])
        follows = text[end:].lstrip()[:1]
        if tree is not None and not text[end : end + 1].isalnum() and follows not in _GOING_ON:
            return end, tree
    return None


def _behind(text: str, at: int) -> tuple[int, Tree] | None:
    """The longest expression that ends at a place, with its beginning."""
    begin = max(0, at - _LONGEST)
    for start in range(begin, at):
        if start and (text[start - 1].isalnum() or text[start - 1] in "_.'"):
            continue
        if text[start].isspace() or _ARTICLE.match(text, start):
            continue
        if text[begin:start].rstrip()[-1:] in _GOING_ON:
            continue
        tree = _read(text[start:at])
        if tree is not None:
            return start, tree
    return None


def _read(text: str) -> Tree | None:
    """The tree of an expression; None where a text is none."""
    tokens: list[Tree] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        tokens.append(_token(found))
        at = found.end()
    reader = _Reader(tokens)
    try:
        tree = reader.sum()
    except IndexError:
        return None
    return tree if tree is not None and reader.at == len(tokens) else None


def _token(found: re.Match[str]) -> Tree:
    if found["number"]:
        return "number", found["number"]
    if found["leibniz"]:
        return "symbol", found["of"], int(found["order"] or 1)
    if found["dotted"]:
        return "symbol", found["point"], len(found["dots"]) - 2
    if found["function"]:
        return "function", found["function"]
    if found["pi"]:
        return "number", "pi"
    if found["symbol"]:
        primes = found["primes"] or ""
        return "symbol", found["name"], 2 if primes == "\u2033" else len(primes)
    return "mark", _MARKS.get(found["mark"], found["mark"])


class _Reader:
    """Reads a tree from tokens; None where they are none, IndexError where they end early."""

    def __init__(self, tokens: list[Tree]) -> None:
        self.tokens, self.at = tokens, 0

    def _mark(self) -> str:
        token = self.tokens[self.at] if self.at < len(self.tokens) else ("end",)
        return str(token[1]) if token[0] == "mark" else ""

    def sum(self) -> Tree | None:
        """Terms with signs between them."""
        tree: Tree | None = None
        while tree is None or self._mark() in ("+", "-"):
            sign = self._mark() if self._mark() in ("+", "-") else ""
            self.at += bool(sign)
            term = self._product()
            if term is None:
                return None
            term = ("minus", term) if sign == "-" else term
            tree = term if tree is None else ("+", tree, term)
        return tree

    def _product(self) -> Tree | None:
        tree = self._power()
        while tree is not None and self.at < len(self.tokens):
            mark = self._mark()
            if mark in ("+", "-", ")", "^"):
                break
            self.at += mark in ("*", "/")
            other = self._power()
            if other is None:
                return None
            tree = ("/" if mark == "/" else "*", tree, other)
        return tree

    def _power(self) -> Tree | None:
        base = self._primary()
        if base is not None and self._mark() == "^":
            self.at += 1
            exponent = self._primary()
            return None if exponent is None else ("^", base, exponent)
        return base

    def _primary(self) -> Tree | None:
        token = self.tokens[self.at]
        self.at += 1
        if token[0] in ("number", "symbol"):
            return token
        if token[0] == "function":
            inner = self._primary() if self._mark() == "(" else None
            return None if inner is None else ("call", token[1], inner)
        if token == ("mark", "("):
            inner = self.sum()
            closed = self._mark() == ")"
            self.at += 1
            return inner if closed else None
        if token == ("mark", "-"):
            inner = self._primary()
            return None if inner is None else ("minus", inner)
        return None
