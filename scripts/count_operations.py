"""Counts which operations real workflows use, for the order of operations in prompts.

``python -m scripts.count_operations DATA CATALOG OUT``: DATA holds ``n8n/workflows.jsonl.gz``,
CATALOG is a file of node-catalog-sync. A node counts once for its resource and operation, with the
defaults of its version where it states none, and a trigger once for each of its events. Only the
order among the operations of one tool is used.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.parameters.defaults import fill
from tests.support.registries import registry_from

_FEWEST = 2


def main() -> None:
    """Count the operations in all workflows and write them, most frequent first."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "catalog", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    registry = registry_from(options.catalog.read_bytes())
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for node in nodes_in(options.data / "n8n" / "workflows.jsonl.gz"):
        for key in _operations(node, registry):
            counts[node["type"]][key] += 1
    lines = {
        tool: {key: count for key, count in counter.most_common() if count >= _FEWEST}
        for tool, counter in sorted(counts.items())
    }
    counted = {tool: operations for tool, operations in lines.items() if operations}
    options.out.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")


def nodes_in(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yields the nodes of the workflows in a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for node in json.loads(line)["workflow"].get("nodes") or ():
                if isinstance(node, dict) and isinstance(node.get("parameters"), dict):
                    yield node


def _operations(node: Mapping[str, Any], registry: Registry) -> Iterator[str]:
    """Yields the operation of a node as ``resource/operation``, or its events."""
    row = registry.tools.get(str(node.get("type")))
    if row is None:
        return
    version = node.get("typeVersion")
    known = version if isinstance(version, int | float) and version in row.versions else row.newest
    spec = registry.spec(row.id, float(known))
    simple, _ = fill(spec.declarations, dict(node["parameters"]))
    chosen = [simple[key] for key in ("resource", "operation") if isinstance(simple.get(key), str)]
    if chosen:
        yield "/".join(chosen)
    for operation in (
        N8N.prompting.trigger_events(spec.variant) if N8N.prompting.trigger_events else ()
    ):
        name, values = next(iter(operation.params.items()))
        given = node["parameters"].get(name)
        if isinstance(given, list) and values[0] in given:
            yield str(values[0])


if __name__ == "__main__":
    main()
