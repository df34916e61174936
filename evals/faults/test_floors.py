"""Tests that every kind of fault is found at its place, in own and in real workflows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest

from evals.faults.bench import SHARED, Bench
from evals.faults.injection import read_own_workflows, read_real_workflows, read_scenes
from evals.faults.outcome import Outcome

STEP = 5  # every fifth real workflow
CASES = 5  # per kind
LEAST = 0.99
NEVER_SILENT = frozenset({"type", "version", "edge", "credential", "expression"})


def test_faults_in_own_workflows_are_found(context: Bench) -> None:
    """Each hard fault is an error at its place, and no kind that must be reported is silent."""
    judged = context.judge_scenes(read_scenes(read_own_workflows(), context.catalog), CASES)
    assert not _count_misses(judged)
    assert not _count_silent(judged)


def test_faults_in_real_workflows_are_found(context: Bench) -> None:
    """99 % of the hard faults are errors at their place, and no kind that must be reported is
    silent.
    """
    if not SHARED.exists():
        pytest.skip(f"no real workflows: {SHARED} is absent; own workflows hold the law")
    scenes = read_scenes(islice(read_real_workflows(SHARED), 0, None, STEP), context.catalog)
    judged = context.judge_scenes(scenes, CASES)
    hard = [outcome for outcome in judged if outcome.case.kind.hard]
    missed = _count_misses(judged)
    print(f"{len(judged):,} cases, {len(hard):,} hard, missed {missed}")
    assert missed.total() <= (1 - LEAST) * len(hard), missed
    assert not _count_silent(judged)


def _count_misses(judged: Iterable[Outcome]) -> Counter[str]:
    hard = (outcome for outcome in judged if outcome.case.kind.hard)
    return Counter(
        outcome.case.kind.name for outcome in hard if outcome.verdict != "error at place"
    )


def _count_silent(judged: Iterable[Outcome]) -> Counter[str]:
    speaking = (outcome for outcome in judged if outcome.case.kind.group in NEVER_SILENT)
    return Counter(outcome.case.kind.name for outcome in speaking if outcome.verdict == "silent")
