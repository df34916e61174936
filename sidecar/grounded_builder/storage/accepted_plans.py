"""Reads the plans whose artifacts a person published, as examples for similar requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from grounded_builder.settings import PLANNER
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.schema import IMPORTS, RUN_DRAFTS, RUNS
from grounded_builder.storage.stored_text import load_json

_ROWS = 100


@dataclass(frozen=True, slots=True)
class Accepted:
    """The resolved plan of an accepted run, with its request."""

    run: str
    request: str
    plan: Mapping[str, Any]


def read_accepted_plans(
    engine: Engine, domain: str, limit: int, ignored_codes: frozenset[str]
) -> list[Accepted]:
    """Returns the newest plans of models whose artifacts were published, at most ``limit``.

    A plan is omitted where a finding of the class "incomplete" has a code other than
    ``ignored_codes``.
    """
    planned = select(RUN_DRAFTS.c.run).where(RUN_DRAFTS.c.drafter == PLANNER)
    statement = (
        select(RUNS.c.id, RUNS.c.request, RUNS.c.result)
        .where(
            RUNS.c.domain == domain,
            RUNS.c.outcome.in_(("built", "incomplete")),
            RUNS.c.id.not_in(planned),
        )
        .order_by(RUNS.c.id.desc())
    )
    plans: list[Accepted] = []
    with begin_read(engine) as connection:
        published = frozenset(
            connection.execute(select(IMPORTS.c.artifact).where(IMPORTS.c.state == "published"))
            .scalars()
            .all()
        )
        rows = connection.execution_options(yield_per=_ROWS).execute(statement) if published else ()
        for row in rows:
            result = load_json(row.result) or {}
            if (result.get("receipt") or {}).get("artifact") not in published:
                continue
            plan = result.get("resolved_plan") or {}
            left = [d["code"] for d in result["diagnostics"] if d["class"] == "incomplete"]
            if "nodes" in plan and ignored_codes.issuperset(left):
                plans.append(Accepted(row.id, row.request, plan))
            if len(plans) == limit:
                break
    return plans
