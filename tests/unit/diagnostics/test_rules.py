"""The table of rules is closed: declared once, explained, and provoked by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import grounded_builder.diagnostics as package
from grounded_builder.diagnostics import BY_NAME, RULES, Rule
from grounded_builder.diagnostics.index import index

PAGES = Path(package.__file__).parent / "pages"
SOURCES = Path(package.__file__).parents[1]
TESTS = Path(__file__).parents[2]


def test_codes_and_names_are_unique() -> None:
    """A code and a name belong to one rule."""
    assert len({rule.code for rule in RULES}) == len(RULES) == len(BY_NAME)


def test_codes_are_in_order() -> None:
    """The table reads from the first stage to the last, owner by owner."""
    owners = ["GB", "N8N", "SLX", "TLS"]
    keys = [(owners.index(rule.code[:-3]), rule.code[-3:]) for rule in RULES]
    assert keys == sorted(keys)


def test_class_follows_from_severity() -> None:
    """Wrong is an error, incomplete a warning, advice a warning or a note."""
    allowed = {"wrong": {"error"}, "incomplete": {"warning"}, "advice": {"warning", "info"}}
    assert all(rule.severity in allowed[rule.kind] for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_page(rule: Rule) -> None:
    """A rule's page begins with its code and name and has its summary."""
    text = (PAGES / f"{rule.code}.md").read_text("utf-8")
    assert text.startswith(f"# {rule.code} {rule.name}\n")
    assert rule.summary in text
    assert f"- Class: {rule.kind}\n" in text
    assert "## What to do" in text


def test_no_page_without_a_rule() -> None:
    """A page that explains nothing is gone."""
    assert {page.stem for page in PAGES.glob("*.md")} == {rule.code for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_is_emitted_and_provoked(rule: Rule) -> None:
    """Somewhere in the package the code is emitted, somewhere in the tests it is expected."""
    emitted = re.compile(rf'"{rule.code}"')
    emitters = [
        path
        for path in SOURCES.rglob("*.py")
        if path.name != "rules.py" and emitted.search(path.read_text("utf-8"))
    ]
    assert emitters, f"nothing emits {rule.code}"
    expected = [
        path
        for path in [*TESTS.rglob("*.py"), *TESTS.rglob("expected.json")]
        if path != Path(__file__) and rule.code in path.read_text("utf-8")
    ]
    assert expected, f"no test expects {rule.code}"


def test_the_index_of_rules_is_current() -> None:
    """docs/diagnostics.md is what `make docs` writes."""
    written = (TESTS.parent / "docs" / "diagnostics.md").read_text("utf-8")
    assert written == index()
