"""The work of a compile grows with its draft, whatever faults it has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from grounded_builder.compiler import name_search, node_cache
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Limits
from grounded_builder.ir.resolution import Resolution
from grounded_builder.resolve import resolve_name
from tests.unit.domains.n8n.drafts import (
    CODE,
    FORK,
    MODEL,
    REGISTRY,
    STEP,
    STORE,
    compile_workflow,
    node,
    workflow,
)


def _chain(length: int, type_of: Callable[[int], str], **parameters: Any) -> dict[str, Any]:
    nodes = [node(f"N{number}", type_of(number), parameters) for number in range(length)]
    return workflow(nodes, [(f"N{n}", f"N{n + 1}") for n in range(length - 1)])


def _mix_names(number: int) -> str:
    return (STEP, FORK, CODE, STORE, MODEL, "acme-nodes.stepp", "acme.fork")[number % 7]


def _calls(work: Callable[[], object]) -> int:
    """How many functions are called in a piece of work."""
    count = 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("type_of", "parameters"),
    [
        (_mix_names, {"text": "={{ $('N1').item.json.a }} {{ $json['b'] }}", "count": 3}),
        (lambda _: "acme-nodes.stepp", {}),
        (lambda _: STEP, {"texxt": 1, "other": {"deep": ["={{ $('No').item }}"]}}),
    ],
)
def test_work_grows_in_step_with_the_nodes(
    type_of: Callable[[int], str], parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times the nodes, sound or faulty, take hardly more than four times the calls."""

    def calls_of(length: int) -> int:
        monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())
        return _calls(lambda: compile_workflow(_chain(length, type_of, **parameters)))

    calls_of(50)
    some, more = calls_of(100), calls_of(400)
    assert more < 4.4 * some


def test_a_wrong_name_is_looked_up_once_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Equal names are resolved once a draft, and of different ones a bounded number."""
    sought: list[str] = []

    def count_and_parse(text: str, *rest: Any) -> Resolution:
        sought.append(text)
        return resolve_name(text, *rest)

    domain = replace(N8N, resolving=replace(N8N.resolving, resolve=count_and_parse))
    monkeypatch.setattr(name_search, "_shared", WeakKeyDictionary())

    def compile_bounded(draft: Any) -> tuple[Diagnostic, ...]:
        return compile_draft(draft, domain, REGISTRY, CompileOptions()).diagnostics

    findings = compile_bounded(_chain(300, lambda _: "acme-nodes.stepp"))
    assert sought == ["acme-nodes.stepp"]
    assert sum(d.code == "GB203" for d in findings) == 300
    sought.clear()
    findings = compile_bounded(_chain(1_200, lambda number: f"acme-nodes.odd{number}"))
    assert len(sought) == Limits().names
    assert sum(d.code == "GB201" for d in findings) == 1_200
    assert [d.message[:9] for d in findings if d.code == "GB208"] == ["200 names", "800 nodes"]
