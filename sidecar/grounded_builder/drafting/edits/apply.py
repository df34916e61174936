"""Compile changes to a document: carry them out, judge what came of it, tell apart what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import Any

from grounded_builder.compiler.approval import NEEDS_APPROVAL
from grounded_builder.compiler.fixes import apply_fixes, corrections_of
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import Compilation, compile_draft
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
    """What became of changes: ``compilation`` judges them alone, its document are the changes.

    ``document`` is the changed document, None when the changes are wrong. ``remaining`` was found
    before them too, ``fixed`` is found no more.
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
    """Compiles a draft of changes to a document; both may be text, bytes or JSON values.

    What was wrong before and stays so does not make the changes wrong; anything new does.
    """
    before = _judged(document, ground, references)
    if before.document is None or ground.domain.reading.read(before.document).graph is None:
        return Revision(replace(before, artifact=None), None)
    value, diagnostics = parse(draft, ground.setting.limits)
    if verdict_of(diagnostics) == "wrong":
        return _refused(diagnostics, value, before)
    changes, read = read_changes(value)
    diagnostics = (*diagnostics, *read)
    if verdict_of(diagnostics) == "wrong":
        return _refused(diagnostics, value, before)
    revised = editor.apply(before.document, changes, ground)
    after = _judged(revised.document, ground, references)
    new, standing, mended = _compared(before, after, revised)
    after, notes = _corrected(after, new, before, revised, ground, references)
    if notes:
        new, standing, mended = _compared(before, after, revised)
    findings = sorted_unique((*diagnostics, *revised.diagnostics, *new))
    verdict = verdict_of(findings)
    compilation = Compilation(verdict, findings, value, None, before.catalog, notes)
    if verdict == "wrong":
        return Revision(compilation, None, revised.notes, standing, mended)
    compilation = replace(compilation, artifact=after.artifact)
    return Revision(compilation, after.document, revised.notes, standing, mended)


def difference(before: Any, after: Any, name: str = "workflow.json") -> str:
    """Returns a document's change as a patch, both sides laid out alike; bounded, empty where
    equal.
    """
    old = format_like(before, "").splitlines(keepends=True)
    new = format_like(after, "").splitlines(keepends=True)
    lines = unified_diff(old, new, f"a/{name}", f"b/{name}", n=_CONTEXT)
    return "".join(lines)[:_LONGEST_DIFFERENCE]


def _judged(document: Any, ground: EditContext, references: ReferenceCatalogs) -> Compilation:
    return compile_draft(document, ground.domain, ground.registry, ground.setting, references)


def _refused(diagnostics: Iterable[Diagnostic], value: Any, before: Compilation) -> Revision:
    findings = sorted_unique(diagnostics)
    compilation = Compilation(verdict_of(findings), findings, value, None, before.catalog)
    return Revision(compilation, None)


def _compared(
    before: Compilation, after: Compilation, revised: EditResult
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Returns the findings that are new, those that stand, and those that are gone."""
    known = Counter(_key(diagnostic, revised.renamed) for diagnostic in before.diagnostics)
    new, standing = [], []
    for item in after.diagnostics:
        key = _key(item, {})
        # What waits for a person waits for whoever imports the changed document.
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
    """Returns what a finding is about, whatever the place of its node and the name that it has."""
    node, message = diagnostic.node or "", diagnostic.message
    for old, new in renamed.items():
        message = message.replace(f'"{old}"', f'"{new}"')
    return (diagnostic.code, renamed.get(node, node), message)


def _corrected(
    after: Compilation,
    new: tuple[Diagnostic, ...],
    before: Compilation,
    revised: EditResult,
    ground: EditContext,
    references: ReferenceCatalogs,
) -> tuple[Compilation, tuple[Diagnostic, ...]]:
    """Applies the safe fixes of what is new, where they touch changed nodes only."""
    notes: list[Diagnostic] = []
    for _ in range(_ROUNDS):
        fixable = [
            diagnostic
            for diagnostic in new
            if _is_ours(diagnostic, after.document, revised, ground)
        ]
        document, applied = apply_fixes(after.document, fixable)
        if not applied:
            break
        tried = _judged(document, ground, references)
        tried_new = _compared(before, tried, revised)[0]
        if len(_bad(tried_new)) > len(_bad(new)):
            break
        after, new = tried, tried_new
        notes += [corrections_of(diagnostic) for diagnostic in applied]
    return after, tuple(notes)


def _bad(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [finding for finding in findings if finding.rule.kind != "advice"]


def _is_ours(
    diagnostic: Diagnostic, document: Any, revised: EditResult, ground: EditContext
) -> bool:
    if diagnostic.fix is None or not diagnostic.fix.safe:
        return False
    graph = ground.domain.reading.read(document).graph
    ours = [node.at for node in graph.nodes if node.name in revised.touched] if graph else []
    return all(any(edit.at[: len(at)] == at for at in ours) for edit in diagnostic.fix.edits)
