"""Tests the laws of repair on whole workflows, sound and faulty ones."""

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


def _make_faulty(scenes: list[Scene]) -> Iterator[Any]:
    """Yields workflows with several faults of any kind, as far as they can be combined."""
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
                continue  # an earlier fault removed the place
        yield document


def test_repair_is_idempotent_and_never_worse(workshop: Workshop, own_scenes: list[Scene]) -> None:
    """A repaired document needs no repair, and its verdict is no worse than before."""
    _check_repair(workshop, list(_make_faulty(own_scenes)))


def test_repair_of_real_workflows_is_idempotent_and_never_worse(
    workshop: Workshop, real_scenes: list[Scene]
) -> None:
    """Repair of real workflows with several faults is idempotent and never worse."""
    _check_repair(workshop, list(_make_faulty(real_scenes)))


def _check_repair(workshop: Workshop, documents: list[Any]) -> None:
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
    """Repair applies unsafe fixes only on request."""
    offered = 0
    for document in _make_single_faults(own_scenes):
        before = compile_draft(document, N8N, workshop.registry, workshop.options)
        unsafe = {d.fix.reason for d in before.diagnostics if d.fix and not d.fix.safe}
        if not unsafe:
            continue
        offered += 1
        assert not unsafe & {note.message for note in workshop.repair(document).corrections}
        asked = compile_with_fixes(document, N8N, workshop.registry, workshop.options, unsafe=True)
        assert _RANK[asked.verdict] <= _RANK[before.verdict]
    assert offered


def _make_single_faults(scenes: list[Scene]) -> Iterator[Any]:
    """Yields one workflow with each kind of fault."""
    rng = Random("one fault")
    for name in sorted(FINDERS):
        for scene in rng.sample(scenes, len(scenes)):
            fault = next(FINDERS[name](scene, rng), None)
            if fault is not None:
                yield apply_changes(scene.document, fault.changes)
                break


def test_untouched_nodes_keep_their_bytes(workshop: Workshop, real_scenes: list[Scene]) -> None:
    """A node without edits keeps its bytes in any layout of the file."""
    rng = Random("bytes")
    changed = 0
    for document in _make_faulty(real_scenes):
        text = _write_document(document, rng)
        after = workshop.repair(document).document
        new = rewrite_text(text, document, after)
        assert json.loads(new) == after
        changed += new != text
        for old_node, new_node in zip(document["nodes"], after["nodes"], strict=False):
            if old_node == new_node and isinstance(old_node, dict):
                assert _find_node_text(text, old_node) in new
    assert changed


def _write_document(document: Any, rng: Random) -> str:
    """Returns a document in a common layout: each node on its own line, or indented."""
    if rng.random() < 0.5:
        return json.dumps(document, indent=rng.choice((2, 4, "\t")), ensure_ascii=False)
    nodes = ",\n".join(_write_line(node) for node in document["nodes"])
    rest = {key: value for key, value in document.items() if key != "nodes"}
    return '{"nodes" : [\n' + nodes + "\n],\n" + json.dumps(rest, ensure_ascii=False)[1:]


def _write_line(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False, separators=(" , ", " : "))


def _find_node_text(text: str, node: Any) -> str:
    """Returns the bytes of a node in a text of either layout."""
    line = _write_line(node)
    if line in text:
        return line
    indent = text.split("\n", 2)[1]
    unit = indent[: len(indent) - len(indent.lstrip())]
    lines = json.dumps(node, indent=unit, ensure_ascii=False).split("\n")
    return f"\n{unit * 2}".join(lines)
