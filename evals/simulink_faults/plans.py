"""Write slips into the forty drafts and print what becomes of them.

``python -m evals.simulink_faults.plans``, with ``--kind NAME`` for one slip, ``--misses`` to print
what was said of all that was missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from evals.simulink_faults.drafts import Slip, Tally, tally
from evals.simulink_faults.slips import SLIPS
from evals.simulink_faults.wires import WIRES
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import pointer

ALL: tuple[Slip, ...] = (*SLIPS, *WIRES)


def table(tallies: Iterable[Tally]) -> str:
    """What became of each slip in Markdown, with the share that was found."""
    rows = ["| slip | asked | drafts | found at the place | elsewhere | silent |"]
    rows.append("|---|---|---|---|---|---|")
    cases = found = 0
    for one in tallies:
        count = sum(one.outcomes.values())
        other = one.outcomes["elsewhere"] + one.outcomes["false alarm"]
        rows.append(
            f"| {one.slip.name} | {one.slip.asked} | {count} | {one.outcomes['found']} | {other} "
            f"| {one.outcomes['silent']} |"
        )
        if one.slip.asked != "open":
            cases, found = cases + count, found + one.outcomes["found"]
    rows.append(f"\n{found} of {cases} slips found at the place: {100 * found / cases:.1f} %")
    return "\n".join(rows)


def main() -> None:
    """Compile every draft with every slip, then print the table."""
    parser = argparse.ArgumentParser(prog="evals.simulink_faults.plans", description=__doc__)
    parser.add_argument("--kind", action="append", help="only these slips")
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    options = parser.parse_args()
    before: dict[int, Compilation] = {}
    done = [tally(one, before) for one in ALL if not options.kind or one.name in options.kind]
    print(table(done))
    if options.misses:
        for one in done:
            for number, places, made in one.missed[:3]:
                said = [f"{d.code} at {pointer(d.at)}: {d.message}" for d in made.diagnostics]
                print(f"\n{one.slip.name} in draft {number} at {list(map(pointer, places))}")
                print(f"  said: {said}")


if __name__ == "__main__":
    main()
