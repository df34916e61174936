"""Tests the share of mechanical faults that repair restores, and that it distorts none."""

from __future__ import annotations

from itertools import islice

from evals.faults.scene import Scene
from evals.repairs.kinds import MECHANICAL
from evals.repairs.outcome import Tally, Workshop, tally_cases

SEED = 5
CASES = 6  # per kind
LEAST_KINDS = 55
LEAST_SHARE = 0.9


def _tally_kinds(workshop: Workshop, scenes: list[Scene]) -> list[Tally]:
    return [
        tally_cases(kind, list(islice(workshop.cases(kind, scenes, SEED), CASES)))
        for kind in MECHANICAL
    ]


def test_no_fault_in_own_workflows_becomes_another_thing(
    workshop: Workshop, own_scenes: list[Scene]
) -> None:
    """Repair either restores a fault or leaves and reports it."""
    tallies = _tally_kinds(workshop, own_scenes)
    assert sum(tally.n > 0 for tally in tallies) >= 40
    assert not _count_changed(tallies)
    assert sum(tally.repaired_count for tally in tallies) >= LEAST_SHARE * sum(
        tally.n for tally in tallies
    )


def test_mechanical_faults_in_real_workflows_are_mended(
    workshop: Workshop, real_scenes: list[Scene]
) -> None:
    """Repair restores 90 % of the faults, in nearly all kinds, and distorts none."""
    tallies = _tally_kinds(workshop, real_scenes)
    n, repaired = sum(tally.n for tally in tallies), sum(tally.repaired_count for tally in tallies)
    whole = [tally.kind.name for tally in tallies if tally.n and tally.share >= LEAST_SHARE]
    print(f"{n:,} cases, {repaired / n:.1%} repaired, {len(whole)} kinds of {len(tallies)}")
    assert not _count_changed(tallies)
    assert repaired >= LEAST_SHARE * n
    assert len(whole) >= LEAST_KINDS


def _count_changed(tallies: list[Tally]) -> dict[str, int]:
    counts = {tally.kind.name: tally.counts["something else"] for tally in tallies}
    return {name: count for name, count in counts.items() if count}
