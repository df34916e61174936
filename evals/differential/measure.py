"""Measures the time and the findings of parameter and credential checks on real workflows.

``python -m evals.differential.measure CATALOG`` prints the time per workflow once its node types
are compiled, the time to compile them, and the number of findings by code.
"""

from __future__ import annotations

import gc
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evals.differential.questions import SHARED
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.catalog.compile_tool import compile_tool
from grounded_builder.domains.n8n.check.credentials import check_credentials
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import registry_from

_SHOWN = 40


def main(catalog: Path) -> None:
    """Prints all measurements."""
    registry = registry_from(catalog.read_bytes())
    workflows: list[tuple[str, ResolvedGraph]] = []
    for line in gzip.decompress(SHARED.read_bytes()).splitlines():
        entry = json.loads(line)
        graph = read(entry["workflow"]).graph
        if graph is not None:
            workflows.append((entry["source_repo"], resolve_graph(graph, N8N, registry)[0]))
    _time_compiling(registry)

    def check_and_count(resolved: ResolvedGraph) -> list[Any]:
        return list(check_parameters(resolved, registry, CompileOptions()))

    def credentials(resolved: ResolvedGraph) -> list[Any]:
        return list(check_credentials(resolved, registry, CompileOptions()))

    graphs = [resolved for _, resolved in workflows]
    gc.collect()
    gc.freeze()  # as a started server does: the catalog is excluded from garbage collection
    print(f"{len(graphs):,} workflows, {sum(len(g.nodes) for g in graphs):,} nodes")
    print("parameters, first time ", _time_check(check_and_count, graphs))
    print("parameters             ", _time_check(check_and_count, graphs))
    print("credentials            ", _time_check(credentials, graphs))
    codes: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    kinds: Counter[tuple[str, str, str]] = Counter()
    for repository, resolved in workflows:
        results = check_and_count(resolved) + credentials(resolved)
        codes.update(item.code for item in results)
        wrong[repository] += any(item.rule.kind == "wrong" for item in results)
        for item in results:
            if item.rule.kind == "wrong":
                kinds[item.code, str(resolved.by_name[item.node].node.tool), str(item.at[-1])] += 1
    print("findings", dict(codes.most_common()))
    print("workflows with wrong findings by repository", dict((+wrong).most_common()))
    for (code, tool, place), count in kinds.most_common(_SHOWN):
        print(f"{count:5} {code} {tool} {place}")


def _time_compiling(registry: Any) -> None:
    spent = []
    for tool_id in registry.tools:
        tool = registry.tool(tool_id)
        for version in registry.tools[tool_id].versions:
            begun = time.perf_counter()
            compile_tool(tool, version)
            spent.append(time.perf_counter() - begun)
    print(
        f"compile {len(spent):,} types at a version: {_summarize(spent)}, {sum(spent):.2f} s in all"
    )


def _time_check(check: Callable[[ResolvedGraph], list[Any]], graphs: list[ResolvedGraph]) -> str:
    spent = []
    for graph in graphs:
        begun = time.perf_counter()
        check(graph)
        spent.append(time.perf_counter() - begun)
    return _summarize(spent)


def _summarize(spent: list[float]) -> str:
    ordered = sorted(spent)
    at = {
        name: ordered[int(len(ordered) * part)] * 1000
        for name, part in (("p50", 0.5), ("p95", 0.95))
    }
    return f"p50 {at['p50']:.3f} ms, p95 {at['p95']:.3f} ms, max {ordered[-1] * 1000:.2f} ms"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
