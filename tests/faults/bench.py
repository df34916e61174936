"""A catalog with what judges over it, and the seed of all that is injected."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from runtime import paths
from tests.faults.catalog import Catalog
from tests.faults.injection import cases
from tests.faults.judge import Judge, Said
from tests.faults.kinds import KINDS
from tests.faults.outcome import Outcome, outcomes
from tests.faults.scene import Scene

SHARED = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED = 4


@dataclass(frozen=True)
class Bench:
    catalog: Catalog
    judge: Judge

    def judged(self, scenes: list[Scene], most: int) -> list[Outcome]:
        before: dict[int, list[Said]] = {}
        return [
            one
            for kind in KINDS
            for one in islice(outcomes(cases(kind, scenes, SEED), self.judge, before), most)
        ]
