"""Injects mistakes into the forty drafts and prints which are found.

``python -m evals.simulink_faults.plans`` measures all mistakes. ``--kind NAME`` selects them,
``--misses`` prints the findings of each missed one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from evals.simulink_faults.draft_names import NAME_MISTAKES
from evals.simulink_faults.draft_wiring import WIRING_MISTAKES
from evals.simulink_faults.drafts import Mistake, Tally, tally_mistake
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import to_pointer

ALL: tuple[Mistake, ...] = (*NAME_MISTAKES, *WIRING_MISTAKES)


def format_table(tallies: Iterable[Tally]) -> str:
    """Returns the result of each mistake as Markdown, with the share that was found."""
    rows = ["| mistake | asked | drafts | found at the place | elsewhere | silent |"]
    rows.append("|---|---|---|---|---|---|")
    cases = result = 0
    for row in tallies:
        count = sum(row.outcomes.values())
        other = row.outcomes["elsewhere"] + row.outcomes["false alarm"]
        rows.append(
            f"| {row.mistake.name} | {row.mistake.asked} | {count} "
            f"| {row.outcomes['found']} | {other} | {row.outcomes['silent']} |"
        )
        if row.mistake.asked != "open":
            cases, result = cases + count, result + row.outcomes["found"]
    rows.append(f"\n{result} of {cases} mistakes found at the place: {100 * result / cases:.1f} %")
    return "\n".join(rows)


def main() -> None:
    """Compiles every draft with every mistake, then prints the table."""
    parser = argparse.ArgumentParser(prog="evals.simulink_faults.plans", description=__doc__)
    parser.add_argument("--kind", action="append", help="only these mistakes")
    parser.add_argument("--misses", action="store_true", help="print the missed mistakes")
    options = parser.parse_args()
    before: dict[int, Compilation] = {}
    done = [
        tally_mistake(mistake, before)
        for mistake in ALL
        if not options.kind or mistake.name in options.kind
    ]
    print(format_table(done))
    if options.misses:
        for item in done:
            for number, places, made in item.missed[:3]:
                diagnostics = [
                    f"{d.code} at {to_pointer(d.at)}: {d.message}" for d in made.diagnostics
                ]
                print(f"\n{item.mistake.name} in draft {number} at {list(map(to_pointer, places))}")
                print(f"  findings: {diagnostics}")


if __name__ == "__main__":
    main()
