"""The figures of an evaluation: as a table for people, as numbers to be held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from evals.requests.measure import Made

_HEADINGS = (
    *("requests", "number", "built", "incomplete", "refused", "clauses placed"),
    *("F1, all", "F1, what was made", "rounds", "tokens sent, received", "seconds, median, most"),
    "refused by n8n",
)
# By how much the mean F1 may fall, and by how many requests what is made, before it is a fall.
_LESS_F1, _LESS_MADE = 0.02, 1


def table(made: Sequence[Made]) -> str:
    """The figures by kind of request, and over all."""
    heads = (f"| {' | '.join(_HEADINGS)} |", f"|{'---|' * len(_HEADINGS)}")
    names = [*dict.fromkeys(one.kind for one in made), "all"]
    rows = (_line(name, [one for one in made if name in (one.kind, "all")]) for name in names)
    return "\n".join((*heads, *rows))


def figures(made: Sequence[Made]) -> dict[str, Any]:
    """What a later run is held to."""
    stands = [one for one in made if one.outcome != "refused"]
    return {
        "requests": len(made),
        "made": len(stands),
        "f1": round(_mean([one.f1 for one in made]), 3),
        "placed": sum(one.placed for one in made),
        "clauses": sum(one.clauses for one in made),
        "refused_by_n8n": sum(one.refused_by_n8n is not None for one in made),
    }


def falls(made: Sequence[Made], kept: Mapping[str, Any]) -> list[str]:
    """How these fall short of what was kept; what n8n refuses is a fall at once."""
    now = figures(made)
    told = [f"n8n refuses {now['refused_by_n8n']}"] if now["refused_by_n8n"] else []
    if kept and now["requests"] == kept["requests"]:
        if now["f1"] < kept["f1"] - _LESS_F1:
            told.append(f"F1 is {now['f1']}, it was {kept['f1']}")
        if now["made"] < kept["made"] - _LESS_MADE:
            told.append(f"{now['made']} were made, it was {kept['made']}")
    return told


def _line(name: str, made: Sequence[Made]) -> str:
    counts = [sum(one.outcome == kind for one in made) for kind in ("built", "incomplete")]
    stands = [one for one in made if one.outcome != "refused"]
    clauses, placed = sum(one.clauses for one in made), sum(one.placed for one in made)
    seconds = [one.seconds for one in made]
    cells = [
        name, len(made), *counts, len(made) - len(stands), f"{placed} of {clauses}",
        f"{_mean([one.f1 for one in made]):.2f}", f"{_mean([stand.f1 for stand in stands]):.2f}",
        f"{_mean([one.rounds for one in made]):.1f}",
        f"{sum(one.sent for one in made):,}, {sum(one.received for one in made):,}",
        f"{median(seconds):.2f}, {max(seconds):.2f}",
        sum(one.refused_by_n8n is not None for one in made),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _mean(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
