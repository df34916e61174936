"""The table of rules is closed: each is defined once, emitted, explained and provoked."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import grounded_builder.diagnostics as package
from grounded_builder.diagnostics import Rule
from grounded_builder.domains.rules import BY_NAME, RULES
from grounded_builder.interfaces.cli.rule_index import index

PAGES = Path(package.__file__).parent / "pages"
SOURCES = Path(package.__file__).parents[1]
TESTS = Path(__file__).parents[2]
_CODE = re.compile(r"(?:GB|N8N|SLX|TLS)[1-6]\d\d")
_CONCERNED = re.compile(rf"""new_diagnostic\(|Rule\.|rule=[A-Z]|["']{_CODE.pattern}["']""")


@cache
def _trees() -> dict[Path, ast.Module]:
    """The modules that may define or emit a rule, or write a code."""
    texts = ((path, path.read_text("utf-8")) for path in SOURCES.rglob("*.py"))
    return {path: ast.parse(text) for path, text in texts if _CONCERNED.search(text)}


@cache
def _definitions() -> dict[ast.Constant, str]:
    """The codes in the definitions of rules, each with the name of its constant."""
    return {
        node.value.args[0]: node.targets[0].id
        for tree in _trees().values()
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and isinstance(node.value.func.value, ast.Name)
        and node.value.func.value.id == "Rule"
        and isinstance(node.value.args[0], ast.Constant)
    }


@cache
def _names_used() -> Counter[str]:
    """How often each name is read in the sources."""
    nodes = (node for tree in _trees().values() for node in ast.walk(tree))
    return Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


@cache
def _codes_in_tests() -> frozenset[str]:
    own = Path(__file__)
    paths = (p for p in [*TESTS.rglob("*.py"), *TESTS.rglob("expected.json")] if p != own)
    return frozenset(code for p in paths for code in _CODE.findall(p.read_text("utf-8")))


def test_codes_and_names_are_unique() -> None:
    """A code and a name belong to one rule."""
    assert len({rule.code for rule in RULES}) == len(RULES) == len(BY_NAME)


def test_codes_are_in_order() -> None:
    """The table reads from the first stage to the last, owner by owner."""
    owners = ["GB", "N8N", "SLX", "TLS"]
    keys = [(owners.index(rule.code[:-3]), rule.code[-3:]) for rule in RULES]
    assert keys == sorted(keys)


def test_every_rule_that_is_defined_is_in_the_table() -> None:
    """A rule is defined once, in a package that is searched for rules."""
    defined = Counter(code.value for code in _definitions())
    assert defined == Counter(rule.code for rule in RULES)


def test_the_constant_of_a_rule_has_its_name() -> None:
    """The name of a rule leads to its constant."""
    names = {rule.code: rule.name.upper().replace("-", "_") for rule in RULES}
    assert {code.value: name for code, name in _definitions().items()} == names


def test_rule_codes_occur_only_in_definitions() -> None:
    """The sources name a rule by its constant, so that its code is written once."""
    strays = [f"{path.relative_to(SOURCES)}:{node.lineno}" for path, node in _codes_in_sources()]
    assert strays == []


def _codes_in_sources() -> Iterator[tuple[Path, ast.Constant]]:
    defined = _definitions()
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if _CODE.fullmatch(node.value) and node not in defined:
                yield path, node


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


def test_every_page_has_rule() -> None:
    """A page that explains nothing is gone."""
    assert {page.stem for page in PAGES.glob("*.md")} == {rule.code for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_is_emitted_and_provoked(rule: Rule) -> None:
    """The sources use the constant beside its definition, and a test expects the code."""
    assert _names_used()[rule.name.upper().replace("-", "_")], f"nothing emits {rule.code}"
    assert rule.code in _codes_in_tests(), f"no test expects {rule.code}"


def test_the_index_of_rules_is_current() -> None:
    """docs/diagnostics.md is what `make docs` writes."""
    written = (TESTS.parent / "docs" / "diagnostics.md").read_text("utf-8")
    assert written == index()


def test_rules_that_a_draft_can_break_have_an_example() -> None:
    """Pages of imports and runs have none, nor those of limits and of one installation."""
    pages = sorted(PAGES.glob("*.md"))
    without = {page.stem for page in pages if "\n## Example\n" not in page.read_text("utf-8")}
    of_later_stages = {code for code in without if code[-3] in "456"}
    limits = {"GB104", "GB208", "GB318", "GB322", "N8N306"}
    assert without - of_later_stages <= {*limits, "GB206", "SLX352"}
