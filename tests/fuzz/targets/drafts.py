"""Drafts: text that is parsed, and plans and documents of every domain through all passes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes, repair_document
from grounded_builder.compiler.pipeline import compile_draft as judge
from grounded_builder.compiler.report import compilation_report
from grounded_builder.diagnostics import verdict_of
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions, Limits
from tests.fuzz import seeds
from tests.fuzz.mutation import decode
from tests.fuzz.target import Target
from tests.support.simulink import simulink_registry
from tests.support.tool_lists import make_desk_tools, make_tool_registry
from tests.unit.domains.n8n import drafts

_LIMITS = Limits(draft_bytes=100_000, depth=100, nodes=200)
_SETTING = CompileOptions(limits=_LIMITS, seed="fuzz", path_secret=b"fuzz")
_RANK = {"ok": 0, "incomplete": 1, "wrong": 2}


@cache
def worlds() -> dict[str, tuple[Domain, Registry]]:
    """Each domain with a small catalog."""
    return {
        "n8n": (N8N, drafts.registry()),
        "simulink": (SIMULINK, simulink_registry()),
        "tools": (TOOLS, make_tool_registry(make_desk_tools())),
    }


def parse_text(data: bytes) -> None:
    """Text gives a value or a diagnostic with the reason, and the same ones again."""
    value, diagnostics = parse(data, _LIMITS)
    again = parse(data, _LIMITS)
    assert _same(value) == _same(again[0])
    assert diagnostics == again[1]
    if value is None:
        assert verdict_of(diagnostics) == "wrong"
    else:
        assert isinstance(value, dict | list)


def compile_draft(data: bytes, domain: str) -> None:
    """A verdict that follows from the findings, an artifact only where it is not wrong; idempotent.

    What is corrected is not made worse, a repair repaired again is itself, and an artifact of a
    document, read again, is not wrong.
    """
    value = decode(data)
    draft = data if value is None else value
    world = (*worlds()[domain], _SETTING)
    before = judge(draft, *world)
    _check(before)
    assert _render_report(judge(draft, *world)) == _render_report(before), (
        "two verdicts of one draft differ"
    )
    after = compile_with_fixes(draft, *world)
    _check(after)
    assert _RANK[after.verdict] <= _RANK[before.verdict], "a correction makes the verdict worse"
    # The other domains build what they do not read again: a script, a list of calls.
    if after.artifact is not None and domain == "n8n":
        again = judge(dict(after.artifact), *world)
        assert again.verdict != "wrong", f"the artifact is wrong: {again.diagnostics[:3]}"
    mended = repair_document(draft, *world)
    twice = repair_document(mended.document, *world) if mended.document is not None else mended
    assert _same(twice.document) == _same(mended.document), "a second repair changes more"


def _check(compilation: Compilation) -> None:
    assert compilation.verdict == verdict_of(compilation.diagnostics)
    if compilation.verdict == "wrong":
        assert compilation.artifact is None
    json.dumps(compilation_report(compilation))


def _render_report(compilation: Compilation) -> str:
    return _same([compilation_report(compilation), compilation.artifact])


def _same(value: object) -> str:
    return json.dumps(value)


def _texts() -> Iterable[bytes]:
    yield from seeds.golden_drafts("n8n")
    yield b'Sure:\n```json\n{"nodes": [],}\n```\n<think>{</think> {"a": "\\"'


TARGETS = (
    Target("parse", parse_text, _texts, "text", 5.0, 600),
    Target(
        "n8n-plans",
        lambda data: compile_draft(data, "n8n"),
        lambda: seeds.plans("n8n"),
        seconds=10.0,
    ),
    Target(
        "n8n-workflows",
        lambda data: compile_draft(data, "n8n"),
        lambda: seeds.documents("n8n"),
        seconds=10.0,
    ),
    Target(
        "simulink-drafts",
        lambda data: compile_draft(data, "simulink"),
        lambda: seeds.golden_drafts("simulink"),
        seconds=10.0,
        quick=150,
    ),
    Target(
        "tool-calls",
        lambda data: compile_draft(data, "tools"),
        lambda: (*seeds.plans("tools"), *seeds.documents("tools")),
        seconds=10.0,
    ),
)
