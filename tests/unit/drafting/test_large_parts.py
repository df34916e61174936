"""The part of a large draft that compiles is found in bounded time, and none of odd shapes."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.partial_build import PartialBuild, largest_part
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.registries import registry_from

_REGISTRY = registry_from(catalogs.acme_bytes())
_MAIL, _UNKNOWN = "acme-nodes.mail", "zork.zzz"


def _part(draft: dict[str, Any]) -> PartialBuild | None:
    options = CompileOptions(builds=True)
    compilation = compile_with_fixes(draft, N8N, _REGISTRY, options)
    return largest_part(compilation, N8N, _REGISTRY, options, tuple)


def _step(name: str, tool: str, *inputs: str) -> dict[str, Any]:
    return {"id": name, "tool": tool, "inputs": list(inputs)}


def test_unknown_steps_that_join_again_are_taken_out_once() -> None:
    """Each step between is followed once, not once for each of the million paths."""
    steps = [_step("a0", _MAIL), _step("b0", _MAIL)]
    for row in range(1, 20):
        before = f"a{row - 1}", f"b{row - 1}"
        steps += [_step(f"{side}{row}", _UNKNOWN, *before) for side in "ab"]
    part = _part({"steps": [*steps, _step("end", _MAIL, "a19", "b19")]})
    assert part is not None
    assert part.plan["steps"][-1]["inputs"] == ["a0", "b0"]


def test_a_long_row_of_unknown_steps_is_taken_out() -> None:
    """The last step follows the first one."""
    names = [f"s{number}" for number in range(1_500)]
    steps = [_step(name, _UNKNOWN, *names[i : i + 1]) for i, name in enumerate(names[1:])]
    part = _part({"steps": [_step("s0", _MAIL), *steps, _step("end", _MAIL, names[-1])]})
    assert part is not None
    assert part.plan["steps"][-1]["inputs"] == ["s0"]


def test_edges_to_missing_nodes_are_removed_whole() -> None:
    """Each is reported once, and the other targets of the output stay."""
    draft = catalogs.workflow()
    entries = [{"node": name, "type": "main", "index": 0} for name in ("No", "Mail", "Nobody")]
    part = _part({**draft, "connections": {"Hook": {"main": [entries]}}})
    assert part is not None
    assert part.plan["connections"]["Hook"]["main"] == [[entries[1]]]
    assert [text.split(":")[0] for text in part.left_out] == ["a connection", "a connection"]


@pytest.mark.parametrize("inputs", [5, True, [[]], {"back": True}])
def test_there_is_no_part_of_steps_with_inputs_of_other_types(inputs: Any) -> None:
    """Nothing is built if the inputs of a step are unreadable."""
    first = {"id": "a", "tool": _MAIL}
    assert _part({"steps": [first, {"id": "b", "tool": _UNKNOWN, "inputs": inputs}]}) is None
