"""Builds the automaton of a regular expression: its states, and the transitions of each.

A place is one class of characters of the pattern (a Glushkov position). Characters that no class of
the pattern tells apart are one atom; sets of atoms are bit masks, and one bit more stands for the
edges of the text. What stands between two places (anchors, look-arounds of one character, the end
of a possessive repeat) is a condition on the atoms before and behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from re import _compiler as compiler  # type: ignore[attr-defined, unused-ignore]
from re import _constants as codes  # type: ignore[attr-defined, unused-ignore]
from re import _parser as parser  # type: ignore[attr-defined, unused-ignore]
from typing import Any

_MOST_PLACES = 3_000
_MOST_COPIES = 64
_ODD = "\x00\xe9\u017f\u212a\u0130\u0131\xdf\u0663\u2003\u2026\u2028\u4e2d"
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
_CLASSES = {codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN}


class TooLargeError(Exception):
    """The pattern has more places than are looked at."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A way between two places that reads nothing: the atoms that may stand before and behind it.

    ``sure_*`` are those with which it can be taken for certain; conditions that are not followed
    to their end leave none.
    """

    before: int
    behind: int
    sure_before: int
    sure_behind: int

    def then(self, other: Gate) -> Gate:
        """Returns both conditions at one spot."""
        return Gate(
            self.before & other.before,
            self.behind & other.behind,
            self.sure_before & other.sure_before,
            self.sure_behind & other.sure_behind,
        )

    def unsure(self) -> Gate:
        """Returns the way as one that may be taken, but is not relied on."""
        return Gate(self.before, self.behind, 0, 0)

    @property
    def is_open(self) -> bool:
        """Whether there are atoms with which it can be taken."""
        return bool(self.before and self.behind)


@dataclass(slots=True)
class Fragment:
    """A part of a pattern: how it begins, how it ends, and how nothing is read by it."""

    empty: list[Gate]
    first: list[tuple[Gate, int]]
    last: list[tuple[int, Gate]]


@dataclass(slots=True)
class Automaton:
    """Places with their atoms, what follows each, and how each ends the match.

    ``start`` leads to the first places. ``edge`` is the bit of the edges of the text.
    """

    atoms: list[str]
    edge: int = 0
    places: list[int] = field(default_factory=list)
    follow: list[list[tuple[Gate, int]]] = field(default_factory=list)
    start: list[tuple[Gate, int]] = field(default_factory=list)
    accepts: dict[int, list[Gate]] = field(default_factory=dict)


def automaton(pattern: re.Pattern[Any], *, whole: bool) -> Automaton:
    """Returns the automaton of a pattern; ``whole`` where it must match to the end of the text."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    return _Builder(tree).build(whole=whole)


class _Builder:
    def __init__(self, tree: Any) -> None:
        self._state = tree.state
        self._flags = tree.state.flags
        self._tree = tree
        self._groups: dict[int, Any] = {}
        self._masks: dict[str, int] = {}
        self._is_bytes = isinstance(tree.state.str, bytes)
        self._texts = self._atoms()
        self._out = Automaton([chr(text[0]) for text in self._texts])
        self._out.edge = 1 << len(self._texts)
        self._all = (self._out.edge << 1) - 1
        self._any = Gate(self._all, self._all, self._all, self._all)

    def build(self, *, whole: bool) -> Automaton:
        root = self._sequence(list(self._tree), self._flags)
        if whole:
            ends = Fragment([self._behind(self._out.edge)], [], [])
            root = self._join_fragments(root, ends)
        self._out.start = root.first
        for place, gate in root.last:
            self._out.accepts.setdefault(place, []).append(gate)
        return self._out

    # The atoms.

    def _atoms(self) -> list[tuple[int, ...]]:
        """Returns the classes of characters that the pattern does not distinguish."""
        items: list[tuple[Any, int]] = []
        self._collect(list(self._tree), self._flags, items)
        codes_of: set[int] = {0, 9, 10, 32, 48, 65, 95, 97, 46}
        for item, _ in items:
            for code in _endpoints(item):
                for near in (code - 1, code, code + 1):
                    if 0 <= near <= 0x10FFFF:
                        codes_of.add(near)
                        codes_of |= {ord(c) for c in (*chr(near).swapcase(),)}
        if not self._is_bytes:
            codes_of |= {ord(c) for c in _ODD}
            ends = sorted(codes_of)
            for low, high in zip(ends, [*ends[1:], 0x110000], strict=True):
                codes_of |= _witnesses(low, high)
        else:
            codes_of = set(range(256))
        unique = {(repr(item), flags): item for item, flags in items}
        tests = [
            (repr(item), flags, compiler.compile(self._sub([item], flags), flags))
            for (_, flags), item in unique.items()
        ]
        self._tests = [(key, flags) for key, flags, _ in tests]
        groups: dict[tuple[bool, ...], list[int]] = {}
        for code in sorted(codes_of, key=lambda code: (not chr(code).isprintable(), code)):
            text = bytes([code]) if self._is_bytes else chr(code)
            word = chr(code).isalnum() or code == 95
            marks = tuple(test.fullmatch(text) is not None for _, _, test in tests)
            groups.setdefault((word, code == 10, *marks), []).append(code)
        self._words = self._lines = 0
        for index, marks in enumerate(groups):
            bit = 1 << index
            self._words |= bit * marks[0]
            self._lines |= bit * marks[1]
            for (key, flags), mark in zip(self._tests, marks[2:], strict=True):
                name = f"{key}{flags}"
                self._masks[name] = self._masks.get(name, 0) | bit * mark
        return [tuple(group) for group in groups.values()]

    def _collect(self, items: list[Any], flags: int, out: list[tuple[Any, int]]) -> None:
        for item in items:
            operator, argument = item
            if operator in _CLASSES:
                out.append((item, flags))
            elif operator in _REPEATS:
                self._collect(list(argument[2]), flags, out)
            elif operator is codes.SUBPATTERN:
                group, added, removed, body = argument
                self._collect(list(body), _change_flags(flags, added, removed), out)
                if group is not None:
                    self._groups[group] = (list(body), _change_flags(flags, added, removed))
            elif operator is codes.ATOMIC_GROUP:
                self._collect(list(argument), flags, out)
            elif operator is codes.BRANCH:
                for branch in argument[1]:
                    self._collect(list(branch), flags, out)
            elif operator in (codes.ASSERT, codes.ASSERT_NOT):
                self._collect(list(argument[1]), flags, out)
            elif operator is codes.GROUPREF_EXISTS:
                for branch in argument[1:]:
                    self._collect(list(branch or ()), flags, out)

    def _sub(self, items: list[Any], flags: int) -> Any:
        state = parser.State()
        state.str = self._state.str
        state.flags = flags
        return parser.SubPattern(state, items)

    def _mask(self, item: Any, flags: int) -> int:
        return self._masks[f"{item!r}{flags}"]

    # The places.

    def _behind(self, mask: int, sure: int | None = None) -> Gate:
        return Gate(self._all, mask, self._all, mask if sure is None else sure)

    def _before(self, mask: int, sure: int | None = None) -> Gate:
        return Gate(mask, self._all, mask if sure is None else sure, self._all)

    def _nothing(self) -> Fragment:
        return Fragment([self._any], [], [])

    def _sequence(self, items: list[Any], flags: int) -> Fragment:
        out = self._nothing()
        for item in items:
            out = self._join_fragments(out, self._item(item, flags))
        return out

    def _join_fragments(self, fragment: Fragment, two: Fragment) -> Fragment:
        self._link(fragment.last, two.first)
        first = fragment.first + [
            (gate, place)
            for empty in fragment.empty
            for then, place in two.first
            if (gate := empty.then(then)).is_open
        ]
        last = two.last + [
            (place, gate)
            for place, then in fragment.last
            for empty in two.empty
            if (gate := then.then(empty)).is_open
        ]
        empty = [gate for a in fragment.empty for b in two.empty if (gate := a.then(b)).is_open]
        return Fragment(empty, first, last)

    def _link(self, last: list[tuple[int, Gate]], first: list[tuple[Gate, int]]) -> None:
        for place, before in last:
            for behind, following in first:
                gate = before.then(behind)
                if gate.is_open:
                    self._out.follow[place].append((gate, following))

    def _place(self, mask: int) -> Fragment:
        self._out.places.append(mask)
        self._out.follow.append([])
        if len(self._out.places) > _MOST_PLACES:
            raise TooLargeError
        index = len(self._out.places) - 1
        return Fragment([], [(self._any, index)], [(index, self._any)])

    def _item(self, item: Any, flags: int) -> Fragment:
        operator, argument = item
        if operator in _CLASSES:
            return self._place(self._mask(item, flags))
        if operator in _REPEATS:
            return self._repeat(operator, argument, flags)
        if operator is codes.SUBPATTERN:
            _, added, removed, body = argument
            return self._sequence(list(body), _change_flags(flags, added, removed))
        if operator is codes.ATOMIC_GROUP:
            return _unsure(self._sequence(list(argument), flags))
        if operator is codes.BRANCH:
            return _either([self._sequence(list(branch), flags) for branch in argument[1]])
        if operator is codes.AT:
            return Fragment(self._anchor(argument, flags), [], [])
        if operator in (codes.ASSERT, codes.ASSERT_NOT):
            return self._look(operator is codes.ASSERT, argument[0], list(argument[1]), flags)
        if operator is codes.GROUPREF:
            body, its_flags = self._groups[argument]
            return _unsure(self._sequence(body, its_flags))
        if operator is codes.GROUPREF_EXISTS:
            branches = [self._sequence(list(branch or ()), flags) for branch in argument[1:]]
            return _unsure(_either(branches))
        if operator is codes.FAILURE:
            return Fragment([], [], [])
        raise TooLargeError

    def _repeat(self, operator: Any, argument: Any, flags: int) -> Fragment:
        least, most, body = argument
        items = list(body)
        is_possessive = operator is codes.POSSESSIVE_REPEAT
        mask = self._alternatives(items, flags)
        size = len(self._out.places)
        copies: list[Fragment] = []
        while len(copies) < least:
            copies.append(self._sequence(items, flags))
            if (len(self._out.places) - size) > _MOST_COPIES:
                break
        is_short = len(copies) < least
        out = self._nothing()
        for copy in copies:
            out = self._join_fragments(out, copy)
        if most is codes.MAXREPEAT or is_short or most - least > _affordable(items):
            rest = self._star(items, flags, is_sure=most is codes.MAXREPEAT and not is_short)
        else:
            rest = self._nothing()
            for _ in range(most - least):
                inner = self._join_fragments(self._sequence(items, flags), rest)
                rest = Fragment([*inner.empty, self._any], inner.first, inner.last)
        if is_possessive and mask and (most is codes.MAXREPEAT or (least, most) == (0, 1)):
            # What is held is not given back: behind it comes no character of it.
            gate = self._behind(self._all & ~mask)
            if most is codes.MAXREPEAT:
                return self._join_fragments(
                    self._join_fragments(out, rest), Fragment([gate], [], [])
                )
            rest.empty = [gate]
            return self._join_fragments(out, rest)
        out = self._join_fragments(out, rest)
        return _unsure(out) if is_possessive or is_short else out

    def _star(self, items: list[Any], flags: int, *, is_sure: bool) -> Fragment:
        body = self._sequence(items, flags)
        again = body.last if is_sure else [(place, gate.unsure()) for place, gate in body.last]
        self._link(again, body.first)
        # A round that reads nothing ends the repeat in a second way.
        twice = [
            (place, both)
            for place, gate in body.last
            for empty in body.empty
            if (both := gate.then(empty)).is_open
        ]
        return Fragment([self._any, *body.empty], body.first, body.last + twice)

    def _anchor(self, kind: Any, flags: int) -> list[Gate]:
        edge, words = self._out.edge, self._words
        if kind in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            lines = flags & re.MULTILINE and kind is codes.AT_BEGINNING
            return [self._before(edge | (self._lines if lines else 0))]
        if kind is codes.AT_END:
            sure = edge | (self._lines if flags & re.MULTILINE else 0)
            return [self._behind(edge | self._lines, sure)]
        if kind is codes.AT_END_STRING:
            return [self._behind(edge)]
        if flags & re.ASCII or self._is_bytes:
            return [self._any.unsure()]
        others = self._all & ~words
        pairs = [(words, others), (others, words)]
        if kind is codes.AT_NON_BOUNDARY:
            pairs = [(words, words), (others, others)]
        return [Gate(a, b, a, b) for a, b in pairs]

    def _alternatives(self, items: list[Any], flags: int) -> int:
        """The atoms of what reads one character, in each of its ways, else 0."""
        if len(items) != 1:
            return 0
        operator, argument = items[0]
        if operator in _CLASSES:
            return self._mask(items[0], flags)
        if operator is codes.SUBPATTERN:
            return self._alternatives(
                list(argument[3]), _change_flags(flags, argument[1], argument[2])
            )
        if operator is codes.BRANCH:
            masks = [self._alternatives(list(branch), flags) for branch in argument[1]]
            return 0 if 0 in masks else _union(masks)
        return 0

    def _look(self, is_positive: bool, direction: int, items: list[Any], flags: int) -> Fragment:
        mask = self._alternatives(items, flags)
        if direction < 0:
            if mask:
                allowed = mask if is_positive else self._all & ~mask
                return Fragment([self._before(allowed)], [], [])
            if is_positive and items and (mask := self._alternatives(items[-1:], flags)):
                return Fragment([self._before(mask, 0)], [], [])
            return self._edges(is_positive, direction, items, flags) or Fragment(
                [self._any.unsure()], [], []
            )
        if mask:
            allowed = mask if is_positive else self._all & ~mask
            return Fragment([self._behind(allowed)], [], [])
        if (edges := self._edges(is_positive, direction, items, flags)) is not None:
            return edges
        operator, argument = _only(items)
        if is_positive and operator is codes.BRANCH:
            return _either([self._look(True, 1, list(way), flags) for way in argument[1]])
        body = self._sequence(items, flags)
        gate = self._any.unsure()
        if is_positive and not body.empty:
            gate = self._behind(_union([self._out.places[place] for _, place in body.first]), 0)
        return Fragment([gate], body.first, [])

    def _edges(
        self, is_positive: bool, direction: int, items: list[Any], flags: int
    ) -> Fragment | None:
        """A look for one character or an edge of the text, such as ``(?=[,;]|$)``."""
        operator, argument = _only(items)
        branches = [list(branch) for branch in argument[1]] if operator is codes.BRANCH else [items]
        may = sure = 0
        for branch in branches:
            if mask := self._alternatives(branch, flags):
                may, sure = may | mask, sure | mask
            elif len(branch) == 1 and branch[0][0] is codes.AT:
                gates = self._anchor(branch[0][1], flags)
                if len(gates) != 1:
                    return None
                gate = gates[0]
                if direction > 0 and gate.before == self._all:
                    may, sure = may | gate.behind, sure | gate.sure_behind
                elif direction < 0 and gate.behind == self._all:
                    may, sure = may | gate.before, sure | gate.sure_before
                else:
                    return None
            else:
                return None
        if not is_positive:
            may, sure = self._all & ~sure, self._all & ~may
        gate = self._behind(may, sure) if direction > 0 else self._before(may, sure)
        return Fragment([gate], [], [])


def _unsure(fragment: Fragment) -> Fragment:
    return Fragment(
        [gate.unsure() for gate in fragment.empty],
        fragment.first,
        [(place, gate.unsure()) for place, gate in fragment.last],
    )


def _either(fragments: list[Fragment]) -> Fragment:
    return Fragment(
        [gate for fragment in fragments for gate in fragment.empty],
        [item for fragment in fragments for item in fragment.first],
        [item for fragment in fragments for item in fragment.last],
    )


def _change_flags(flags: int, added: int, removed: int) -> int:
    return (flags | added) & ~removed


def _union(masks: list[int]) -> int:
    out = 0
    for mask in masks:
        out |= mask
    return out


def _only(items: list[Any]) -> tuple[Any, Any]:
    """Returns the item of a sequence of one item."""
    return items[0] if len(items) == 1 else (None, None)


def _affordable(items: list[Any]) -> int:
    """How many copies of a body may be made."""
    return max(1, _MOST_COPIES // max(1, _size(items)))


def _size(items: list[Any]) -> int:
    """How many places a sequence takes, about."""
    out = 0
    for operator, argument in items:
        if operator in _REPEATS:
            least, most, body = argument
            out += _size(list(body)) * max(1, least if most is codes.MAXREPEAT else min(most, 24))
        elif operator is codes.SUBPATTERN:
            out += _size(list(argument[3]))
        elif operator is codes.ATOMIC_GROUP:
            out += _size(list(argument))
        elif operator is codes.BRANCH:
            out += sum(_size(list(branch)) for branch in argument[1])
        elif operator in (codes.ASSERT, codes.ASSERT_NOT):
            out += _size(list(argument[1]))
        else:
            out += 1
    return out


def _endpoints(item: Any) -> list[int]:
    operator, argument = item
    if operator in (codes.LITERAL, codes.NOT_LITERAL):
        return [argument]
    if operator is not codes.IN:
        return []
    out: list[int] = []
    for kind, value in argument:
        if kind is codes.LITERAL:
            out.append(value)
        elif kind is codes.RANGE:
            out.extend(value)
    return out


def _witnesses(low: int, high: int) -> set[int]:
    """A digit, another word character, a blank and another character in ``low <= c < high``."""
    out: set[int] = set()
    for members in _categories():
        index = bisect_left(members, low)
        if index < len(members) and members[index] < high:
            out.add(members[index])
    return out


@cache
def _categories() -> tuple[list[int], ...]:
    groups: dict[tuple[bool, bool, bool], list[int]] = {}
    for code in range(0x10000):
        character = chr(code)
        key = (character.isdigit(), character.isalnum(), character.isspace())
        groups.setdefault(key, []).append(code)
    return tuple(groups.values())
