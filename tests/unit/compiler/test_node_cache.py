"""The node cache makes later compiles faster and changes no finding."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from grounded_builder.compiler import node_cache
from grounded_builder.compiler.node_cache import NodeCache
from grounded_builder.compiler.time_limit import TimeLimitExceededError
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.expressions import check as expressions
from grounded_builder.ir.graph import Node
from tests.unit.domains.n8n.drafts import CODE, FORK, STEP, compile_workflow, node, workflow

_SPEC = object()


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())


def _draft() -> dict[str, Any]:
    nodes = [
        node("In", STEP, {"text": "={{ $('Gone').item.json.a }} {{ $josn.b }}", "odd": 1}),
        node("Script", CODE, {"jsCode": "return $('Inn').all();"}),
        node("Fork", FORK, {"text": "={{ $('In').first().json.x.foo() }}"}),
    ]
    return workflow(nodes, [("In", "Script"), ("Script", "Fork")])


def _changes() -> Iterator[tuple[str, Callable[[dict[str, Any]], object]]]:
    yield "another value", lambda it: it["nodes"][0]["parameters"].update(text="={{ $json.a }}")
    yield "1 for true", lambda it: it["nodes"][0]["parameters"].update(odd=True)
    yield "another place", lambda it: it["nodes"].reverse()
    yield "another name", lambda it: it["nodes"][0].update(name="Inn")
    yield "another version", lambda it: it["nodes"][0].update(typeVersion=2)
    yield "another type", lambda it: it["nodes"][2].update(type=STEP)
    yield "disabled", lambda it: it["nodes"][0].update(disabled=True)
    yield "a node less", lambda it: it["nodes"].pop(0)


@pytest.mark.parametrize(("_name", "change"), list(_changes()))
def test_a_changed_draft_is_checked_as_if_nothing_was_cached(
    _name: str, change: Callable[[dict[str, Any]], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After other drafts with almost the same nodes, all that is found is what is found afresh."""
    changed = _draft()
    change(changed)
    compile_workflow(_draft())
    after = compile_workflow(copy.deepcopy(changed))
    again = compile_workflow(_draft())
    monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())
    assert after.diagnostics == compile_workflow(changed).diagnostics
    monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())
    assert again.diagnostics == compile_workflow(_draft()).diagnostics


def test_nodes_that_stay_are_not_worked_out_again() -> None:
    """A draft with one node changed takes less than three quarters of the calls."""
    nodes = [node(f"N{n}", STEP, {"text": f"={{{{ $json.f{n} }}}}"}) for n in range(30)]
    draft = workflow(nodes, [(f"N{n}", f"N{n + 1}") for n in range(29)])
    first = _calls(lambda: compile_workflow(draft))
    draft["nodes"][7]["parameters"]["text"] = "={{ $json.other }}"
    assert _calls(lambda: compile_workflow(draft)) < first * 3 / 4


def test_interrupted_compile_leaves_no_partial_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compile that is stopped inside a text leaves no cached result that hides findings."""
    whole = _codes(compile_workflow(_draft()).diagnostics)
    monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())
    for stopped in ("find_references", "report_results", "report_unknown_variables", "split"):
        with monkeypatch.context() as patched:
            patched.setattr(expressions, stopped, _stop)
            with pytest.raises(TimeLimitExceededError):
                compile_workflow(_draft())
        assert _codes(compile_workflow(_draft()).diagnostics) == whole
        monkeypatch.setattr(node_cache, "_memories", WeakKeyDictionary())


def test_memory_is_bounded() -> None:
    """Beyond its bound it starts again, and a very long node is not kept at all."""
    memory = NodeCache()
    first = _node(0, "x" * 4_000)
    memo = memory.memo_of(first, _SPEC)
    assert memory.memo_of(_node(0, "x" * 4_000), _SPEC) is memo
    for number in range(1, 1_000):
        memory.memo_of(_node(number, "x" * 4_000), _SPEC)
    assert memory.memo_of(first, _SPEC) is not memo
    long = _node(0, "x" * 9_000)
    assert memory.memo_of(long, _SPEC) is not memory.memo_of(long, _SPEC)


def test_equal_nodes_of_another_entry_share_nothing() -> None:
    """The entry of a type may be another one now: what followed from the old is not taken."""
    memory, spec = NodeCache(), object()
    memo = memory.memo_of(_node(0, "x"), _SPEC)
    assert memory.memo_of(_node(0, "x"), spec) is not memo
    assert memory.memo_of(_node(1, "x"), spec) is not memory.memo_of(_node(0, "x"), spec)


def test_a_node_that_json_cannot_hold_is_not_cached() -> None:
    """Half an emoji and a number beyond 64 bits are compiled without a memory."""
    memory = NodeCache()
    for value in ("\ud83d", 2**70):
        result = _node(0, value)
        assert memory.memo_of(result, _SPEC) is not memory.memo_of(result, _SPEC)


def _node(number: int, value: Any) -> Node:
    source = {"name": "N", "parameters": {"text": value}}
    return Node("N", STEP, 1, source["parameters"], ("nodes", number), source)  # type: ignore[arg-type]


def _codes(findings: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in findings]


def _stop(*_: object, **__: object) -> None:
    raise TimeLimitExceededError


def _calls(work: Callable[[], object]) -> int:
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
