"""Real models to plans to files: ``python -m tests.unit.simulink.writing.plans FOLDER``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from grounded_builder.bind import bind
from grounded_builder.domains.simulink.document import ends, systems
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.reading.as_plan import as_plan
from grounded_builder.domains.simulink.reading.graph import read
from grounded_builder.domains.simulink.reading.model import open_model
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.domains.simulink.writing.drafted import as_kept
from grounded_builder.domains.simulink.writing.package import package_of
from grounded_builder.pipeline import judge
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting
from tests.support.octave import builtin_registry


def main(folder: Path) -> None:
    """Print how far models come, and what keeps the others from becoming a plan that compiles."""
    registry = builtin_registry()
    count: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for file in sorted(folder.iterdir()):
        if file.suffix in (".slx", ".mdl"):
            count["models"] += 1
            _one(file, registry, count, codes, lost)
    for title, counts in (("came to", count), ("wrong, in models", codes), ("no plan holds", lost)):
        sys.stdout.write(f"{title}\n")
        for what, times in counts.most_common():
            sys.stdout.write(f"  {times:,} {what}\n")


def _one(
    file: Path,
    registry: Registry,
    count: Counter[str],
    codes: Counter[str],
    lost: Counter[str],
) -> None:
    model, _ = open_model(file.read_bytes(), file.stem)
    graph = read(model).graph if model is not None else None
    if graph is None:
        count["unreadable"] += 1
        return
    plan, told = as_plan(bind(graph, SIMULINK, registry)[0])
    for one in told:
        times, _, what = one.partition(" ")
        lost[what] += int(times.replace(",", ""))
    made = judge(plan, SIMULINK, registry, Setting())
    if made.artifact is None:
        count["plan does not compile"] += 1
        codes.update({one.code for one in made.diagnostics if one.rule.kind == "wrong"})
        return
    count["plan compiles"] += 1

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = registry.tools.get(name)
        found = registry.spec(name, tool.default_version) if tool is not None else None
        return found if isinstance(found, BlockSpec) else None

    kept = as_kept(made.artifact, spec)
    again, _ = open_model(package_of(kept).raw, kept["name"])
    count["file with the blocks and lines of the plan"] += _size(again) == _size(
        made.artifact["model"]
    )
    count["file with the blocks and lines of the model"] += _size(again) == _size(model)
    count[f"file is judged {judge(again, SIMULINK, registry, Setting()).verdict}"] += 1


def _size(model: object) -> tuple[int, int]:
    assert isinstance(model, dict)
    inner = [system for _, _, system in systems(model)]
    joined = (end for one in inner for line in one["lines"] for _, end in ends(line, ()))
    return sum(len(one["blocks"]) for one in inner), sum(end is not None for end in joined)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
