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
# The allowed loss of mean F1, and of results in requests.
_LESS_F1, _LESS_MADE = 0.02, 1


def format_table(made: Sequence[Made]) -> str:
    """Returns the figures by kind of request, and over all."""
    heads = (f"| {' | '.join(_HEADINGS)} |", f"|{'---|' * len(_HEADINGS)}")
    names = [*dict.fromkeys(item.kind for item in made), "all"]
    rows = (
        _format_row(name, [item for item in made if name in (item.kind, "all")]) for name in names
    )
    return "\n".join((*heads, *rows))


def summarize_figures(made: Sequence[Made]) -> dict[str, Any]:
    """Returns the figures with which a later run is compared."""
    accepted = [item for item in made if item.outcome != "refused"]
    return {
        "requests": len(made),
        "made": len(accepted),
        "f1": round(_average([item.f1 for item in made]), 3),
        "placed": sum(item.placed for item in made),
        "clauses": sum(item.clauses for item in made),
        "refused_by_n8n": sum(item.refused_by_n8n is not None for item in made),
    }


def find_regressions(made: Sequence[Made], before: Mapping[str, Any]) -> list[str]:
    """Returns the regressions from the stored figures; any refusal by n8n is one."""
    now = summarize_figures(made)
    results = [f"n8n refuses {now['refused_by_n8n']}"] if now["refused_by_n8n"] else []
    if before and now["requests"] == before["requests"]:
        if now["f1"] < before["f1"] - _LESS_F1:
            results.append(f"F1 is {now['f1']}, it was {before['f1']}")
        if now["made"] < before["made"] - _LESS_MADE:
            results.append(f"{now['made']} were made, it was {before['made']}")
    return results


def _format_row(name: str, made: Sequence[Made]) -> str:
    counts = [sum(item.outcome == kind for item in made) for kind in ("built", "incomplete")]
    accepted = [item for item in made if item.outcome != "refused"]
    clauses, placed = sum(item.clauses for item in made), sum(item.placed for item in made)
    seconds = [item.seconds for item in made]
    cells = [
        name, len(made), *counts, len(made) - len(accepted), f"{placed} of {clauses}",
        f"{_average([item.f1 for item in made]):.2f}",
        f"{_average([item.f1 for item in accepted]):.2f}",
        f"{_average([item.rounds for item in made]):.1f}",
        f"{sum(item.sent for item in made):,}, {sum(item.received for item in made):,}",
        f"{median(seconds):.2f}, {max(seconds):.2f}",
        sum(item.refused_by_n8n is not None for item in made),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _average(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
