"""Evaluates a drafter on requests of people and models: ``make eval``.

``python -m evals.requests [CATALOG] [--drafter WHO] [--seed N] [--offline] [--bare] [--each]``:
``--offline`` runs without an n8n, ``--bare`` without the learned lexicon (which may have learned
from these requests), ``--each`` prints a line per request. Results and replies are stored in
.state/eval: an interrupted run resumes, and starts over if the code has changed. ``--keep`` writes
the figures with which later runs and the tests are compared.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from evals.alarms.__main__ import run_n8n
from evals.requests.drafting import WHO, open_drafter
from evals.requests.measure import Create, Made, Table, measure_requests
from evals.requests.request_set import SEED, pick_requests
from evals.requests.table import find_regressions, format_table, summarize_figures
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.usage_prior import UsagePrior
from grounded_builder.services.conversation_record import Answer
from grounded_builder.settings import Settings, sqlite_url
from runtime import paths
from tests.support.import_desk import Desk
from tests.support.n8n_server import provide_catalog
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import registry_from

FIGURES = Path(__file__).with_name("figures.json")
ROUNDS, TALK_S = 3, 7_200.0
# A small model reads this many tokens in some seconds; a large one gets more by default.
LOCAL_PROMPT = 1_500


def main() -> int:
    """Prints the figures; returns 1 if they have fallen."""
    options = _parse_options()
    registry = registry_from((options.catalog or provide_catalog()).read_bytes())
    if options.bare:
        registry = without_lexicon(registry)
    made = _measure_seeded_requests(options, registry)
    name = f"{options.drafter}, seed {options.seed}{', bare' if options.bare else ''}"
    for item in made:
        if options.each:
            tools = ", ".join(tool.rpartition(".")[2] for tool in item.tools)
            placed = f"{item.placed}/{item.clauses}"
            print(
                f"{item.outcome:10} {item.by[:8]} {item.f1:.2f} {placed} {item.key[:60]} | {tools}"
            )
        if item.refused_by_n8n is not None:
            print(f"refused by n8n: {item.key}: {item.refused_by_n8n}")
    print(f"{name}\n{format_table(made)}")
    entries: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if options.keep:
        entries[name] = summarize_figures(made)
        FIGURES.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")
    results = find_regressions(made, entries.get(name, {}))
    for regression in results:
        print(f"regression: {regression}", file=sys.stderr)
    return 1 if results else 0


def _measure_seeded_requests(options: argparse.Namespace, registry: Registry) -> list[Made]:
    """Returns the results of the seeded requests with the selected drafter."""
    folder = paths.ROOT / ".state" / "eval"
    folder.mkdir(parents=True, exist_ok=True)
    facts = (options.drafter, options.seed, options.offline, options.bare, registry.fingerprint)
    key = hashlib.sha256(repr((*facts, _hash_source())).encode()).hexdigest()[:16]
    with (
        tempfile.TemporaryDirectory(prefix="eval-") as state,
        _run_n8n(options, registry) as desk,
        open_drafter(options.drafter, folder / "replies.jsonl", options.script) as remembering,
    ):
        here = Table(registry, make_settings(Path(state), options.drafter))
        create = make_creator(desk) if desk is not None else None
        path = folder / f"{options.drafter}-{key}.jsonl"
        requests = pick_requests(seed=options.seed)
        return list(measure_requests(requests, here, options.drafter, remembering, create, path))


def make_settings(state: Path, who: str, rounds: int = ROUNDS) -> Settings:
    """Returns the settings of an evaluation: few rounds and generous time limits."""
    settings = Settings(state=state, database_url=sqlite_url(state))
    bounds = replace(settings.conversation_limits, rounds=rounds, seconds=TALK_S)
    if who.startswith("local"):
        bounds = replace(bounds, prompt_tokens=LOCAL_PROMPT)
    return replace(settings, conversation_limits=bounds, model_seconds=3_600)


def make_creator(desk: Desk) -> Create:
    """Returns a function that imports an artifact; it returns n8n's error message or None."""

    def create(answer: Answer) -> str | None:
        signed = desk.receipt(answer["artifact"])
        result = desk.artifact(answer["artifact"], signed, key=answer["session"])
        if result.outcome == "imported":
            return None
        return "; ".join(diagnostic.message for diagnostic in result.diagnostics) or result.outcome

    return create


def without_lexicon(registry: Registry) -> Registry:
    """Returns the same catalog without the learned lexicon."""
    bare = copy.copy(registry)
    bare.__dict__["expectation"] = UsagePrior(None, registry.tools.values())
    return bare


def _hash_source() -> str:
    """Returns a digest of the code under evaluation."""
    files = sorted((paths.ROOT / "sidecar" / "grounded_builder").rglob("*"))
    whole = hashlib.sha256()
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            whole.update(file.read_bytes())
    return whole.hexdigest()


@contextmanager
def _run_n8n(options: argparse.Namespace, registry: Registry) -> Iterator[Desk | None]:
    if options.offline:
        yield None
        return
    with run_n8n() as server, clean_up_after(server), tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder), server, registry)
        yield desk
        desk.store.close()


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.requests")
    parser.add_argument("catalog", type=Path, nargs="?")
    parser.add_argument("--drafter", choices=WHO, default="planner")
    parser.add_argument("--script", type=Path, help="lines with request and replies, for scripted")
    parser.add_argument("--seed", type=int, default=SEED)
    for flag in ("--offline", "--bare", "--each", "--keep"):
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
