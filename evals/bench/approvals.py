"""Counts the public workflows that would wait for an approval: ``python -m evals.bench.approvals``.

Compiles the workflows next to the checkout as an import under the default policy. Prints how many
have a node that waits for a person (GB404), by reason, and how many wait for a single reason, so
that allowing it would let them through.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_WORKFLOWS = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
_CODE = "GB404"
_RUNS_CODE = "runs code"
_REASON = re.compile(r"\(([a-z-]+)\)\Z")


def main() -> None:
    """Prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    registry = registry_from(provide_catalog().read_bytes())
    waiting: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    read = held = 0
    for workflow in islice(_read_workflows(), options.count):
        reasons = find_reasons(workflow, registry)
        read += 1
        held += bool(reasons)
        waiting.update(reasons)
        if len(reasons) == 1:
            alone.update(reasons)
    print(f"workflows: {read} read, {held} wait for an approval, {held / max(1, read):.1%}")
    for reason, number in waiting.most_common():
        print(f"{reason}: {number} wait for it, {alone[reason]} for nothing else")


def find_reasons(workflow: Any, registry: Registry) -> set[str]:
    """Returns the reasons for which a workflow waits; code is separate from unknown addresses."""
    compilation = compile_draft(workflow, N8N, registry, CompileOptions(purpose="import"))
    return set(_list_reasons(compilation.diagnostics))


def _list_reasons(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    for diagnostic in diagnostics:
        if diagnostic.code == _CODE:
            match = _REASON.search(diagnostic.message)
            reason = match[1] if match else "unnamed"
            yield f"{reason}, code" if _RUNS_CODE in diagnostic.message else reason


def _read_workflows() -> Iterator[Any]:
    with gzip.open(_WORKFLOWS, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)["workflow"]


if __name__ == "__main__":
    main()
