"""Regular expressions take a time that grows with the text, no faster.

The listed ones are measured by ``python -m tests.patterns``.
"""

from __future__ import annotations

import ast
import re
from functools import partial

import pytest

from grounded_builder.catalog.text_cleaning import shorten_gaps, sub_closed, without_number
from tests.patterns.attack import attacks
from tests.patterns.collect import Collected, patterns, unknown_calls, uses_of_names
from tests.patterns.known import add_known, key_of, read_known
from tests.patterns.measure import (
    BOUNDED,
    BUILT,
    CLOSED,
    MEASURED,
    READ_ONCE,
    faults,
    is_listed,
    prove_growth,
)
from tests.patterns.proof import EXPONENTIAL, LINEAR, POLYNOMIAL, growth
from tests.support import growth as growth_of_time
from tests.support.growth import find_growth_fault

_COLLECTED = tuple(patterns())
_PATTERNS = [pattern for pattern in _COLLECTED if isinstance(pattern.pattern, re.Pattern)]


def test_each_pattern_is_proven_linear_or_listed() -> None:
    """A new pattern has a proof, or stands in the lists of what is measured with its reason.

    One without a fault that is not listed has been proven.
    """
    known = read_known()
    unknown = {
        key: pattern
        for pattern in _PATTERNS
        if not is_listed(pattern.where) and (key := key_of(pattern)) not in known
    }
    unproven = {
        key: f"{pattern.where}: {use} may be {proven.kind}, such as on {proven.pump!r} repeated"
        for key, pattern in unknown.items()
        for use in sorted(pattern.uses)
        if (proven := prove_growth(pattern, use)).kind != LINEAR
    }
    add_known(unknown.keys() - unproven.keys())
    assert sorted(unproven.values()) == []


def test_a_pattern_built_at_run_time_is_listed() -> None:
    """Every pattern built in a function is listed with its bound."""
    assert sorted(set(unknown_calls()) ^ set(BUILT)) == []


def test_the_lists_name_patterns_that_are_there() -> None:
    """A line of the lists goes with the pattern that it names."""
    names = [pattern.where for pattern in _COLLECTED]
    listed = (*BOUNDED, *CLOSED, *MEASURED, *READ_ONCE)
    assert [name for name in listed if not any(where.startswith(name) for where in names)] == []


@pytest.mark.parametrize(
    ("written", "use", "kind"),
    [
        (r"a+b", "search", POLYNOMIAL),
        (r"a+b", "match", LINEAR),
        (r"\w+", "search", LINEAR),
        (r"\w+(?!\w)", "search", LINEAR),
        (r"(?<![\w$])\w+=", "search", LINEAR),
        (r"\b\w+=", "search", LINEAR),
        (r"\w+=", "findall", POLYNOMIAL),
        (r"(?:a+)+b", "match", EXPONENTIAL),
        (r"(?:a|a)*b", "match", EXPONENTIAL),
        (r"(?:a*)*b", "match", EXPONENTIAL),
        (r"(?:a|b|ab)*c", "match", EXPONENTIAL),
        (r"(?i:(?:ka|KA)*x)", "match", EXPONENTIAL),
        (r"(?:\w+\s*,?\s*)+x", "match", EXPONENTIAL),
        (r"(?:\w+\s*,\s*)+x", "match", LINEAR),
        (r"a*a*b", "match", POLYNOMIAL),
        (r"a*+a*b", "match", LINEAR),
        (r"\s*\s*x", "fullmatch", POLYNOMIAL),
        (r"(?:a+b|a)*", "match", POLYNOMIAL),
        (r"(?=\w+)a", "search", POLYNOMIAL),
        (r'"[^"]*"', "search", LINEAR),
        (r'"(?:[^"\\]|\\.)*"', "search", POLYNOMIAL),
        (r'"(?:[^"\\]|\\.)*"', "match", LINEAR),
        (r"<[^>]*>", "sub", POLYNOMIAL),
        (r"<[^<>]*>", "sub", LINEAR),
        (r"^\s+|\s+$", "sub", POLYNOMIAL),
        (r"(?<!\s)\s+$", "sub", LINEAR),
        (r"\bfoo\b.*\bbar\b", "search", POLYNOMIAL),
        (r"^\w+\s*=.*", "search", LINEAR),
        (r"(\w+) \1", "match", LINEAR),
        (r"x*+y", "search", POLYNOMIAL),
        (r"(?m)#.*$", "finditer", LINEAR),
        (r"a+b|a", "match", LINEAR),
        (r"a+b|a", "match_at", POLYNOMIAL),
        (r"\w++|.", "match_at", LINEAR),
        (r"\s*", "match_at", LINEAR),
        (r"a*b", "fullmatch_at", POLYNOMIAL),
    ],
)
def test_the_growth_of_a_pattern_is_proven(written: str, use: str, kind: str) -> None:
    """Ambiguous repetitions and repeated searches are distinguished from other patterns."""
    assert growth(re.compile(written), use).kind == kind


def test_a_match_from_a_position_may_begin_at_each_character() -> None:
    """The collector tells it from a match that begins a text, also in another module."""
    tree = ast.parse("A.match(t)\nB.match(t, at)\nC.match(t, pos=at)\nmap(D.match, t)\nread(E)")
    uses = {name: use for name, use in uses_of_names(tree) if name in "ABCDE"}
    assert uses == {"A": "match", "B": "match_at", "C": "match_at", "D": "search", "E": "search"}
    patterns = {pattern.where: pattern.uses for pattern in _PATTERNS}
    assert patterns["domains.simulink.matlab_expr.scan:_TOKEN"] == {"match_at"}


@pytest.fixture
def measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is slow is slow in each measurement; one is enough."""
    monkeypatch.setattr(growth_of_time, "_CONFIRMATIONS", 0)


@pytest.mark.usefixtures("measured_once")
def test_a_reader_that_reads_the_same_again_is_slow() -> None:
    """The measure goes through a text as a reader does."""
    hard = Collected("x:X", re.compile(r"a+b|a"), frozenset({"match_at"}))
    assert faults(hard) != []


@pytest.mark.long
@pytest.mark.parametrize(
    "written",
    [r"a+b", r'"(?:[^"\\]|\\.)*"', r"<[^>]*>", r"\s+$", r"\bfoo\b.*\bbar\b", r"(?=\w+)-"],
)
def test_the_text_of_a_slow_search_is_slow(written: str) -> None:
    """The text that the proof names makes the time grow quadratically."""
    pattern = re.compile(written, re.DOTALL)
    pump = growth(pattern, "search").pump
    work = partial(_find_all, pattern)
    assert find_growth_fault(work, lambda size: pump * (size // len(pump)) + "\0", longest=16_000)


def _find_all(pattern: re.Pattern[str], text: str) -> object:
    return pattern.findall(text)


@pytest.mark.long
@pytest.mark.parametrize(
    "written",
    [
        r"\s+$",
        r'"(?:[^"\\]|\\.)*"',
        r"(?:a+)+b",
        r"\{\{.*?\}\}",
        r"x\s*=?\s*;",
        r"(?:\s|/\*.*?\*/)*;",
    ],
)
@pytest.mark.usefixtures("measured_once")
def test_the_measure_knows_slow_patterns(written: str) -> None:
    """Nested, neighbouring and unanchored repeats are found by the texts made out of them."""
    hard = Collected("x:X", re.compile(written, re.DOTALL), frozenset({"search"}))
    assert list(attacks(hard.pattern))
    assert faults(hard) != []


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("add" + " " * 17 + "a", "add a"),
        ("a" + "\n " * 20 + "b", "a\n\nb"),
        ("a" + " " * 16 + "b", "a" + " " * 16 + "b"),
    ],
)
def test_long_gaps_are_shortened(text: str, shorter: str) -> None:
    """Only long gaps become shorter, and an empty line stays one."""
    assert shorten_gaps(text) == shorter


@pytest.mark.parametrize(
    ("name", "base"), [("Merge 2", "Merge"), ("Merge2 ", "Merge"), ("Merge", "Merge"), ("7", "")]
)
def test_the_number_of_a_copy_is_left_out(name: str, base: str) -> None:
    """The number at the end of a name goes, with the gap before it."""
    assert without_number(name) == base


def test_unclosed_span_stays() -> None:
    """Closed spans are replaced, and an opening without an end stays unchanged."""
    spans = re.compile(r"\{\{.*?\}\}", re.DOTALL)
    assert sub_closed(spans, "}}", "x", "a {{ b }} {{ c") == "a x {{ c"
    assert sub_closed(spans, "}}", "x", "{{{{ c") == "{{{{ c"
