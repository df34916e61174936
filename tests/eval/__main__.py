"""Evaluate the planner on requests that people and models were asked: ``make eval``.

``python -m tests.eval [CATALOG] [--offline] [--bare] [--each]``: without an n8n, without what the
lexicon has learnt from uses (some of them may be of these very requests), with a line a request.
"""

from __future__ import annotations

import argparse
import copy
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grounded_builder.account import Answer
from grounded_builder.api.app import open_domains_store
from grounded_builder.conversing import Conversations
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.registry.expectation import Expectation
from grounded_builder.registry.registry import Registry
from grounded_builder.settings import Settings, sqlite_url
from tests.alarms.__main__ import running
from tests.eval.asked import SEED, asked
from tests.eval.measure import Create, measured, table
from tests.support.import_desk import Desk
from tests.support.n8n_server import kept_catalog
from tests.support.n8n_workflows import leaving_nothing
from tests.support.registries import registry_from


def main() -> None:
    """Measure and print the figures."""
    options = _options()
    registry = registry_from((options.catalog or kept_catalog()).read_bytes())
    if options.bare:
        registry = without_lexicon(registry)
    with tempfile.TemporaryDirectory(prefix="eval-") as folder, _n8n(options, registry) as desk:
        state = Path(folder)
        store = open_domains_store(Settings(state=state, database_url=sqlite_url(state)))
        talks = Conversations(desk.store if desk else store, N8N, registry, tuple)
        made = measured(asked(seed=options.seed), talks, creating(desk) if desk else None)
        store.close()
    if options.each:
        for one in made:
            tools = ", ".join(sorted(tool.rpartition(".")[2] for tool in one.tools))
            told = " ".join(one.asked.text.split())[:100]
            print(f"{one.outcome:10} {one.f1:.2f} {one.placed}/{one.clauses} {told} | {tools}")
    for one in made:
        if one.refused_by_n8n is not None:
            print(f"refused by n8n: {one.asked.key}: {one.refused_by_n8n}")
    print(f"planner, seed {options.seed}, {'without' if options.bare else 'with'} the lexicon")
    print(table(made))


def creating(desk: Desk) -> Create:
    """Import what was made, each under a key of its own; what n8n says against it, or None."""

    def create(answer: Answer) -> str | None:
        result = desk.artifact(answer["artifact"], answer["receipt"], key=answer["session"])
        if result.outcome == "imported":
            return None
        return "; ".join(one.message for one in result.diagnostics) or result.outcome

    return create


def without_lexicon(registry: Registry) -> Registry:
    """The same catalog, expecting nothing from earlier uses."""
    bare = copy.copy(registry)
    bare.__dict__["expectation"] = Expectation(None, registry.tools.values())
    return bare


@contextmanager
def _n8n(options: argparse.Namespace, registry: Registry) -> Iterator[Desk | None]:
    if options.offline:
        yield None
        return
    with running() as server, leaving_nothing(server), tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder), server, registry)
        yield desk
        desk.store.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval")
    parser.add_argument("catalog", type=Path, nargs="?")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--seed", type=int, default=SEED)
    return parser.parse_args()


if __name__ == "__main__":
    main()
