"""How requests of engineers are sketched without a model: right, partly but told, or wrong.

``python -m evals.bench.engineers [--seen | --held | --all] [FILE]``: each line of
``engineers.jsonl`` is a request with the facts of a right draft, in one or several ways
(``either``): blocks by library path with their parameters and the words of the request that they
come from, joins, nodes of networks, settings of the model; or what must be asked (``ask``). A
parameter with a question mark may be left out. Any other block, parameter or line is a fault.

A fault is told where words of its fact are among what the draft says it did not place or
supposed, or where nothing is built; else it is silent. Even lines were looked at while the sketch
was written, odd ones were only counted.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evals.bench.facts import Drawn, Fault, best
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import STOP, stem
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

REQUESTS = Path(__file__).parent / "engineers.jsonl"
_WORD = re.compile(r"[^\W\d_]{3,}|\d+(?:\.\d+)?")


def judged(one: Mapping[str, Any], registry: Registry) -> tuple[str, list[Fault], str]:
    """What became of a request: ``right``, ``told`` or ``silent``; its faults; what was said."""
    proposal = propose(one["request"], SIMULINK, registry)
    made = compile_with_fixes(dict(proposal.plan), SIMULINK, registry, CompileOptions())
    built = made.artifact is not None and proposal.refusal is None
    text = " | ".join((*proposal.unplaced, *proposal.open, proposal.refusal or ""))
    drawn = Drawn(proposal.plan, registry)
    ways = one.get("either", ())
    faults = best(drawn, ways, one.get("settings", {})) if ways else []
    if ways and built and not faults:
        return "right", [], text
    if "ask" in one:
        asked = not built or _share(one["ask"], text) >= 0.5
        if not ways:
            return ("right" if asked else "silent"), [Fault("not asked", one["ask"])], text
        if asked:
            return "told", faults, text
    if not built:
        return "told", [*faults, Fault("not built", "")], text
    silent = [fault for fault in faults if not _share(fault.words, text)]
    return ("silent" if silent else "told"), faults, text


def _share(words: str, said: str) -> float:
    """How many of some words are among what was said."""
    wanted, results = _words(words), _words(said)
    return len(wanted & results) / max(1, len(wanted))


def _words(text: str) -> set[str]:
    return {stem(match) for match in _WORD.findall(text.casefold()) if match not in STOP}


def report(requests: Iterable[Mapping[str, Any]], registry: Registry, *, shown: bool) -> str:
    """The figures of some requests; ``shown`` prints what is amiss."""
    counts: Counter[str] = Counter()
    for request in requests:
        verdict, faults, text = judged(request, registry)
        counts[verdict] += 1
        if shown and verdict != "right":
            print(f"[{verdict}] {request['request']}")
            for fault in faults:
                print(f"     {fault.what}  <{fault.words}>")
            print(f"     said: {text}")
    return (
        f"{counts['right']} of {counts.total()} right, {counts['told']} partly and told, "
        f"{counts['silent']} wrong in silence"
    )


def main() -> None:
    """Print the figures of the halves that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=REQUESTS)
    parser.add_argument("--seen", action="store_true", help="the half that was looked at")
    parser.add_argument("--held", action="store_true", help="the half that was only counted")
    parser.add_argument("--shown", action="store_true", help="what is amiss in each request")
    given = parser.parse_args()
    requests = [json.loads(line) for line in given.file.read_text("utf-8").splitlines()]
    registry = simulink_registry()
    both = given.seen == given.held
    if both or given.seen:
        print(f"looked at: {report(requests[::2], registry, shown=given.shown)}")
    if both or given.held:
        print(f"only counted: {report(requests[1::2], registry, shown=given.shown)}")


if __name__ == "__main__":
    main()
