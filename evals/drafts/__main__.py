"""Measures repair and the drafting loop on model-written drafts, and repair of corrupted twins.

``python -m evals.drafts CATALOG`` uses the n8n that GROUNDED_TEST_N8N names, or a new one. Its
answers are stored in .state/drafts, so an interrupted run resumes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evals.alarms.__main__ import run_n8n
from evals.drafts.corpus import DATA, has_corpora, read_drafts, read_twins
from evals.drafts.drafting_loop import format_loop_table, list_refused_results, run_drafting_loop
from evals.drafts.measure import measure_draft, score_twins
from evals.drafts.n8n_answers import Answers
from evals.drafts.table import format_drafts_table, format_twins_table
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import registry_from


def main(catalog: Path) -> None:
    """Measures both corpora."""
    if not has_corpora():
        raise SystemExit(f"{DATA} is absent: there is nothing to repair")
    registry = registry_from(catalog.read_bytes())
    result = score_twins(read_twins(), registry)
    untold = score_twins(read_twins(), registry, notes=False)
    print("\n".join(format_twins_table(result, untold)), flush=True)
    path = paths.ROOT / ".state" / "drafts" / f"n8n-{paths.n8n_version()}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with run_n8n() as server, clean_up_after(server) as client:
        answers = Answers(client, path)
        outcomes = [measure_draft(draft, registry, answers) for draft in read_drafts()]
        through = [run_drafting_loop(draft, registry, answers) for draft in read_drafts()]
    results = [item for item in outcomes if item is not None]
    print("\n" + "\n".join(format_drafts_table(results, len(outcomes) - len(results))))
    print("\n" + "\n".join(format_loop_table(through)))
    for refused in list_refused_results(through):
        print(f"refused at create: {refused}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else provide_catalog())
