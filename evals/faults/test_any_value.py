"""Tests that a workflow with any value at any place gets a verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.bench import SEED, Bench
from evals.faults.fault import Route
from evals.faults.injection import read_own_workflows

ODD: tuple[Any, ...] = (
    *({}, [], {"a": {}}, {"value": {}}, [[]], [{}], [None]),
    *(None, True, 7, -1.5, 1e308, "x", "={{", "\ud800"),
)
TRIED = 1_500


def test_no_value_anywhere_in_a_workflow_breaks_the_judge(context: Bench) -> None:
    """Replacing up to three values of a workflow with any JSON value never raises."""
    rng = Random(SEED)
    workflows = list(read_own_workflows())
    for _ in range(TRIED):
        broken = json.loads(json.dumps(rng.choice(workflows)))
        for _ in range(rng.randrange(1, 4)):
            _put_value(broken, rng.choice(list(_list_routes(broken))), rng.choice(ODD))
        context.judge(broken)


def _list_routes(value: Any, at: Route = ()) -> Iterator[Route]:
    if at:
        yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _list_routes(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _list_routes(inner, (*at, index))


def _put_value(document: Any, at: Route, value: Any) -> None:
    for part in at[:-1]:
        document = document[part]
    document[at[-1]] = json.loads(json.dumps(value))
