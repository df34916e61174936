"""The ways past a policy that are no draft alone: edits, trials, repairs and models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import REASONS
from grounded_builder.compiler.pipeline import (
    Compilation,
    compile_draft,
    compile_with_fixes,
    repair_document,
)
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.n8n.trial.assign_roles import cast_of
from grounded_builder.domains.n8n.trial.sandbox_copy import replica_of
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.edits.apply import apply_edits
from grounded_builder.drafting.edits.edit_rounds import finish_edit
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.services.trial_run import incomplete_nodes
from tests.policy.edit_bypasses import hostile_edits
from tests.policy.simulink_bypasses import hostile_models
from tests.policy.trial_bypasses import MARK, hostile_repairs, hostile_tries
from tests.support.simulink import simulink_registry

_STOPS = frozenset({"GB401", "GB404", "GB407"})
_APPROVAL = re.compile(r'approval "([^"]+)"')
# What a trial may run, read off n8n-nodes-base 2.41 anew: the nodes that the copy is made of, and
# those that compute on their items.
_RUN = frozenset(
    "aggregate code compareDatasets compression convertToFile crypto dateTime extractFromFile "
    "filter html htmlExtract iCal if itemLists limit markdown merge moveBinaryData noOp readPDF "
    "removeDuplicates renameKeys respondToWebhook set sort splitInBatches splitOut spreadsheetFile "
    "stopAndError summarize switch webhook xml".split()
)


def find_passing_edits(half: str, registry: Registry) -> Iterator[str]:
    """Yield the edits that pass: without a word of policy, or by an approval of what was before."""
    for edit in hostile_edits(half):
        options = CompileOptions(purpose="import", policy=edit.policy)
        ground = EditContext(N8N, registry, options)
        revision = apply_edits(edit.document, {"changes": list(edit.changes)}, EDITOR, ground)
        if revision.document is None or revision.compilation.artifact is None:
            continue
        outcome = finish_edit(revision, 1)
        is_asked = _is_stopped(revision.compilation) and outcome.todo
        if not is_asked or revision.compilation.verdict == "ok":
            yield f"{edit.name}: the edit"
        before = compile_draft(edit.document, N8N, registry, options)
        approvals = tuple(
            name
            for diagnostic in before.diagnostics
            for name in _APPROVAL.findall(diagnostic.help or "")
        )
        publishing = replace(options, purpose="publish", approvals=approvals)
        if _passes(compile_with_fixes(revision.document, N8N, registry, publishing)):
            yield f"{edit.name}: published with {approvals}"


def find_passing_trials(half: str, registry: Registry) -> Iterator[str]:
    """Yield the workflows of which a trial runs what may reach out."""
    for family, document in hostile_tries(half):
        compilation = compile_with_fixes(document, N8N, registry, CompileOptions())
        if compilation.artifact is None:
            continue
        graph = N8N.reading.read(compilation.artifact).graph
        assert graph is not None
        resolved, _ = resolve_graph(graph, N8N, registry)
        cast = cast_of(resolved, incomplete_nodes(compilation), {}, lambda *_: None)
        copy = replica_of(cast, "copy").workflow
        types = {node["type"].removeprefix("n8n-nodes-base.") for node in copy["nodes"]}
        settings = copy["settings"].keys() & {"errorWorkflow", "callerPolicy"}
        if types - _RUN or MARK in json.dumps(copy) or settings or "pinData" in copy:
            yield f"{family}: {json.dumps(document['nodes'][1])}"


def find_passing_repairs(half: str, registry: Registry) -> Iterator[str]:
    """Yield the drafts that pass when a repair has corrected them."""
    for draft in hostile_repairs(half):
        mended = repair_document(draft, N8N, registry, CompileOptions())
        for document in (draft, mended.document):
            options = CompileOptions(purpose="publish")
            if _passes(compile_with_fixes(document, N8N, registry, options)):
                yield json.dumps(draft["nodes"][1])


def find_passing_models(half: str) -> Iterator[str]:
    """Yield the models that pass."""
    registry = simulink_registry()
    for plan, policy in hostile_models(half):
        options = CompileOptions(purpose="import", policy=policy)
        if _passes(compile_with_fixes(plan, SIMULINK, registry, options)):
            yield json.dumps(plan["steps"][0])


def would_be_built(half: str, registry: Registry) -> int:
    """Returns how many edits make an artifact where nothing is kept out: these put policy to it."""
    options = CompileOptions(purpose="import", policy=Policy(opened=REASONS))
    ground = EditContext(N8N, registry, options)
    return sum(
        apply_edits(edit.document, {"changes": list(edit.changes)}, EDITOR, ground).document
        is not None
        for edit in hostile_edits(half)
    )


def _is_stopped(compilation: Compilation) -> bool:
    return bool(_STOPS & {diagnostic.code for diagnostic in compilation.diagnostics})


def _passes(compilation: Compilation) -> bool:
    return compilation.artifact is not None and not _is_stopped(compilation)


def all_bypasses(half: str, registry: Registry) -> dict[str, list[Any]]:
    """Returns what passes, by the way that it takes."""
    return {
        "edited": [*find_passing_edits(half, registry)],
        "tried": [*find_passing_trials(half, registry)],
        "repaired": [*find_passing_repairs(half, registry)],
        "modelled": [*find_passing_models(half)],
    }
