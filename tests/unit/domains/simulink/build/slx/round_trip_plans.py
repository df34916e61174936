"""Real models to plans to files:
``python -m tests.unit.domains.simulink.build.slx.round_trip_plans FOLDER [OUT]``.

With ``OUT`` the files of the plans are kept there, for other readers.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.simulink.analysis.to_plan import as_plan
from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.lower.exact_plan import model_of
from grounded_builder.domains.simulink.read.document import ends, systems
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.domain import OpenedFile
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.unit.domains.simulink.build.slx.compare_plan import unlike


@dataclass(frozen=True, slots=True)
class _Counts:
    """What came of the plans taken to the letter, of the same as drafts, and what they lose."""

    letter: Counter[str] = field(default_factory=Counter)
    draft: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)


def main(folder: Path, target: Path | None) -> None:
    """Print how far models come, and what keeps the others from becoming a draft that compiles."""
    registry, counts = simulink_registry(), _Counts()
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".slx", ".mdl"):
            continue
        counts.letter["models"] += 1
        model, _ = open_model(file.read_bytes(), file.stem)
        graph = read(model).graph if model is not None else None
        if model is None or graph is None:
            counts.letter["unreadable"] += 1
            continue
        plan, results = as_plan(resolve_graph(graph, SIMULINK, registry)[0])
        for name in results:
            number, _, what = name.partition(" ")
            counts.lost[what] += int(number.replace(",", ""))
        plan = json.loads(json.dumps(plan))
        raw = _to_the_letter(file.name, model, plan, registry, counts.letter)
        if target is not None and raw is not None:
            target.mkdir(parents=True, exist_ok=True)
            (target / f"{file.stem}.slx").write_bytes(raw)
        _as_draft(model, plan, registry, counts)
    for title, item in (
        ("to the letter", counts.letter),
        ("as drafts", counts.draft),
        ("wrong as drafts, in models", counts.codes),
        ("no plan holds", counts.lost),
    ):
        sys.stdout.write(f"{title}\n")
        for what, times in item.most_common():
            sys.stdout.write(f"  {times:,} {what}\n")


def _to_the_letter(
    name: str, model: Any, plan: Any, registry: Registry, count: Counter[str]
) -> bytes | None:
    """The file of a plan taken to the letter, compared with the model that was planned."""
    made, diagnostics = model_of(plan)
    if made is None:
        count["no model again"] += 1
        sys.stdout.writelines(
            f"{name} {diagnostic.code}: {diagnostic.message}\n" for diagnostic in diagnostics[:3]
        )
        return None
    raw = package_of(made).raw
    again, _ = open_model(raw, model["name"])
    differing = unlike(model, again) if again is not None else ["not read again"]
    sys.stdout.writelines(f"{name}{text}\n" for text in differing[:3])
    count["the same after plan and file"] += not differing
    verdicts = [
        compile_draft(OpenedFile(item, ()), SIMULINK, registry, CompileOptions())
        for item in (model, made)
    ]
    results = [
        sorted((d.code, d.message) for d in compilation.diagnostics) for compilation in verdicts
    ]
    count["judged the same"] += results[0] == results[1]
    verdict = compile_draft(OpenedFile(again, ()), SIMULINK, registry, CompileOptions()).verdict
    count[f"file is judged {verdict}"] += 1
    return raw


def _as_draft(model: Any, plan: Any, registry: Registry, counts: _Counts) -> None:
    made = compile_draft(plan, SIMULINK, registry, CompileOptions())
    if made.artifact is None:
        counts.draft["does not compile"] += 1
        counts.codes.update(
            {diagnostic.code for diagnostic in made.diagnostics if diagnostic.rule.kind == "wrong"}
        )
        return
    counts.draft["compiles"] += 1
    try:
        raw = write_checked_package(
            made.artifact, "draft.slx", SIMULINK, registry, CompileOptions()
        ).raw
    except UnwritableError as error:
        counts.draft[f"is not written: {error}"] += 1
        return
    again, _ = open_model(raw, made.artifact["model"]["name"])
    counts.draft["file with the blocks and lines of the draft"] += _size(again) == _size(
        made.artifact["model"]
    )
    counts.draft["file with the blocks and lines of the model"] += _size(again) == _size(model)


def _size(model: object) -> tuple[int, int]:
    assert isinstance(model, dict)
    inner = [system for _, _, system in systems(model)]
    lines = [line for item in inner for line in item["lines"]]
    arrived = sum(end is not None for line in lines for _, end in ends(line, ()))
    begun = sum(line.get("from") is not None for line in lines)
    return sum(len(item["blocks"]) for item in inner), arrived + begun


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
