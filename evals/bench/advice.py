"""Measures how often advice is given on real workflows, and how hosts map to installed tools.

``python -m evals.bench.advice CATALOG`` prints how often each piece of advice is given, what it
costs, and how well the installed tool is identified from a host. ``--look CODE`` prints thirty
seeded findings of a code for review by hand.
"""

from __future__ import annotations

import argparse
import csv
import gc
import gzip
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.check.advice import check_advice
from grounded_builder.domains.n8n.check.advice.services import services_of
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.registries import registry_from

_SHARED = paths.ROOT.parent / "shared" / "data" / "n8n"
_LOOKED_AT = 30
_SEED = 7
_SHOWN = 400


def main() -> None:
    """Prints all measurements."""
    parser = argparse.ArgumentParser()
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--look", metavar="CODE")
    arguments = parser.parse_args()
    registry = registry_from(arguments.catalog.read_bytes())
    graphs = list(_read_graphs(registry))
    given = _advise(graphs, registry)
    if arguments.look:
        _print_sample(given[arguments.look])
        return
    for code in sorted(given):
        workflows = len({number for number, _, _ in given[code]})
        print(f"{code}: {len(given[code]):,} findings in {workflows:,} workflows")
    _compare_hosts(registry)


def _read_graphs(registry: Registry) -> Iterator[ResolvedGraph]:
    with gzip.open(_SHARED / "workflows.jsonl.gz", "rt") as stream:
        for line in stream:
            graph = read(json.loads(line)["workflow"]).graph
            if graph is not None:
                yield resolve_graph(graph, N8N, registry)[0]


Given = dict[str, list[tuple[int, ResolvedGraph, Diagnostic]]]


def _advise(graphs: list[ResolvedGraph], registry: Registry) -> Given:
    """Checks each graph twice and times the second check, in which shared results are cached."""
    gc.collect()
    gc.freeze()
    given: Given = defaultdict(list)
    spent: list[float] = []
    for number, graph in enumerate(graphs):
        list(check_advice(graph, registry, CompileOptions()))
        begun = time.perf_counter()
        diagnostics = list(check_advice(graph, registry, CompileOptions()))
        spent.append((time.perf_counter() - begun) * 1000)
        for diagnostic in diagnostics:
            given[diagnostic.code].append((number, graph, diagnostic))
    spent.sort()
    p50, p95 = (spent[int(share * len(spent))] for share in (0.5, 0.95))
    print(
        f"{len(graphs):,} workflows, p50 {p50:.3f} ms, p95 {p95:.3f} ms, worst {spent[-1]:.1f} ms"
    )
    return given


def _print_sample(given: list[tuple[int, ResolvedGraph, Diagnostic]]) -> None:
    random.seed(_SEED)
    for number, graph, d in random.sample(given, min(_LOOKED_AT, len(given))):
        print(f"-- workflow {number}: {d.message}; {', '.join(d.alternatives)}; {d.help}")
        names = {
            d.node,
            *(b.node.name for b in graph.nodes for r in d.related if b.node.at == r.at),
        }
        for name in sorted(filter(None, names)):
            print("  ", json.dumps(graph.by_name[name].node.params, ensure_ascii=False)[:_SHOWN])


def _compare_hosts(registry: Registry) -> None:
    """Compares the tools found for each host with the labelled list of hosts."""
    services = services_of(registry)
    counts: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    with (_SHARED / "http_hosts.tsv").open() as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            expected = row["dedicated_node_exists"]
            if expected == "n/a":
                continue
            results = {tool_row.id for tool_row in services.at(row["host"])}
            known = set(row["node_types"].split(",")) if expected == "yes" else set()
            verdict = (
                ("right" if results & known else "other" if results else "missed")
                if known
                else ("extra" if results else "none")
            )
            counts[verdict] += 1
            requests[verdict] += int(row["nodes"])
            if verdict in ("missed", "extra", "other"):
                print(f"  {verdict}: {row['host']} {sorted(known)[:3]} {sorted(results)[:3]}")
    for name, counted in (("hosts", counts), ("requests", requests)):
        result = counted["right"] + counted["other"] + counted["extra"]
        there = counted["right"] + counted["other"] + counted["missed"]
        print(
            f"{name}: precision {(result - counted['extra']) / result:.3f}, "
            f"recall {(there - counted['missed']) / there:.3f}, "
            f"right tool {counted['right'] / (counted['right'] + counted['other']):.3f}, "
            f"{dict(counted)}"
        )


if __name__ == "__main__":
    main()
