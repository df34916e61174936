"""The findings of a draft stay small, and take time in proportion to it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import orjson
import pytest

from grounded_builder.compiler.name_stats import MAX_NAMES, occurrences_in
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.lower.rows import Link, order_rows
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.registries import registry_from

pytestmark = pytest.mark.long

_MAIL = "acme-nodes.mail"
_REGISTRY = registry_from(catalogs.acme_bytes())
_LONG = "x" * 100_000
_COUNT = 1_000


def _node(name: str, **fields: Any) -> dict[str, Any]:
    node = {"id": name[:9], "name": name, "type": _MAIL, "typeVersion": 1, "position": [0, 0]}
    return {**node, "parameters": {}, **fields}


def _targets() -> list[dict[str, Any]]:
    return [{"node": f"q{number}", "type": "main", "index": 0} for number in range(_COUNT)]


_LONG_NAMES: dict[str, dict[str, Any]] = {
    "a step with unknown sources": {
        "steps": [{"id": _LONG, "tool": _MAIL, "inputs": [f"q{n}" for n in range(_COUNT)]}]
    },
    "a node with unknown credentials": {
        "nodes": [_node(_LONG, credentials={f"c{n}": {"id": "1"} for n in range(_COUNT)})],
        "connections": {},
    },
    "connections of no node": {
        "nodes": [_node("a")],
        "connections": {_LONG: {"main": [_targets()]}},
    },
    "steps with unknown sources": {
        "steps": [
            {"id": f"step_{n:0100}", "tool": _MAIL, "inputs": [f"q{n}"]} for n in range(_COUNT)
        ]
    },
}


def _compile(draft: Any) -> Compilation:
    return compile_with_fixes(draft, N8N, _REGISTRY, CompileOptions())


@pytest.mark.parametrize("name", _LONG_NAMES)
def test_findings_that_quote_a_long_name_stay_small(name: str) -> None:
    """Each text is cut, the list ends where it becomes too long, and a finding states it."""
    compilation = _compile(_LONG_NAMES[name])
    written = sum(len(orjson.dumps(as_json(finding))) for finding in compilation.diagnostics)
    assert written < 10_000_000
    assert compilation.verdict == "wrong"
    if name != "steps with unknown sources":
        assert "findings, the first" in compilation.diagnostics[0].message


@pytest.mark.parametrize(
    "shape", ["equal ids", "unknown sources", "unknown names", "equal node names"]
)
def test_the_time_of_findings_grows_with_their_count(shape: str) -> None:
    """Also the names for statistics are collected in such a time."""

    def make(size: int) -> dict[str, Any]:
        if shape == "equal node names":
            return {"nodes": [_node("a") for _ in range(size)], "connections": {}}
        steps = [{"id": f"s{number}", "tool": _MAIL} for number in range(size)]
        for number, step in enumerate(steps):
            if shape == "equal ids":
                step["id"] = "a"
            elif shape == "unknown sources":
                step["inputs"] = [f"q{number}"]  # type: ignore[assignment]
            else:
                step["tool"] = f"t {number}"
        return {"steps": steps}

    def work(draft: dict[str, Any]) -> object:
        return occurrences_in(_compile(draft), _REGISTRY)

    work(make(10))
    measure = partial(find_growth_fault, work, make, shortest=4_000, longest=4_000)
    assert confirm_fault(measure) == ""


def test_names_for_statistics_are_bounded() -> None:
    """A draft of a thousand wrong names does not displace the names of others."""
    steps = [{"id": f"s{number}", "tool": f"t {number}"} for number in range(_COUNT)]
    assert len(occurrences_in(_compile({"steps": steps}), _REGISTRY)) == MAX_NAMES


def test_a_long_row_is_walked_once() -> None:
    """The rows of a chain are found in time that grows with its length."""

    def make(size: int) -> list[str]:
        return [f"s{number}" for number in range(size)]

    def work(steps: list[str]) -> object:
        links = [Link(a, 0, b, 0) for a, b in pairwise(steps)]
        return order_rows(steps, links, {step: index for index, step in enumerate(steps)})

    measure = partial(find_growth_fault, work, make, shortest=2_000, longest=8_000)
    assert confirm_fault(measure) == ""
