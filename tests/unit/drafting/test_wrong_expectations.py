"""The part of a draft that compiles has no wrong expectation, and says that it was left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.partial_build import largest_part
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.registries import acme_registry

_MAIL = {"resource": "message", "operation": "send", "to": "a@b.example"}


@pytest.mark.parametrize(
    ("expect", "kept", "left_out"),
    [
        ([{"node": "mail", "runs": 1}, {"node": "post", "runs": 1}], 1, "1 of 2 expectations"),
        ([{"why": "nothing"}], 0, "1 of 1 expectations"),
    ],
)
def test_a_wrong_expectation_is_left_out(expect: list[Any], kept: int, left_out: str) -> None:
    """The steps stay as they are; the expectation that can be judged stays too."""
    steps = [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": catalogs.MAIL, "params": _MAIL, "inputs": ["start"]},
    ]
    registry, options = acme_registry(), CompileOptions(purpose="import")
    draft = json.dumps({"steps": steps, "expect": expect})
    before = compile_with_fixes(draft, N8N, registry, options)
    assert (before.verdict, len(before.expect)) == ("wrong", kept)
    part = largest_part(before, N8N, registry, options, tuple)
    assert part is not None
    assert part.left_out == (left_out,)
    assert len(part.plan["steps"]) == 2
    assert len(part.compilation.expect) == kept
    assert part.compilation.artifact is not None
    assert "expect" not in part.compilation.artifact
