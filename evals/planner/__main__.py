"""Counts the results of the keyword planner on requests: right, named, refused or silent.

``python -m evals.planner [FILE ...]`` reads requests as lines with ``domain``, the expected
``steps`` (tool, required parameters, words that may report their absence) and ``links`` between
steps by number. A fault is a missing step, parameter or link, or a step with another tool. It is
silent if no text that the answer reports as not read or assumed has a word of it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import no_reference_catalogs
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from
from tests.support.simulink import simulink_registry

REQUESTS = Path(__file__).with_name("requests.jsonl")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+(?:[.:]\d+)?")


def judge_plan(
    line: Mapping[str, Any], domain: Domain, registry: Registry
) -> tuple[str, list[str]]:
    """Returns ``right``, ``named``, ``refused`` or ``silent`` for a request, and its faults."""
    outcome = plan_without_model(
        line["request"], domain, registry, CompileOptions(), no_reference_catalogs
    )
    if outcome.outcome == "refused":
        return "refused", [outcome.summary]
    assert outcome.compilation is not None
    plan = outcome.compilation.plan
    assert plan is not None
    named = " | ".join((outcome.summary, *outcome.todo)) if outcome.outcome != "built" else ""
    faults = list(_find_faults(line, plan))
    silent = [fault for fault, words in faults if not _shares_word(words, named)]
    if silent:
        return "silent", [f"SILENT {fault}" for fault in silent] + [named]
    if faults or outcome.outcome != "built":
        return "named", [*(fault for fault, _ in faults), named]
    return "right", []


def _find_faults(line: Mapping[str, Any], plan: Any) -> Iterator[tuple[str, str]]:
    nodes = {str(node["id"]): node for node in plan.nodes}
    free = list(nodes)
    places: list[str | None] = []
    for step in line["steps"]:
        fits = [name for name in free if nodes[name]["tool_id"] == step["tool"]]
        fits.sort(key=lambda name: -_count_agreeing(step["params"], nodes[name]["params"]))
        places.append(fits[0] if fits else None)
        if not fits:
            yield f"no {step['tool']}", step["words"]
            continue
        free.remove(fits[0])
        if _count_agreeing(step["params"], nodes[fits[0]]["params"]) < len(step["params"]):
            yield f"{step['tool']}: {nodes[fits[0]]['params']}", step["words"]
    for name in free:
        yield f"{nodes[name]['tool_id']} is not requested", str(nodes[name]["tool_id"])
    joined = {
        (str(connection["from"]).split(":")[0], str(connection["to"]).split(":")[0])
        for connection in plan.connections
    }
    for start, end in line["links"]:
        ends = places[start], places[end]
        if None not in ends and ends not in joined:
            words = f"{line['steps'][start]['words']} {line['steps'][end]['words']}"
            yield f"{ends[0]} does not lead to {ends[1]}", words


def _count_agreeing(wanted: Mapping[str, Any], params: Mapping[str, Any]) -> int:
    text = json.dumps(params, ensure_ascii=False)
    return sum(
        str(params.get(key)) == str(value) or json.dumps(value, ensure_ascii=False) in text
        for key, value in wanted.items()
    )


def _shares_word(words: str, named: str) -> bool:
    wanted = set(_WORD.findall(words.casefold()))
    return bool(wanted & set(_WORD.findall(named.casefold())))


def main() -> None:
    """Prints the figures of the given files, by default of the requests next to this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[REQUESTS])
    parser.add_argument("--shown", action="store_true", help="print the faults of each request")
    parser.add_argument("--domain", choices=("n8n", "simulink"))
    given = parser.parse_args()
    lines = [json.loads(item) for path in given.files for item in path.read_text().splitlines()]
    known: dict[str, tuple[Domain, Registry]] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        name = line["domain"]
        if given.domain not in (None, name):
            continue
        if name not in known:
            known[name] = (
                (N8N, registry_from(provide_catalog().read_bytes()))
                if name == "n8n"
                else (SIMULINK, simulink_registry())
            )
        verdict, faults = judge_plan(line, *known[name])
        counts[f"{name} {verdict}"] += 1
        if given.shown:
            print(f"[{verdict}] {line['request']}", *faults, sep="\n     ")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
