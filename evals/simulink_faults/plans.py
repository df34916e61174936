"""Writes slips into the forty drafts and prints what is found.

``python -m evals.simulink_faults.plans``, with ``--kind NAME`` for one slip, ``--misses`` to print
what was said of all that was missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from evals.simulink_faults.draft_names import SLIPS
from evals.simulink_faults.draft_wiring import WIRES
from evals.simulink_faults.drafts import Slip, Tally, tally
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import to_pointer

ALL: tuple[Slip, ...] = (*SLIPS, *WIRES)


def table(tallies: Iterable[Tally]) -> str:
    """What became of each slip in Markdown, with the share that was found."""
    rows = ["| slip | asked | drafts | found at the place | elsewhere | silent |"]
    rows.append("|---|---|---|---|---|---|")
    cases = result = 0
    for row in tallies:
        count = sum(row.outcomes.values())
        other = row.outcomes["elsewhere"] + row.outcomes["false alarm"]
        rows.append(
            f"| {row.slip.name} | {row.slip.asked} | {count} | {row.outcomes['found']} | {other} "
            f"| {row.outcomes['silent']} |"
        )
        if row.slip.asked != "open":
            cases, result = cases + count, result + row.outcomes["found"]
    rows.append(f"\n{result} of {cases} slips found at the place: {100 * result / cases:.1f} %")
    return "\n".join(rows)


def main() -> None:
    """Compile every draft with every slip, then print the table."""
    parser = argparse.ArgumentParser(prog="evals.simulink_faults.plans", description=__doc__)
    parser.add_argument("--kind", action="append", help="only these slips")
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    options = parser.parse_args()
    before: dict[int, Compilation] = {}
    done = [tally(slip, before) for slip in ALL if not options.kind or slip.name in options.kind]
    print(table(done))
    if options.misses:
        for item in done:
            for number, places, made in item.missed[:3]:
                diagnostics = [
                    f"{d.code} at {to_pointer(d.at)}: {d.message}" for d in made.diagnostics
                ]
                print(f"\n{item.slip.name} in draft {number} at {list(map(to_pointer, places))}")
                print(f"  said: {diagnostics}")


if __name__ == "__main__":
    main()
