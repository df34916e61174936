"""Injects every kind of fault into workflows and judges the compiler's findings about them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from evals.faults.catalog import Catalog
from evals.faults.injection import find_cases
from evals.faults.judge import Finding, Judge
from evals.faults.kinds import KINDS
from evals.faults.outcome import Outcome, judge_cases
from evals.faults.scene import Scene
from runtime import paths

SHARED = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED = 4


@dataclass(frozen=True)
class Bench:
    """A catalog, and a judge that compiles documents against it."""

    catalog: Catalog
    judge: Judge

    def judge_scenes(self, scenes: list[Scene], most: int) -> list[Outcome]:
        """Returns the outcomes of up to ``most`` cases of each kind."""
        before: dict[int, list[Finding]] = {}
        return [
            outcome
            for kind in KINDS
            for outcome in islice(
                judge_cases(find_cases(kind, scenes, SEED), self.judge, before), most
            )
        ]
