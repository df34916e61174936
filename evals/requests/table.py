"""Formats the figures of an evaluation as a table and as numbers, and finds regressions."""

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
    names = [*dict.fromkeys(item.kind for item in made), "all"]
    rows = (_line(name, [item for item in made if name in (item.kind, "all")]) for name in names)
    return "\n".join((*heads, *rows))


def figures(made: Sequence[Made]) -> dict[str, Any]:
    """What a later run is held to."""
    stands = [item for item in made if item.outcome != "refused"]
    return {
        "requests": len(made),
        "made": len(stands),
        "f1": round(_mean([item.f1 for item in made]), 3),
        "placed": sum(item.placed for item in made),
        "clauses": sum(item.clauses for item in made),
        "refused_by_n8n": sum(item.refused_by_n8n is not None for item in made),
    }


def falls(made: Sequence[Made], before: Mapping[str, Any]) -> list[str]:
    """How these fall short of what was kept; what n8n refuses is a fall at once."""
    now = figures(made)
    results = [f"n8n refuses {now['refused_by_n8n']}"] if now["refused_by_n8n"] else []
    if before and now["requests"] == before["requests"]:
        if now["f1"] < before["f1"] - _LESS_F1:
            results.append(f"F1 is {now['f1']}, it was {before['f1']}")
        if now["made"] < before["made"] - _LESS_MADE:
            results.append(f"{now['made']} were made, it was {before['made']}")
    return results


def _line(name: str, made: Sequence[Made]) -> str:
    counts = [sum(item.outcome == kind for item in made) for kind in ("built", "incomplete")]
    stands = [item for item in made if item.outcome != "refused"]
    clauses, placed = sum(item.clauses for item in made), sum(item.placed for item in made)
    seconds = [item.seconds for item in made]
    cells = [
        name, len(made), *counts, len(made) - len(stands), f"{placed} of {clauses}",
        f"{_mean([item.f1 for item in made]):.2f}", f"{_mean([stand.f1 for stand in stands]):.2f}",
        f"{_mean([item.rounds for item in made]):.1f}",
        f"{sum(item.sent for item in made):,}, {sum(item.received for item in made):,}",
        f"{median(seconds):.2f}, {max(seconds):.2f}",
        sum(item.refused_by_n8n is not None for item in made),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _mean(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
