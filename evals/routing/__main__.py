"""Measures how well tools are selected: ``python -m evals.routing [CATALOG]``.

Measures 200 public tool definitions among 25 connected tools, each requested by its own description
without the words of its name, and 200 requested by the title that their authors wrote next to the
description. ``--each`` prints the cases that selected another tool. ``--drafter local`` lets the
local model choose; its replies are stored in .state/routing, so an interrupted run resumes.
``--first N`` limits the number of cases of each.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from evals.requests.drafting import Who, open_drafter
from evals.routing.cases import (
    CASES,
    make_cases,
    make_titled_cases,
    read_operation_tools,
    read_own_tools,
    read_server_tools,
)
from evals.routing.measure import (
    choose_by_fallback,
    format_table,
    make_model_chooser,
    measure_routes,
)
from runtime import paths
from tests.support.n8n_server import provide_catalog

SEED = 8


def main() -> None:
    """Measures both sets and prints their tables."""
    parser = argparse.ArgumentParser(prog="python -m evals.routing")
    parser.add_argument("catalog", nargs="?", type=Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--drafter", choices=("none", "local"), default="none")
    parser.add_argument("--first", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="routing-") as state:
        pool = {
            "sidecar over HTTP": read_own_tools(),
            "MCP servers": read_server_tools(GROUNDED_STATE=state),
            "n8n operations": read_operation_tools(options.catalog or provide_catalog()),
        }
    titled = make_titled_cases(pool["n8n operations"], CASES, options.seed)
    path = paths.ROOT / ".state" / "routing" / "replies.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    who: Who = "local" if options.drafter == "local" else "planner"
    with open_drafter(who, path) as model:
        choose = choose_by_fallback if model is None else make_model_chooser(model)
        for asked in (make_cases(pool, CASES, options.seed), titled):
            scores = measure_routes(asked[: options.first], choose, absent=model is None)
            if options.each:
                for request, wanted, chosen in scores["all"].wrong:
                    print(f"{wanted} | {chosen} | {request}")
            print(f"{format_table(scores)}\n", flush=True)


if __name__ == "__main__":
    main()
