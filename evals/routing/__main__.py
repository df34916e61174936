"""Measures how well tools are selected: ``python -m evals.routing [CATALOG]``.

200 cases of public tool definitions, each asked for by its own description without the words of
its name, among 25 connected tools; and 200 asked for by the title that their authors wrote beside
the description. ``--each`` prints the cases that went to another tool. ``--drafter local`` lets the
model on this machine choose; what it said is kept in .state/routing, so that a run that was cut off
goes on. ``--first N`` takes only so many of each.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from evals.requests.drafting import Who, drafter
from evals.routing.cases import CASES, cases, operation_tools, own_tools, server_tools, titled_cases
from evals.routing.measure import by_fallback, by_model, measure_routes, table
from runtime import paths
from tests.support.n8n_server import kept_catalog

SEED = 8


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m evals.routing")
    parser.add_argument("catalog", nargs="?", type=Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--drafter", choices=("none", "local"), default="none")
    parser.add_argument("--first", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="routing-") as state:
        pool = {
            "sidecar over HTTP": own_tools(),
            "MCP servers": server_tools(GROUNDED_STATE=state),
            "n8n operations": operation_tools(options.catalog or kept_catalog()),
        }
    titled = titled_cases(pool["n8n operations"], CASES, options.seed)
    path = paths.ROOT / ".state" / "routing" / "said.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    who: Who = "local" if options.drafter == "local" else "planner"
    with drafter(who, path) as model:
        choose = by_fallback if model is None else by_model(model)
        for asked in (cases(pool, CASES, options.seed), titled):
            scores = measure_routes(asked[: options.first], choose, absent=model is None)
            if options.each:
                for request, wanted, chosen in scores["all"].wrong:
                    print(f"{wanted} | {chosen} | {request}")
            print(f"{table(scores)}\n", flush=True)


if __name__ == "__main__":
    main()
