"""Applies edits to a document, separates the new findings, and formats the change as a patch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import Any

from grounded_builder.compiler.approval import NEEDS_APPROVAL
from grounded_builder.compiler.fixes import apply_fixes, note_correction
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import Compilation, compile_draft, open_points
from grounded_builder.compiler.text_edits import format_like
from grounded_builder.diagnostics import Diagnostic, sorted_unique, verdict_of
from grounded_builder.drafting.edits.parse import read_changes
from grounded_builder.ir.edit_operations import EditResult
from grounded_builder.ir.editor import EditContext, Editor
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs

_ROUNDS = 6
_CONTEXT = 3
_LONGEST_DIFFERENCE = 200_000


@dataclass(frozen=True, slots=True)
class Revision:
    """The result of edits: ``compilation`` checks the edits alone, its document are the edits.

    ``document`` is the changed document, None when the edits are wrong. ``remaining`` are findings
    that existed before too, ``fixed`` those that no longer exist.
    """

    compilation: Compilation
    document: Any
    notes: tuple[str, ...] = ()
    remaining: tuple[Diagnostic, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()


def apply_edits(
    document: Any,
    draft: Any,
    editor: Editor,
    ground: EditContext,
    references: ReferenceCatalogs = no_reference_catalogs,
) -> Revision:
    """Compiles a draft of edits to a document; both may be text, bytes or JSON values.

    Findings that existed before do not make the edits wrong; any new one does.
    """
    before = _check(document, ground, references)
    if before.document is None or ground.domain.reading.read(before.document).graph is None:
        return Revision(replace(before, artifact=None), None)
    value, diagnostics = parse(draft, ground.options.limits)
    if verdict_of(diagnostics) == "wrong":
        return _refuse(diagnostics, value, before)
    changes, read = read_changes(value, ground.domain.reading.step_settings)
    diagnostics = (*diagnostics, *read)
    if verdict_of(diagnostics) == "wrong":
        return _refuse(diagnostics, value, before)
    revised = editor.apply(before.document, changes, ground)
    after = _check(revised.document, ground, references)
    new, standing, mended = _compare_findings(before, after, revised)
    after, notes = _apply_fixes(after, new, before, revised, ground, references)
    if notes:
        new, standing, mended = _compare_findings(before, after, revised)
    findings = sorted_unique((*diagnostics, *revised.diagnostics, *new))
    verdict = verdict_of(findings)
    compilation = Compilation(verdict, findings, value, None, before.catalog, notes)
    if verdict == "wrong":
        return Revision(compilation, None, revised.notes, standing, mended)
    after = _update_notes(after, ground)
    compilation = replace(compilation, artifact=after.artifact)
    return Revision(compilation, after.document, revised.notes, standing, mended)


def difference(before: Any, after: Any) -> str:
    """Returns the change of a document as a bounded patch, both sides laid out alike; empty where
    equal.
    """
    old = format_like(before, "").splitlines(keepends=True)
    new = format_like(after, "").splitlines(keepends=True)
    lines = unified_diff(old, new, "a/workflow.json", "b/workflow.json", n=_CONTEXT)
    return "".join(lines)[:_LONGEST_DIFFERENCE]


def _update_notes(after: Compilation, ground: EditContext) -> Compilation:
    """Returns the compilation with its present open points in the notes of the document."""
    update = ground.domain.building.update_notes
    if update is None or after.document is None:
        return after
    points = open_points(after.diagnostics)
    artifact = None if after.artifact is None else update(after.artifact, points)
    return replace(after, document=update(after.document, points), artifact=artifact)


def _check(document: Any, ground: EditContext, references: ReferenceCatalogs) -> Compilation:
    return compile_draft(document, ground.domain, ground.registry, ground.options, references)


def _refuse(diagnostics: Iterable[Diagnostic], value: Any, before: Compilation) -> Revision:
    findings = sorted_unique(diagnostics)
    compilation = Compilation(verdict_of(findings), findings, value, None, before.catalog)
    return Revision(compilation, None)


def _compare_findings(
    before: Compilation, after: Compilation, revised: EditResult
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Returns the new findings, the remaining ones, and the fixed ones."""
    known = Counter(_key(diagnostic, revised.renamed) for diagnostic in before.diagnostics)
    new, standing = [], []
    for item in after.diagnostics:
        key = _key(item, {})
        # Points left to a person are left to the person who imports the changed document.
        if known[key] > 0 and item.rule != NEEDS_APPROVAL:
            known[key] -= 1
            standing.append(item)
        else:
            new.append(item)
    mended = []
    for item in before.diagnostics:
        key = _key(item, revised.renamed)
        if known[key] > 0:
            known[key] -= 1
            mended.append(item)
    return tuple(new), tuple(standing), tuple(mended)


def _key(diagnostic: Diagnostic, renamed: Mapping[str, str]) -> tuple[str, ...]:
    """Returns what identifies a finding, independent of the place and current name of its node."""
    node, message = diagnostic.node or "", diagnostic.message
    for old, new in renamed.items():
        message = message.replace(f'"{old}"', f'"{new}"')
    return (diagnostic.code, renamed.get(node, node), message)


def _apply_fixes(
    after: Compilation,
    new: tuple[Diagnostic, ...],
    before: Compilation,
    revised: EditResult,
    ground: EditContext,
    references: ReferenceCatalogs,
) -> tuple[Compilation, tuple[Diagnostic, ...]]:
    """Applies the safe fixes of new findings that touch changed nodes only."""
    notes: list[Diagnostic] = []
    for _ in range(_ROUNDS):
        fixable = [
            diagnostic
            for diagnostic in new
            if _is_own_fix(diagnostic, after.document, revised, ground)
        ]
        document, applied = apply_fixes(after.document, fixable)
        if not applied:
            break
        tried = _check(document, ground, references)
        tried_new = _compare_findings(before, tried, revised)[0]
        if len(_bad(tried_new)) > len(_bad(new)):
            break
        after, new = tried, tried_new
        notes += [note_correction(diagnostic) for diagnostic in applied]
    return after, tuple(notes)


def _bad(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [finding for finding in findings if finding.rule.kind != "advice"]


def _is_own_fix(
    diagnostic: Diagnostic, document: Any, revised: EditResult, ground: EditContext
) -> bool:
    if diagnostic.fix is None or not diagnostic.fix.safe:
        return False
    graph = ground.domain.reading.read(document).graph
    ours = [node.at for node in graph.nodes if node.name in revised.touched] if graph else []
    return all(any(edit.at[: len(at)] == at for at in ours) for edit in diagnostic.fix.edits)
