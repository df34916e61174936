"""Measures repair and the loop on model-written drafts, repair on corrupted twins.

``python -m evals.drafts CATALOG`` asks a real n8n, one of its own unless GROUNDED_TEST_N8N names
one. Its answers are kept in .state/drafts, so that a run that was cut off goes on.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evals.alarms.__main__ import run_n8n
from evals.drafts.corpus import DATA, is_there, read_drafts, twins
from evals.drafts.drafting_loop import loop_table, refused_at_create, run_drafting_loop
from evals.drafts.measure import outcome, score_twins
from evals.drafts.n8n_answers import Answers
from evals.drafts.table import drafts_table, twins_table
from runtime import paths
from tests.support.n8n_server import kept_catalog
from tests.support.n8n_workflows import leaving_nothing
from tests.support.registries import registry_from


def main(catalog: Path) -> None:
    """Measure both corpora."""
    if not is_there():
        raise SystemExit(f"{DATA} is absent: there is nothing to repair")
    registry = registry_from(catalog.read_bytes())
    result = score_twins(twins(), registry)
    untold = score_twins(twins(), registry, notes=False)
    print("\n".join(twins_table(result, untold)), flush=True)
    path = paths.ROOT / ".state" / "drafts" / f"n8n-{paths.n8n_version()}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with run_n8n() as server, leaving_nothing(server) as client:
        answers = Answers(client, path)
        outcomes = [outcome(draft, registry, answers) for draft in read_drafts()]
        through = [run_drafting_loop(draft, registry, answers) for draft in read_drafts()]
    results = [item for item in outcomes if item is not None]
    print("\n" + "\n".join(drafts_table(results, len(outcomes) - len(results))))
    print("\n" + "\n".join(loop_table(through)))
    for refused in refused_at_create(through):
        print(f"refused at create: {refused}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else kept_catalog())
