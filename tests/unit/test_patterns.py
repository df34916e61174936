"""Regular expressions take a time that grows with the text, no faster."""

from __future__ import annotations

import re

import pytest

from grounded_builder.catalog.sanitize import shorten_gaps, sub_closed, without_number
from tests.patterns.attack import attacks
from tests.patterns.collect import Collected, patterns
from tests.patterns.measure import faults

MEASURED = (
    "compiler.parse:",
    "compiler.named_services:",
    "compiler.text_edits:",
    "redaction.redact:",
    "routing.",
    "drafting.token_estimate:",
    "drafting.tool_retrieval:",
    "drafting.planner.conditions:",
    "catalog.",
    "interfaces.cli.lint.",
    "domains.tools.",
    "domains.n8n.parameters.",
    "domains.n8n.check.advice.request_address:",
    "domains.n8n.check.advice.deprecated:",
    "domains.n8n.check.embedded_workflows:",
    "domains.simulink.read.",
    "domains.simulink.check.",
    "domains.simulink.analysis.",
)
"""Those that are held to it here: they see drafts, code and replies of any length.

``make check`` measures all.
"""
_PATTERNS = [pattern for pattern in patterns() if pattern.where.startswith(MEASURED)]


@pytest.mark.parametrize("part", MEASURED)
def test_a_pattern_takes_no_more_than_its_time(part: str) -> None:
    """Twice the text takes at most two and a half times as long, whatever its repeats read."""
    of_part = [pattern for pattern in _PATTERNS if pattern.where.startswith(part)]
    assert of_part
    slow = {pattern.where: reasons for pattern in of_part if (reasons := faults(pattern))}
    assert slow == {}


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
    """Only gaps that no request needs become shorter; an empty line stays one."""
    assert shorten_gaps(text) == shorter


@pytest.mark.parametrize(
    ("name", "base"), [("Merge 2", "Merge"), ("Merge2 ", "Merge"), ("Merge", "Merge"), ("7", "")]
)
def test_the_number_of_a_copy_is_left_out(name: str, base: str) -> None:
    """The number at the end of a name goes, with the gap before it."""
    assert without_number(name) == base


def test_what_nothing_closes_stays() -> None:
    """Closed spans are replaced, an opening without an end is left as it is."""
    spans = re.compile(r"\{\{.*?\}\}", re.DOTALL)
    assert sub_closed(spans, "}}", "x", "a {{ b }} {{ c") == "a x {{ c"
    assert sub_closed(spans, "}}", "x", "{{{{ c") == "{{{{ c"
