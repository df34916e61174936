"""Counts which parameters real workflows set, for what prompts show of a tool.

``python -m scripts.count_parameters DATA OUT``: DATA holds ``n8n/workflows.jsonl.gz``. A node
counts once for each of its parameters, and for each field of a collection
(``options.timeout``, ``formFields.values.fieldType``); ``""`` has the number of nodes of a tool.
n8n stores the parameters that differ from their default.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.count_operations import nodes_in

_FEWEST_NODES, _FEWEST = 5, 2
_NODES = ""
_DEEPEST = 4
_NAME = re.compile(r"\w+", re.ASCII)


def main() -> None:
    """Count the parameters in all workflows and write them, most frequent first."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for node in nodes_in(options.data / "n8n" / "workflows.jsonl.gz"):
        counts[str(node.get("type"))].update({_NODES, *_names(node["parameters"])})
    lines = {
        tool: {name: count for name, count in counter.most_common() if count >= _FEWEST}
        for tool, counter in sorted(counts.items())
        if counter[_NODES] >= _FEWEST_NODES
    }
    options.out.write_text(json.dumps(lines, indent=0) + "\n", encoding="utf-8")


def _names(value: Any, prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yields the names of parameters, and the paths of the fields of collections."""
    if isinstance(value, list):
        for entry in value:
            yield from _names(entry, prefix, depth)
    elif isinstance(value, dict) and "__rl" not in value and depth <= _DEEPEST:
        for name, inner in value.items():
            if _NAME.fullmatch(str(name)):
                yield f"{prefix}{name}"
                yield from _names(inner, f"{prefix}{name}.", depth + 1)


if __name__ == "__main__":
    main()
