"""Read the plans of recorded runs that were accepted, as examples for similar requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from grounded_builder.settings import PLANNER
from grounded_builder.storage.database import reading
from grounded_builder.storage.json_column import load_json
from grounded_builder.storage.schema import RUN_DRAFTS, RUNS


@dataclass(frozen=True, slots=True)
class Accepted:
    """The resolved plan of an accepted run, with its request."""

    run: str
    request: str
    plan: Mapping[str, Any]


def read_accepted_plans(
    engine: Engine, domain: str, limit: int, ignored_codes: frozenset[str]
) -> list[Accepted]:
    """Returns the newest plans of models that led to an artifact, at most ``limit`` of them.

    A plan is omitted where a finding of the class "incomplete" has a code other than
    ``ignored_codes``.
    """
    statement = (
        select(RUNS.c.id, RUNS.c.request, RUN_DRAFTS.c.resolved, RUN_DRAFTS.c.diagnostics)
        .join(RUNS, RUNS.c.id == RUN_DRAFTS.c.run)
        .where(
            RUNS.c.domain == domain,
            RUNS.c.outcome.in_(("built", "incomplete")),
            RUN_DRAFTS.c.verdict.in_(("ok", "incomplete")),
            RUN_DRAFTS.c.resolved.is_not(None),
            RUN_DRAFTS.c.drafter != PLANNER,
        )
        .order_by(RUN_DRAFTS.c.run.desc(), RUN_DRAFTS.c.number.desc())
        .limit(limit)
    )
    plans: dict[str, Accepted] = {}
    with reading(engine) as connection:
        for row in connection.execute(statement):
            plan, value = load_json(row.resolved), load_json(row.diagnostics) or []
            left = [finding["code"] for finding in value if finding["class"] == "incomplete"]
            if "nodes" in plan and ignored_codes.issuperset(left):
                plans.setdefault(row.id, Accepted(row.id, row.request, plan))
    return list(plans.values())
