"""Measures the share of real models that the Simulink catalog knows, by held-out repository.

Run ``python -m evals.bench.simulink`` in a checkout with the collected models next to it. For each
repository, a catalog is compiled without the facts that only this repository contributed, and its
models are compared with it: which blocks are known, which ports are derived as the file states
them, which parameters are known. The last table adds the library files that the repository has next
to its models, as the linter finds them in a folder.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grounded_builder.domains.simulink.catalog.common_properties import INTERNAL, PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, compile_tool
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of, usual_ports_of
from grounded_builder.domains.simulink.libraries.catalog_line import line_of
from grounded_builder.domains.simulink.libraries.link_cycles import Find
from grounded_builder.domains.simulink.read.document import systems, tool_of
from grounded_builder.domains.simulink.read.model import open_model
from scripts.simulink.sources import SHARED, Sources, one_line, read_sources
from scripts.simulink.tools import Libraries
from tests.support.collected_libraries import make_finder

MODELS = SHARED / "models_dev"
# The content of these blocks determines their ports, which no catalog can know.
_OPEN = frozenset({"SubSystem", "ModelReference", "S-Function", "M-S-Function", "Reference"})


@dataclass(frozen=True, slots=True)
class Instance:
    """One block of a model: tool, type, parameters with the file's defaults, and stated ports."""

    tool: str
    type: str
    source: str | None
    parameters: Mapping[str, str]
    given: tuple[str, ...]
    ports: Mapping[str, int] | None


@dataclass(slots=True)
class Tally:
    """The numbers of blocks, stated ports and parameters, and how many of each are known."""

    blocks: int = 0
    known: int = 0
    stated: int = 0
    derived: int = 0
    differing: int = 0
    parameters: int = 0
    named: int = 0

    def add(self, other: Tally) -> None:
        """Adds another tally to this one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def shares(self) -> tuple[float, float, float]:
        """Returns the known shares of blocks, ports and parameters, in percent."""
        pairs = (
            (self.known, self.blocks),
            (self.derived, self.stated),
            (self.named, self.parameters),
        )
        path, ports, parameters = (100 * a / b if b else 100.0 for a, b in pairs)
        return path, ports, parameters


def read_instances(model: Mapping[str, Any]) -> Iterator[Instance]:
    """Yields every block of a model."""
    defaults = model.get("defaults", {})
    for _, _, system in systems(model):
        for block in system["blocks"]:
            given = block.get("parameters", {})
            stated = block.get("ports")
            yield Instance(
                tool=tool_of(block) or "",
                type=block["type"],
                source=block.get("source"),
                parameters={**defaults.get(block["type"], {}), **given},
                given=tuple(given),
                ports=None if stated is None else {k: n for k, n in stated.items() if n},
            )


def remove_own_facts(
    sources: Sources, matches: list[Instance], models: list[Mapping[str, Any]]
) -> Sources:
    """Returns the facts without those that only these models support."""
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for instance in matches:
        key = f"ref:{instance.tool}" if instance.source else f"type:{instance.type}"
        uses[key]["\0"] += 1
        uses[key].update(instance.given)
    entries: dict[str, Any] = {}
    lost: set[str] = set()
    for key, entry in sources.entries.items():
        used = uses.get(key) or uses.get(f"ref:{one_line(key[4:])}")
        if not used:
            entries[key] = entry
        elif entry["repos"] > 1:
            left = {n: p for n, p in entry["params"].items() if p["n"] > used[n]}
            entries[key] = {**entry, "params": left}
        else:
            lost.add(one_line(key[4:]))
    stated: Counter[tuple[str, str]] = Counter()
    for model in models:
        for kind, values in model.get("defaults", {}).items():
            stated.update((kind, name) for name in values)
    file_defaults = {
        kind: {
            name: counts
            for name, counts in names.items()
            if sum(count for _, count in counts) > stated[kind, name]
        }
        for kind, names in sources.file_defaults.items()
    }
    paths = {
        path: kind
        for path, kind in sources.paths.items()
        if path not in lost or path in sources.listed
    }
    physical = {path: item for path, item in sources.physical.items() if one_line(path) not in lost}
    return replace(
        sources, entries=entries, file_defaults=file_defaults, paths=paths, physical=physical
    )


def compile_lines(sources: Sources) -> dict[str, Mapping[str, Any]]:
    """Returns the blocks of a catalog compiled from these facts, by id."""
    return {line["id"]: line for line in Libraries(sources).entries()}


def read_own_blocks(
    lines: Mapping[str, Mapping[str, Any]], matches: list[Instance], find: Find
) -> dict[str, BlockSpec]:
    """Returns the blocks that the catalog lacks and library files define, in compact form."""

    def follow(path: str, left: int = 8) -> Mapping[str, Any] | None:
        if path in lines or not left:
            return lines.get(path)
        library = find(path.partition("/")[0])
        block = library.blocks.get(path) if library is not None else None
        if library is None or block is None:
            return None
        return line_of(path, block, library.defaults, lambda link: follow(link, left - 1))

    wanted = {instance.tool for instance in matches} - lines.keys()
    return {path: compile_tool(line, 1) for path in wanted if (line := follow(path)) is not None}


def count_known(matches: list[Instance], known: Mapping[str, BlockSpec]) -> Tally:
    """Counts how many of the blocks, ports and parameters a catalog knows."""
    result = Tally()
    for instance in matches:
        spec = known.get(instance.tool)
        result.blocks += 1
        result.known += spec is not None
        if instance.ports is not None and instance.type not in _OPEN - {"Reference"}:
            derived = (
                ports_of(instance.type, instance.source, instance.parameters, spec)
                if spec
                else None
            )
            usual = (
                usual_ports_of(instance.type, instance.source, instance.parameters, spec)
                if spec
                else None
            )
            result.stated += 1
            result.derived += usual == instance.ports
            result.differing += derived is not None and derived != instance.ports
        for name in instance.given:
            if name in PROPERTIES or name in INTERNAL:
                continue
            result.parameters += 1
            result.named += spec is not None and spec.has(name)
    return result


def main() -> None:
    """Prints a table with one row per repository, then all blocks, then the mean of the rows."""
    sources = read_sources()
    own = Libraries(sources)
    by_repository: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in json.loads((MODELS / "manifest.json").read_text("utf-8")):
        model, _ = open_model((Path(MODELS) / entry["file"]).read_bytes(), entry["file"])
        if model is not None:
            by_repository[entry["repo"]].append(model)
    rows: dict[str, tuple[Tally, Tally, Tally]] = {}
    missing: Counter[str] = Counter()
    for repository, models in sorted(by_repository.items()):
        results = [instance for model in models for instance in read_instances(model)]
        lines = compile_lines(remove_own_facts(sources, results, models))
        known = {path: compile_tool(line, 1) for path, line in lines.items()}
        with_own = {**known, **read_own_blocks(lines, results, make_finder(MODELS, repository))}
        public = [
            instance
            for instance in results
            if instance.source is None or own.product(instance.tool)
        ]
        rows[repository] = (
            count_known(results, known),
            count_known(public, known),
            count_known(results, with_own),
        )
        missing.update(instance.tool for instance in public if instance.tool not in known)
    _print("all blocks", [(name, row[0]) for name, row in rows.items()])
    _print("blocks of MathWorks' libraries", [(name, row[1]) for name, row in rows.items()])
    _print("all blocks, with own library files", [(name, row[2]) for name, row in rows.items()])
    print("most often missing:", ", ".join(f"{t} {n}" for t, n in missing.most_common(15)))


def _print(title: str, rows: list[tuple[str, Tally]]) -> None:
    total = Tally()
    print(f"\n{title}\n| repository | blocks | path | ports | parameters | ports that differ |")
    print("|---|---|---|---|---|---|")
    for name, row in rows:
        total.add(row)
        cells = " | ".join(f"{share:.1f}" for share in row.shares())
        print(f"| {name} | {row.blocks:,} | {cells} | {row.differing} |")
    cells = " | ".join(f"{share:.1f}" for share in total.shares())
    print(f"| by instance | {total.blocks:,} | {cells} | {total.differing} |")
    shares = [row.shares() for _, row in rows]
    macro = " | ".join(f"{sum(column) / len(rows):.1f}" for column in zip(*shares, strict=True))
    print(f"| mean of repositories | | {macro} | |")


if __name__ == "__main__":
    main()
