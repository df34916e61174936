"""Tests that a workflow with any value at any place gets a verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.bench import SEED, Bench
from evals.faults.fault import Route
from evals.faults.injection import own_workflows

ODD: tuple[Any, ...] = (
    *({}, [], {"a": {}}, {"value": {}}, [[]], [{}], [None]),
    *(None, True, 7, -1.5, 1e308, "x", "={{", "\ud800"),
)
TRIED = 1_500


def test_no_value_anywhere_in_a_workflow_breaks_the_judge(context: Bench) -> None:
    """Any value of an own workflow gives way to any JSON value, up to three at a time."""
    rng = Random(SEED)
    workflows = list(own_workflows())
    for _ in range(TRIED):
        broken = json.loads(json.dumps(rng.choice(workflows)))
        for _ in range(rng.randrange(1, 4)):
            _put(broken, rng.choice(list(_routes(broken))), rng.choice(ODD))
        context.judge(broken)


def _routes(value: Any, at: Route = ()) -> Iterator[Route]:
    if at:
        yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _routes(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _routes(inner, (*at, index))


def _put(document: Any, at: Route, value: Any) -> None:
    for part in at[:-1]:
        document = document[part]
    document[at[-1]] = json.loads(json.dumps(value))
