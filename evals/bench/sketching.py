"""How well requests are sketched without a model.

``python -m evals.bench.sketching [FILE]``: each line of ``sketches.jsonl`` is a request with the
blocks that an engineer expects, several names of one block parted by a bar, and parameters. Even
lines were looked at while the sketch was written, odd lines were only counted.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

REQUESTS = Path(__file__).parent / "sketches.jsonl"


@dataclass(slots=True)
class Score:
    """Requests counted by what came of them; blocks and parameters as right, missed, beyond."""

    requests: int = 0
    compiled: int = 0
    right: int = 0
    missed: int = 0
    beyond: int = 0
    asked: int = 0
    set: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def f1(self) -> float:
        """The harmonic mean of how many blocks are there and how many are meant."""
        return 2 * self.right / max(1, 2 * self.right + self.missed + self.beyond)

    def __str__(self) -> str:
        blocks = f"{self.right} of {self.right + self.missed} blocks, {self.beyond} beyond"
        return (
            f"{self.compiled} of {self.requests} compile; {blocks}, F1 {self.f1:.3f}; "
            f"{self.set} of {self.asked} parameters"
        )


def measure(requests: Iterable[Mapping[str, Any]], registry: Registry) -> Score:
    """Sketch and compile requests, and hold them against what is expected."""
    score = Score()
    for request in requests:
        proposal = propose(request["request"], SIMULINK, registry)
        made = compile_with_fixes(dict(proposal.plan), SIMULINK, registry, CompileOptions())
        score.requests += 1
        built = made.artifact is not None and proposal.refusal is None
        score.compiled += built
        steps = proposal.plan["steps"]
        left = Counter(step["tool"].rsplit("/", 1)[1] for step in steps)
        missed = []
        for wanted in request["blocks"]:
            name = next((n for n in wanted.split("|") if left[n] > 0), None)
            if name is None:
                missed.append(wanted)
            else:
                left[name] -= 1
        beyond = list(left.elements())
        score.right += len(request["blocks"]) - len(missed)
        score.missed += len(missed)
        score.beyond += len(beyond)
        unset = [
            key for key, value in request.get("params", {}).items() if not _has(steps, key, value)
        ]
        score.asked += len(request.get("params", {}))
        score.set += len(request.get("params", {})) - len(unset)
        if missed or beyond or unset or not built:
            score.faults.append(
                f"{request['request']}\n   missed {missed}, beyond {beyond}, unset {unset}, "
                f"unplaced {list(proposal.unplaced)}" + ("" if built else ", not built")
            )
    return score


def _has(steps: Iterable[Mapping[str, Any]], key: str, value: str) -> bool:
    block, _, parameter = key.partition(".")
    same = (step for step in steps if step["tool"].rsplit("/", 1)[1] == block)
    return any(step["params"].get(parameter) == value for step in same)


def main() -> None:
    """Print the figures of both halves, and what is amiss in the one that was looked at."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS
    requests = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    registry = simulink_registry()
    seen = measure(requests[::2], registry)
    print(f"looked at: {seen}")
    for fault in seen.faults:
        print(f"  {fault}")
    print(f"only counted: {measure(requests[1::2], registry)}")


if __name__ == "__main__":
    main()
