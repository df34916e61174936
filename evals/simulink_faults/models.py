"""Reads and checks every model of a folder: ``python -m evals.simulink_faults.models``."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from evals.simulink_faults.injection import MODELS
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.libraries.extend_registry import make_extender
from grounded_builder.domains.simulink.read.document import systems
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.bundled_libraries import ExtendRegistry
from grounded_builder.ir.options import CompileOptions
from tests.support.collected_libraries import make_finder
from tests.support.simulink import simulink_registry


@dataclass(slots=True)
class Row:
    """Counts over the models of one repository."""

    models: int = 0
    read: int = 0
    agree: int = 0
    blocks: int = 0
    wrong: int = 0
    unverified: int = 0
    with_own: int = 0
    advice: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Prints one row per repository, then the totals."""
    parser = argparse.ArgumentParser(prog="evals.simulink_faults.models", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=MODELS)
    folder = parser.parse_args().folder
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    rows: dict[str, Row] = {}
    for entry in manifest:
        find = make_finder(folder, entry["repo"])
        _add_row(
            rows.setdefault(entry["repo"], Row()),
            folder / entry["file"],
            entry,
            make_extender(find),
        )
    whole = Row()
    print(
        "| repository | models | read | as the manifest counts | blocks | wrong | GB206 | with own "
        "libraries | advice |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for repository, row in sorted(rows.items()):
        print(_format_row(repository, row))
        for name in ("models", "read", "agree", "blocks", "wrong", "unverified", "with_own"):
            setattr(whole, name, getattr(whole, name) + getattr(row, name))
        whole.advice.update(row.advice)
    print(_format_row("all", whole))


def _add_row(row: Row, file: Path, entry: dict[str, object], widen: ExtendRegistry) -> None:
    model, diagnostics = open_model(file.read_bytes(), file.stem)
    row.models += 1
    if model is None:
        return
    row.read += 1
    results = list(systems(model))
    counts = [sum(len(item[2][key]) for item in results) for key in ("blocks", "lines")]
    row.agree += [*counts, len(results)] == [entry["blocks"], entry["lines"], entry["systems"]]
    row.blocks += counts[0]
    compilation = compile_draft(model, SIMULINK, simulink_registry(), CompileOptions())
    for diagnostic in (*diagnostics, *compilation.diagnostics):
        if diagnostic.rule.kind == "wrong":
            row.wrong += 1
        elif diagnostic.code == "GB206":
            row.unverified += 1
        elif diagnostic.rule.severity != "info":
            row.advice[diagnostic.code] += 1
    registry = widen(model, simulink_registry())
    again = (
        compile_draft(model, SIMULINK, registry, CompileOptions())
        if registry is not simulink_registry()
        else compilation
    )
    row.with_own += sum(item.code == "GB206" for item in again.diagnostics)
    row.wrong += sum(
        item.rule.kind == "wrong" for item in again.diagnostics if again is not compilation
    )


def _format_row(name: str, row: Row) -> str:
    advice = ", ".join(f"{count} {code}" for code, count in sorted(row.advice.items()))
    return (
        f"| {name} | {row.models} | {row.read} | {row.agree} | {row.blocks:,} | {row.wrong} "
        f"| {row.unverified} | {row.with_own} | {advice} |"
    )


if __name__ == "__main__":
    main()
