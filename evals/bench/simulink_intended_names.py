"""Measures how names, parameters and values written by people and language models resolve.

``python -m evals.bench.simulink_intended_names [seen|held]`` reads ``simulink_names_meant.jsonl``
and ``simulink_parameters_meant.jsonl``. For a name, ``right`` lists the blocks that may be chosen,
``among`` other blocks that a question may offer, and ``refused`` means that choosing none is right
too. For a parameter, ``right`` lists the settings that may result, and ``reported`` means that a
report that it has no place is right too. The held half was not looked at while name resolution was
developed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.resolve import resolve
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

NAMES = Path(__file__).parent / "simulink_names_meant.jsonl"
PARAMETERS = Path(__file__).parent / "simulink_parameters_meant.jsonl"
_UNPLACED = ("GB302", "GB305", "GB307", "GB308")


def main() -> None:
    """Prints the shares by half and kind, and each entry that is missed or wrong."""
    halves = sys.argv[1:] or ["seen", "held"]
    registry = simulink_registry()
    for half in halves:
        names = [
            (entry["kind"], entry["text"], *grade_name(entry, registry))
            for entry in read_entries(NAMES, half)
        ]
        _report(f"names, {half} half", names)
        settings = [
            (
                "parameters",
                f"{entry['block']}: {entry['key']}={entry['value']}",
                *grade_parameter(entry, registry),
            )
            for entry in read_entries(PARAMETERS, half)
        ]
        _report(f"parameters, {half} half", settings)


def read_entries(path: Path, half: str = "") -> Iterator[dict[str, Any]]:
    """Yields the entries of a file, restricted to one half if it is given."""
    for line in path.read_text("utf-8").splitlines():
        value = json.loads(line)
        if half in ("", value["half"]):
            yield value


def grade_name(item: dict[str, Any], registry: Registry) -> tuple[str, str]:
    """Returns the grade of a name (right, asked, missed or wrong) and the answer."""
    answer = resolve(item["text"], registry)
    offered = [candidate.tool for candidate in answer.candidates]
    right = _add_equivalents(item["right"], registry)
    if answer.tool is not None:
        return ("right" if answer.tool in right else "wrong"), answer.tool
    if right & set(offered):
        return "asked", ", ".join(offered)
    if item.get("refused") or set(item.get("among", ())) & set(offered):
        return ("asked" if item["right"] else "right"), ", ".join(offered)
    return "missed", ", ".join(offered)


def _add_equivalents(ids: list[str], registry: Registry) -> set[str]:
    """Returns these blocks and those that are the same under another path."""
    results = set(ids)
    for id_ in ids:
        results |= {*registry.tools[id_].equivalent_to}
    return results | {row.id for row in registry.tools.values() if results & {*row.equivalent_to}}


def grade_parameter(item: dict[str, Any], registry: Registry) -> tuple[str, str]:
    """Returns the grade of a drafted parameter (right, asked, missed or wrong) and its settings."""
    step = {"id": "b", "tool": item["block"], "params": {item["key"]: item["value"]}}
    answer = compile_draft({"goal": "x", "steps": [step]}, SIMULINK, registry, CompileOptions())
    node = answer.plan.nodes[0] if answer.plan is not None else {}
    params: dict[str, str] = dict(node.get("params", {}))
    row = registry.tools[item["block"]]
    before = registry.spec(row.id, row.newest).preset.items()
    changed = dict(params.items() - before)
    diagnostics = [entry for entry in answer.diagnostics if entry.code in _UNPLACED]
    shown = f"{params} {[(entry.code, entry.help or entry.message) for entry in diagnostics]}"
    results = (right for right in item["right"] if right.items() <= params.items())
    if not diagnostics and any(changed.items() <= right.items() for right in results):
        return "right", shown
    if not diagnostics:
        return "wrong", shown
    offered = {
        name
        for entry in diagnostics
        for name in (*entry.alternatives, *(entry.help or "").split(", "))
    }
    wanted = {text for right in item["right"] for pair in right.items() for text in pair}
    if item.get("reported"):
        return "right", shown
    return ("asked" if wanted & offered else "missed"), shown


def _report(title: str, graded: list[tuple[str, str, str, str]]) -> None:
    counts = Counter(state for _, _, state, _ in graded)
    print(f"{title}: {len(graded)}, {_shares(counts)}")
    for kind in dict.fromkeys(kind for kind, *_ in graded):
        own = Counter(state for other, _, state, _ in graded if other == kind)
        print(f"  {kind}: {_shares(own)}")
    for kind, text, state, answer in graded:
        if state in ("missed", "wrong"):
            print(f"    {state}: {kind} {text!r} -> {answer[:300]}")


def _shares(counts: Counter[str]) -> str:
    total = max(1, counts.total())
    return ", ".join(f"{state} {100 * n / total:.1f} %" for state, n in sorted(counts.items()))


if __name__ == "__main__":
    main()
