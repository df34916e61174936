"""Prove that the time of a regular expression grows with the text, and no faster.

A backtracking search costs what it reads in vain. A way through the automaton is in vain while
nothing makes sure that it ends in a match. The ways in vain that end at one character are bounded
in number, whatever the text, unless one of these is there (Weber and Seidl, On the degree of
ambiguity of finite automata, 1991):

- a word that leads from a place back to it in two ways: time grows exponentially;
- a word that leads from t to t, from t to p and from p to p, where t is the search itself, which
  starts again at each character, or another place: time grows with the square or faster.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from tests.patterns.automaton import Automaton, Gate, TooLargeError, automaton

_MOST_STATES = 400_000
_SEARCH = -1
_SAME = -2
_STARTS_ONCE = {"match", "fullmatch"}

State = tuple[int, int]
"""A place, and the atom that was read there."""
_Quad = tuple[int, int, int, int]
LINEAR, EXPONENTIAL, POLYNOMIAL, UNDECIDED = "linear", "exponential", "polynomial", "undecided"


@dataclass(frozen=True, slots=True)
class Growth:
    """How a time grows, and a text that shows it when it is repeated, where one is known."""

    kind: str
    pump: str = ""


@lru_cache(1_024)
def growth(pattern: re.Pattern[Any], use: str) -> Growth:
    """Returns how the time of one use of a pattern grows, at most.

    ``linear`` is a proof. ``exponential`` and ``polynomial`` are how it may grow: bounds of long
    repeats and look-arounds of many characters are not followed to their end.
    """
    try:
        machine = automaton(pattern, whole=use.startswith("fullmatch"))
        return _Proof(machine, is_search=use not in _STARTS_ONCE).growth()
    except TooLargeError:
        return Growth(UNDECIDED)


class _Proof:
    def __init__(self, machine: Automaton, *, is_search: bool) -> None:
        self._machine = machine
        self._is_search = is_search
        self._atoms = range(len(machine.atoms))
        self._steps: Callable[[int, int, int], tuple[int, ...]] = cache(self._find_steps)
        self._is_good: Callable[[int, int, int], bool] = cache(self._find_good)
        self._futile: Callable[[int, int], tuple[State, ...]] = cache(self._find_futile)
        self._full: Callable[[int, int], tuple[State, ...]] = cache(self._find_full)
        self._loops = self._looping_places()
        self._safe: set[State] = set()

    def growth(self) -> Growth:
        if not self._loops:
            return Growth(LINEAR)
        self._find_safe()
        states = [
            (place, atom)
            for place in self._loops
            for atom in self._atoms
            if self._machine.places[place] >> atom & 1
        ]
        futile = _components(states, lambda state: self._futile(*state))
        for component in futile:
            if pump := self._describe_doubled(component):
                return Growth(EXPONENTIAL, pump)
        if self._is_search:
            for component in futile:
                if pump := self._begun_anew(component):
                    return Growth(POLYNOMIAL, pump)
        for trunk in _components(states, lambda state: self._full(*state)):
            reached = _find_reachable(trunk, lambda state: self._full(*state))
            for component in futile:
                if not component.isdisjoint(reached) and self._is_left(trunk, component):
                    return Growth(POLYNOMIAL)
        return Growth(LINEAR)

    def _looping_places(self) -> set[int]:
        follow = self._machine.follow
        nodes = range(len(follow))
        groups = _components(nodes, lambda place: {y for _, y in follow[place]})
        return {place for group in groups for place in group}

    def _find_steps(self, place: int, atom: int, behind: int) -> tuple[int, ...]:
        """The places that follow on one character, each as often as there are ways to it."""
        machine = self._machine
        ways = machine.start if place == _SEARCH else machine.follow[place]
        return tuple(
            following
            for gate, following in ways
            if gate.before >> atom & 1
            and gate.behind >> behind & 1
            and machine.places[following] >> behind & 1
        )

    def _find_good(self, place: int, atom: int, behind: int) -> bool:
        """Whether a match is sure, at a place and with the atom behind it."""
        accepts: Iterable[Gate] = self._machine.accepts.get(place, ())
        if any(g.sure_before >> atom & 1 and g.sure_behind >> behind & 1 for g in accepts):
            return True
        return any(
            (following, behind) in self._safe
            for gate, following in self._machine.follow[place]
            if gate.sure_before >> atom & 1 and gate.sure_behind >> behind & 1
        )

    def _find_safe(self) -> None:
        """Finds the states from which every text leads to a match: the largest such set."""
        machine = self._machine
        edge = len(machine.atoms)
        self._safe = {
            (place, atom)
            for place, mask in enumerate(machine.places)
            for atom in self._atoms
            if mask >> atom & 1
        }
        callers: dict[int, set[int]] = {}
        for place, ways in enumerate(machine.follow):
            for _, following in ways:
                callers.setdefault(following, set()).add(place)
        waiting = set(range(len(machine.places)))
        while waiting:
            place = waiting.pop()
            lost = [
                (place, atom)
                for atom in self._atoms
                if (place, atom) in self._safe
                and not all(self._find_good(place, atom, b) for b in (edge, *self._atoms))
            ]
            if lost:
                self._safe.difference_update(lost)
                waiting |= callers.get(place, set())

    def _find_futile(self, place: int, atom: int) -> tuple[State, ...]:
        """The states that follow in vain: none where a match is sure."""
        return tuple(
            (following, behind)
            for behind in self._atoms
            if place == _SEARCH or not self._is_good(place, atom, behind)
            for following in self._steps(place, atom, behind)
        )

    def _find_full(self, place: int, atom: int) -> tuple[State, ...]:
        return tuple(
            (following, behind)
            for behind in self._atoms
            for following in self._steps(place, atom, behind)
        )

    def _describe_doubled(self, component: set[State]) -> str:
        """Returns a word that leads back to a place in two ways, a part of it, or nothing."""
        for state in component:
            ways = [following for following in self._futile(*state) if following in component]
            if len(ways) != len(set(ways)):
                return self._machine.atoms[state[1]]
        starts = [(place, place, atom) for place, atom in component]

        def steps(state: tuple[int, int, int]) -> list[tuple[int, int, int]]:
            first, second, atom = state
            ways = [way for way in self._futile(first, atom) if way in component]
            others = [way for way in self._futile(second, atom) if way in component]
            return [(x, y, behind) for x, behind in ways for y, other in others if behind == other]

        before: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
        reached = _find_reachable(starts, steps)
        for state in reached:
            for following in steps(state):
                before.setdefault(following, []).append(state)
        back = _find_reachable([s for s in reached if s[0] == s[1]], lambda s: before.get(s, []))
        return next((self._machine.atoms[atom] for x, y, atom in back if x != y), "")

    def _begun_anew(self, component: set[State]) -> str:
        """Returns a word that leads from a place back to it, and from the search there, if any."""
        place, atom = next(iter(component))
        start = (_SEARCH, place, atom)
        end = (place, place, atom)
        parents: dict[tuple[int, int, int], tuple[int, int, int]] = {start: start}
        waiting = deque([start])
        while waiting and end not in parents:
            state = waiting.popleft()
            for following in self._anew_steps(state, component):
                if following not in parents:
                    parents[following] = state
                    waiting.append(following)
            _limit(parents)
        word = ""
        while end in parents and end != start:
            word = self._machine.atoms[end[2]] + word
            end = parents[end]
        return word

    def _anew_steps(
        self, state: tuple[int, int, int], component: set[State]
    ) -> Iterator[tuple[int, int, int]]:
        first, second, before = state
        for following, behind in self._futile(second, before):
            if (following, behind) not in component:
                continue
            if first == _SEARCH:
                yield (_SEARCH, following, behind)
            if first == _SEARCH or not self._is_good(first, before, behind):
                for way in self._steps(first, before, behind):
                    yield (way, following, behind)

    def _is_left(self, trunk: set[State], component: set[State]) -> bool:
        """Whether a word leads from t to t, from t in vain to p and from p in vain to p."""
        starts: list[_Quad] = [
            (t, _SAME, z, atom) for t, atom in trunk for z, other in component if other == atom
        ]

        def steps(state: _Quad) -> list[_Quad]:
            t, y, z, atom = state
            out: list[_Quad] = []
            if y == z and (t, atom) in trunk:
                out.append((t, _SAME, z, atom))
            for z2, behind in self._futile(z, atom):
                if (z2, behind) not in component:
                    continue
                for t2 in self._steps(t, atom, behind):
                    if (t2, behind) not in trunk:
                        continue
                    if y == _SAME:
                        out.append((t2, _SAME, z2, behind))
                        ways = list(self._steps(t, atom, behind))
                        ways.remove(t2)
                    elif self._is_good(y, atom, behind):
                        continue
                    else:
                        ways = list(self._steps(y, atom, behind))
                    out += [(t2, y2, z2, behind) for y2 in ways]
            return out

        return any(
            any(y == z for _, y, z, _ in group) and any(y == _SAME for _, y, _, _ in group)
            for group in _components(starts, steps)
        )


def _limit(seen: Collection[Any]) -> None:
    if len(seen) > _MOST_STATES:
        raise TooLargeError


def _find_reachable(starts: Iterable[Any], steps: Callable[[Any], Iterable[Any]]) -> set[Any]:
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for following in steps(waiting.pop()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
        _limit(seen)
    return seen


def _components(starts: Iterable[Any], steps: Callable[[Any], Iterable[Any]]) -> list[set[Any]]:
    """Returns the sets of nodes that reach each other, of two nodes or of one that reaches itself.

    Tarjan's algorithm, without recursion.
    """
    index: dict[Any, int] = {}
    low: dict[Any, int] = {}
    stack: list[Any] = []
    on_stack: set[Any] = set()
    out: list[set[Any]] = []
    for start in starts:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        work = [(start, iter(steps(start)))]
        while work:
            node, following = work[-1]
            child = next((n for n in following if n not in index or n in on_stack), None)
            if child is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    group: set[Any] = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.add(member)
                        if member == node:
                            break
                    if len(group) > 1 or node in steps(node):
                        out.append(group)
            elif child in index:
                low[node] = min(low[node], index[child])
            else:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                work.append((child, iter(steps(child))))
                if len(index) > _MOST_STATES:
                    raise TooLargeError
    return out
