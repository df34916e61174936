"""Measure the resolver on real wrong names and labels: accuracy, silent errors, time.

``python -m tests.bench.resolver [CATALOG] [--shared FOLDER] [--part dev|test]``; the catalog is
a file that node-catalog-sync wrote, else the active one. Every row falls in one of two parts by
a hash of its repository (titles), workflow (labels) or text (mistakes): ``dev`` may be looked at,
``test`` is only counted.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

from grounded_builder.cli.environment import workbench
from grounded_builder.registry.model import ToolRow
from grounded_builder.registry.registry import Registry
from grounded_builder.resolve import NameContext, Resolution, resolve_name, resolve_operation
from tests.support.registries import registry_from

Row = dict[str, Any]
_SHARED = Path(__file__).resolve().parents[3] / "shared"
_PARTS = ("dev", "test")
_GROWN = 100_000
_LABELS = 4_000
# Nodes that titles never speak of: what they do is said by the whole.
_SILENT = re.compile(
    r"\.(set|if|code|merge|noOp|function|functionItem|switch|filter|splitInBatches|splitOut|wait"
    r"|aggregate|stickyNote|manualTrigger|itemLists|executeWorkflow|executeWorkflowTrigger|limit)$"
)


@dataclass(slots=True)
class Score:
    """Counts over one set of names."""

    rows: int = 0
    first: int = 0
    in_five: int = 0
    accepted: int = 0
    silent_wrong: int = 0

    def add(self, expected: str | None, resolution: Resolution) -> None:
        """Count one answer; ``expected`` of None means that no tool is right."""
        offered = [candidate.tool for candidate in resolution.candidates]
        if resolution.tool is not None:
            offered = list(dict.fromkeys([resolution.tool, *offered]))
        self.rows += 1
        accepted = resolution.status == "resolved"
        self.accepted += accepted
        self.silent_wrong += accepted and resolution.tool != expected
        if expected is None:
            self.first += not accepted
            self.in_five += not accepted
        else:
            self.first += offered[:1] == [expected]
            self.in_five += expected in offered[:5]

    def line(self, title: str) -> str:
        """The counts as shares of all rows."""
        n = self.rows or 1
        return (
            f"{title:<28} n={self.rows:<6} rank1={self.first / n:.3f} in5={self.in_five / n:.3f} "
            f"accepted={self.accepted / n:.3f} accepted-and-wrong={self.silent_wrong / n:.4f} "
            f"({self.silent_wrong})"
        )


def main() -> None:
    """Print every figure of both parts."""
    options = _options()
    registry = _registry(options.catalog)
    started = perf_counter()
    registry.search.find("warm")
    resolve_name("wram up", registry, NameContext())
    print(f"tools {len(registry.tools)}, indexes built in {perf_counter() - started:.2f} s")
    folder = options.shared / "data" / "n8n"
    for part in options.part:
        _mistakes(folder, registry, part, options.show and part == "dev")
        _labels(folder, registry, part, options.show and part == "dev")
        _titles(folder, registry, part)
    _speed(folder, registry)
    if not options.no_growth:
        _grown(registry)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: the active catalog")
    parser.add_argument("--shared", type=Path, default=_SHARED)
    parser.add_argument("--part", choices=_PARTS, nargs="*", default=list(_PARTS))
    parser.add_argument("--show", action="store_true", help="print the misses of dev")
    parser.add_argument("--no-growth", action="store_true", help="leave out 100,000 tools")
    return parser.parse_args()


def _registry(catalog: Path | None) -> Registry:
    return registry_from(catalog.read_bytes()) if catalog else workbench("n8n", "").registry


def _mistakes(folder: Path, registry: Registry, part: str, show: bool) -> None:
    kinds = {kind: Score() for kind in ("type", "type distinct", "label", "nothing")}
    operations: Counter[str] = Counter()
    seen: set[str] = set()
    for row in _lines(folder / "naming_mistakes.jsonl"):
        if _part("mistake:" + row["text"]) != part:
            continue
        text, kind, expected = row["text"], row["kind"], row["expected"]
        if kind == "operation":
            said, _, tool = text.partition(" on ")
            answer = resolve_operation(said.partition("=")[2], tool, registry)
            operations[answer.status] += 1
            if show:
                offered = [dict(one.params) for one in answer.candidates[:3]]
                print("   operation", text, answer.status, offered)
        if kind not in ("type", "label") or (expected and expected not in registry.tools):
            continue
        answer = resolve_name(text, registry, None if kind == "type" else NameContext())
        key = kind if expected else "nothing"
        kinds[key].add(expected, answer)
        if kind == "type" and text not in seen:
            kinds["type distinct"].add(expected, answer)
        if show and text not in seen:
            _show(text, expected, answer)
        seen.add(text)
    for kind, score in kinds.items():
        print(score.line(f"[{part}] mistakes: {kind}"))
    print(f"[{part}] mistakes: operation      {dict(operations)}")


def _labels(folder: Path, registry: Registry, part: str, show: bool) -> None:
    bare, placed = Score(), Score()
    shown = 0
    for row in islice(_drawn(folder / "labels.jsonl.gz", part), _LABELS):
        if row["type"] not in registry.tools:
            continue
        starts = "trigger" in registry.tools[row["type"]].capabilities
        place = NameContext(position="trigger" if starts else "step")
        answer = resolve_name(row["label"], registry, NameContext())
        bare.add(row["type"], answer)
        placed.add(row["type"], resolve_name(row["label"], registry, place))
        if show and answer.status == "resolved" and answer.tool != row["type"] and shown < 60:
            shown += 1
            _show(row["label"], row["type"], answer)
    print(bare.line(f"[{part}] labels, alone"))
    print(placed.line(f"[{part}] labels, position known"))


def _titles(folder: Path, registry: Registry, part: str) -> None:
    found = wanted = 0
    for row in _lines(folder / "intents.jsonl.gz"):
        if _part(row["source_repo"]) != part:
            continue
        types = {one for one in row["node_types"] if one in registry.tools}
        types = {one for one in types if not _SILENT.search(one)}
        hits = {hit.tool for hit in registry.search.find(row["title"], 20)}
        wanted += len(types)
        found += len(types & hits)
    share = found / max(wanted, 1)
    print(f"[{part}] titles: recall in 20       {share:.3f} of {wanted} node types")


def _speed(folder: Path, registry: Registry) -> None:
    texts = [row["text"] for row in _lines(folder / "naming_mistakes.jsonl")]
    texts += [row["label"] for row in islice(_drawn(folder / "labels.jsonl.gz", "dev"), 1_000)]
    titles = [row["title"] for row in islice(_lines(folder / "intents.jsonl.gz"), 500)]
    context = NameContext()
    _timed("resolve, strict", lambda text: resolve_name(text, registry), texts)
    _timed("resolve, words", lambda text: resolve_name(text, registry, context), texts)
    _timed("search", registry.search.find, titles)


def _grown(registry: Registry) -> None:
    """Time on a catalog grown from real names: the words of two names put together."""
    rows = list(registry.tools.values())
    draw = random.Random(7)
    tools = dict(registry.tools)
    while len(tools) < _GROWN:
        one, other = draw.choice(rows), draw.choice(rows)
        number = len(tools)
        tools[f"grown.{one.id.rpartition('.')[2]}{number}"] = _grow(one, other, number)
    big = Registry(registry.header, "grown", tools, {}, lambda _k, _i: b"{}", lambda _e, _v: None)
    started = perf_counter()
    resolve_name("wram up", big, NameContext())
    print(f"grown to {len(tools)} tools, indexes built in {perf_counter() - started:.1f} s")
    texts = []
    for row in draw.sample(rows, 200):
        name = row.name
        texts += [name[1:], name.lower() + " send", f"{row.id.rpartition('.')[2]}Create"]
    context = NameContext()
    _timed("resolve at 100,000, strict", lambda text: resolve_name(text, big), texts)
    _timed("resolve at 100,000, words", lambda text: resolve_name(text, big, context), texts)


def _grow(one: ToolRow, other: ToolRow, number: int) -> ToolRow:
    return replace(
        one,
        id=f"grown.{one.id.rpartition('.')[2]}{number}",
        name=f"{one.name} {other.name} {number}",
        aliases=(),
        package="grown",
        operations=one.operations[:3],
    )


def _timed(title: str, call: Callable[[str], Any], texts: list[str]) -> None:
    spent = []
    for text in texts:
        started = perf_counter()
        call(text)
        spent.append((perf_counter() - started) * 1000)
    cuts = quantiles(spent, n=100)
    print(f"{title:<28} p50={cuts[49]:.3f} ms p95={cuts[94]:.3f} ms worst={max(spent):.2f} ms")


def _show(text: str, expected: str | None, answer: Resolution) -> None:
    if answer.tool == expected:
        return
    offered = [f"{c.tool.rpartition('.')[2]} {c.confidence}" for c in answer.candidates]
    print(f"   {text!r} -> {expected}: {answer.status}/{answer.method} {offered}")


def _drawn(path: Path, part: str) -> Iterator[Row]:
    """Labels of one part; the workflow stands for the repository, which the rows do not name."""
    rows = [row for row in _lines(path) if _part(row["workflow_id"]) == part]
    random.Random(11).shuffle(rows)
    return iter(rows)


def _lines(path: Path) -> Iterator[Row]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    yield from map(json.loads, content.splitlines())


def _part(key: str) -> str:
    return _PARTS[hashlib.sha256(f"part {key}".encode()).digest()[0] % 2]


if __name__ == "__main__":
    main()
