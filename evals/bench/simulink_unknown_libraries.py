"""Counts the findings about libraries that the catalog does not contain.

``python -m evals.bench.simulink_unknown_libraries`` checks the models of each repository with a
catalog without the facts that only this repository contributed. Then it removes a twentieth of the
paths of the shipped catalog at a time, and counts the removed names that are reported as
misspellings.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from evals.bench.simulink import MODELS, read_instances, remove_own_facts
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.misspelled_id import misspelled_id
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.catalog.compile_tool import compile_tool
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from scripts.simulink.catalog import compile_catalog
from scripts.simulink.sources import read_sources

_PARTS = 20


def registry_over(content: bytes) -> Registry:
    """Returns a registry over the bytes of a catalog file."""
    prepared = prepare_catalog(read_catalog(content))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    return open_registry(index, prepared.fingerprint, bodies.__getitem__, compile_tool)


def count_codes() -> tuple[Counter[str], list[str]]:
    """Counts the codes reported for models of repositories missing from the catalog; lists the
    errors.
    """
    sources = read_sources()
    models: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in json.loads((MODELS / "manifest.json").read_text("utf-8")):
        model, _ = open_model((MODELS / entry["file"]).read_bytes(), entry["file"])
        if model is not None:
            models[entry["repo"]].append(model)
    codes: Counter[str] = Counter()
    errors: list[str] = []
    for repository, own in sorted(models.items()):
        results = [instance for model in own for instance in read_instances(model)]
        known = registry_over(compile_catalog(remove_own_facts(sources, results, own)))
        for document in own:
            for diagnostic in compile_draft(
                document, SIMULINK, known, CompileOptions()
            ).diagnostics:
                codes[diagnostic.code] += 1
                if diagnostic.rule.kind == "wrong":
                    errors.append(f"{repository}: {diagnostic.code} {diagnostic.message}")
    return codes, errors


def count_removed_paths() -> tuple[int, list[str]]:
    """Returns the number of removed paths, and those taken for misspellings of others."""
    lines = builtin().splitlines(keepends=True)
    tools = [line for line in lines if b'"kind":"tool"' in line[:40]]
    slips: list[str] = []
    for part in range(_PARTS):
        out = set(tools[part::_PARTS])
        left = [line for line in lines[:-1] if line not in out]
        end = json.dumps({"kind": "end", "tools": len(tools) - len(out), "credentials": 0})
        known = registry_over(b"".join(left) + end.encode() + b"\n")
        for line in sorted(out):
            path = json.loads(line)["id"]
            value = misspelled_id(path, known)
            if value is not None:
                slips.append(f"{path} -> {value}")
    return len(tools), slips


def main() -> None:
    """Prints the counts and the errors."""
    codes, errors = count_codes()
    print(", ".join(f"{count} {code}" for code, count in codes.most_common()))
    print(f"{len(errors)} wrong", *errors, sep="\n")
    count, slips = count_removed_paths()
    print(f"{len(slips)} of {count:,} paths taken for misspellings", *slips, sep="\n")


if __name__ == "__main__":
    main()
