"""Holds catalog, judge and seed of the injections, and judges every kind of fault on scenes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from evals.faults.catalog import Catalog
from evals.faults.injection import cases
from evals.faults.judge import Judge, Said
from evals.faults.kinds import KINDS
from evals.faults.outcome import Outcome, outcomes
from evals.faults.scene import Scene
from runtime import paths

SHARED = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED = 4


@dataclass(frozen=True)
class Bench:
    catalog: Catalog
    judge: Judge

    def judge_scenes(self, scenes: list[Scene], most: int) -> list[Outcome]:
        before: dict[int, list[Said]] = {}
        return [
            outcome
            for kind in KINDS
            for outcome in islice(outcomes(cases(kind, scenes, SEED), self.judge, before), most)
        ]
