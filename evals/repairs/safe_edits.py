"""Prints the effects of safe edits on real workflows: ``python -m evals.repairs.safe_edits``.

Applies every safe fix of a seeded sample alone and prints its effect: ``refused before`` (n8n
refuses such a workflow, node or edge), ``same`` (n8n executes the same), or ``runs otherwise``.
Only the last can change what a workflow does.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from evals.faults.bench import SHARED
from evals.faults.injection import read_real_workflows
from evals.repairs.executed_workflow import meaning_of
from evals.repairs.outcome import Workshop
from grounded_builder.compiler.fixes import apply_fixes
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic, Route, to_pointer
from grounded_builder.domains.n8n.domain import N8N
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

SEED = 5
CASES = 100
_DRAFTED = SHARED.with_name("llm_generated.jsonl.gz")
# Rules for what n8n refuses at create or publish, so that nothing ran before.
_REFUSED = frozenset(
    {
        *("GB201", "GB202", "GB203", "GB204", "GB205", "GB207", "GB311", "GB312", "GB313"),
        *("N8N101", "N8N103", "N8N104", "N8N341", "N8N342", "N8N346"),
    }
)


@dataclass(frozen=True, slots=True)
class Edited:
    """One fix applied alone: its place, its reason, and whether n8n executes anything else."""

    source: str
    code: str
    at: Route
    reason: str
    before: str
    after: str
    effect: str


def find_edits(document: Any, source: str, workshop: Workshop) -> Iterator[Edited]:
    """Yields each safe fix of a workflow, applied alone, with its effect."""
    compilation = compile_draft(document, N8N, workshop.registry, workshop.options)
    for diagnostic in compilation.diagnostics:
        if diagnostic.fix is None or not diagnostic.fix.safe:
            continue
        after, applied = apply_fixes(compilation.document, [diagnostic])
        if applied:
            yield _describe_edit(diagnostic, source, compilation.document, after, workshop)


def _describe_edit(
    findings: Diagnostic, source: str, before: Any, after: Any, workshop: Workshop
) -> Edited:
    fix = findings.fix
    at = fix.edits[0].at if fix else findings.at
    reason = fix.reason if fix else findings.message
    effect = "refused before" if findings.code in _REFUSED else "same"
    if effect == "same":
        old, new = (meaning_of(item, workshop.registry) for item in (before, after))
        effect = "same" if _to_json(old) == _to_json(new) else "runs otherwise"
    shown = _to_json(_value_at(before, at))[:90], _to_json(_value_at(after, at))[:90]
    return Edited(source, findings.code, at, reason, *shown, effect)


def _value_at(value: Any, route: Route) -> Any:
    for key in route:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _read_documents(workshop: Workshop) -> Iterator[tuple[str, Any]]:
    for index, workflow in enumerate(read_real_workflows(SHARED)):
        yield f"workflow {index}", workflow
    with gzip.open(_DRAFTED, "rt", encoding="utf-8") as stream:
        for index, line in enumerate(stream):
            record = json.loads(line)
            draft = record.get("workflow", record.get("raw"))
            yield f"draft {index}", parse(draft, workshop.options.limits)[0]


def main() -> None:
    """Prints the edits of the sample, then the number of each code by effect."""
    parser = argparse.ArgumentParser(prog="evals.repairs.safe_edits", description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: of the installed n8n")
    options = parser.parse_args()
    workshop = Workshop(registry_from((options.catalog or provide_catalog()).read_bytes()))
    documents = [
        (source, document)
        for source, document in _read_documents(workshop)
        if isinstance(document, dict) and next(find_edits(document, source, workshop), None)
    ]
    counts: Counter[tuple[str, str]] = Counter()
    for source, document in Random(SEED).sample(documents, CASES):
        for edit in find_edits(document, source, workshop):
            counts[edit.code, edit.effect] += 1
            print(f"{edit.source} {edit.code} {edit.effect}: {to_pointer(edit.at)}: {edit.reason}")
            print(f"    {edit.before}\n    {edit.after}")
    print(f"\n{CASES} of {len(documents):,} workflows with a safe edit, seed {SEED}")
    for (code, effect), count in sorted(counts.items()):
        print(f"| {code} | {effect} | {count} |")


if __name__ == "__main__":
    main()
