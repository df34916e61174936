"""Tests laws of repair over whole workflows, sound and faulty ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from evals.faults.fault import apply_changes
from evals.faults.injection import FINDERS
from evals.faults.scene import Scene
from evals.repairs.outcome import Workshop
from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.compiler.text_edits import rewrite_text
from grounded_builder.domains.n8n.domain import N8N

_RANK = {"ok": 0, "incomplete": 1, "wrong": 2}
_FAULTS = 3
_WORKFLOWS = 150


def _faulty(scenes: list[Scene]) -> Iterator[Any]:
    """Workflows with several faults of any kind, each after the other where it still applies."""
    rng = Random("laws of repair")
    for scene in rng.sample(scenes, min(len(scenes), _WORKFLOWS)):
        document = scene.document
        for name in rng.sample(sorted(FINDERS), _FAULTS * 4):
            faults = list(islice(FINDERS[name](scene, rng), 20))
            if not faults:
                continue
            try:
                document = apply_changes(document, rng.choice(faults).changes)
            except (KeyError, IndexError, TypeError, AttributeError):
                continue  # the place is gone with an earlier fault
        yield document


def test_repair_is_idempotent_and_never_worse(workshop: Workshop, own_scenes: list[Scene]) -> None:
    """What repair made needs no repair, and its verdict is no worse than before."""
    _hold(workshop, list(_faulty(own_scenes)))


def test_repair_of_real_workflows_is_idempotent_and_never_worse(
    workshop: Workshop, real_scenes: list[Scene]
) -> None:
    """The same of real workflows with several faults."""
    _hold(workshop, list(_faulty(real_scenes)))


def _hold(workshop: Workshop, documents: list[Any]) -> None:
    for document in documents:
        before = compile_draft(document, N8N, workshop.registry, workshop.options)
        once = workshop.repair(document)
        assert _RANK[once.verdict] <= _RANK[before.verdict]
        twice = workshop.repair(once.document)
        assert twice.document == once.document
        assert not twice.corrections


def test_an_unsafe_fix_is_applied_only_when_asked(
    workshop: Workshop, own_scenes: list[Scene]
) -> None:
    """What has an unsafe fix is not among the corrections, until repair is asked for it."""
    offered = 0
    for document in _single(own_scenes):
        before = compile_draft(document, N8N, workshop.registry, workshop.options)
        unsafe = {d.fix.reason for d in before.diagnostics if d.fix and not d.fix.safe}
        if not unsafe:
            continue
        offered += 1
        assert not unsafe & {note.message for note in workshop.repair(document).corrections}
        asked = compile_with_fixes(document, N8N, workshop.registry, workshop.options, unsafe=True)
        assert _RANK[asked.verdict] <= _RANK[before.verdict]
    assert offered


def _single(scenes: list[Scene]) -> Iterator[Any]:
    """Every kind of fault once."""
    rng = Random("one fault")
    for name in sorted(FINDERS):
        for scene in rng.sample(scenes, len(scenes)):
            fault = next(FINDERS[name](scene, rng), None)
            if fault is not None:
                yield apply_changes(scene.document, fault.changes)
                break


def test_untouched_nodes_keep_their_bytes(workshop: Workshop, real_scenes: list[Scene]) -> None:
    """However a file is laid out, a node that no edit lies in stands in the result as it stood."""
    rng = Random("bytes")
    changed = 0
    for document in _faulty(real_scenes):
        text = _laid_out(document, rng)
        after = workshop.repair(document).document
        new = rewrite_text(text, document, after)
        assert json.loads(new) == after
        changed += new != text
        for old_node, new_node in zip(document["nodes"], after["nodes"], strict=False):
            if old_node == new_node and isinstance(old_node, dict):
                assert _write_text(text, old_node) in new
    assert changed


def _laid_out(document: Any, rng: Random) -> str:
    """A document as people write it: nodes on a line of their own each, or all indented."""
    if rng.random() < 0.5:
        return json.dumps(document, indent=rng.choice((2, 4, "\t")), ensure_ascii=False)
    nodes = ",\n".join(_on_a_line(node) for node in document["nodes"])
    rest = {key: value for key, value in document.items() if key != "nodes"}
    return '{"nodes" : [\n' + nodes + "\n],\n" + json.dumps(rest, ensure_ascii=False)[1:]


def _on_a_line(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False, separators=(" , ", " : "))


def _write_text(text: str, node: Any) -> str:
    """The bytes of a node in a text of either layout."""
    line = _on_a_line(node)
    if line in text:
        return line
    indent = text.split("\n", 2)[1]
    unit = indent[: len(indent) - len(indent.lstrip())]
    lines = json.dumps(node, indent=unit, ensure_ascii=False).split("\n")
    return f"\n{unit * 2}".join(lines)
