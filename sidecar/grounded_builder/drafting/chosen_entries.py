"""Brings the outcome of a conversation up to date after entries of lists were chosen in it."""

from __future__ import annotations

from dataclasses import replace

from grounded_builder.compiler.pipeline import Compilation, open_points
from grounded_builder.drafting.conversation import Outcome
from grounded_builder.drafting.summary import describe_todo

_SHOWN = 3


def with_chosen_entries(outcome: Outcome, chosen: Compilation) -> Outcome:
    """Returns an outcome with a compilation in which entries were chosen.

    Points of the to-do list that were settled are left out, and the summary counts the others.
    """
    before = outcome.compilation
    if before is None or chosen is before:
        return outcome
    settled = frozenset(open_points(before.diagnostics))
    rest = [point for point in outcome.todo if point not in settled]
    todo = tuple(dict.fromkeys((*open_points(chosen.diagnostics), *rest)))
    kind = outcome.outcome
    is_complete = chosen.verdict == "ok" and not rest and outcome.left_out is None
    if kind == "incomplete" and before.verdict != "ok" and is_complete:
        kind = "built"
    elif kind == "built" and chosen.verdict != "ok":
        kind = "incomplete"
    notes = chosen.corrections[len(before.corrections) :]
    text = _recount(outcome.summary, outcome.todo, todo)
    if notes:
        more = f"; and {len(notes) - _SHOWN} more" if len(notes) > _SHOWN else ""
        shown = "; ".join(note.message for note in notes[:_SHOWN])
        text = f"{text} Looked up in n8n: {shown}{more}."
    return replace(outcome, outcome=kind, summary=text, compilation=chosen, todo=todo)


def _recount(summary: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Returns a summary with the number of points that are open now.

    The points that a summary counts may be the first ones of the list only.
    """
    for count in range(len(before), 0, -1):
        counted = describe_todo(before[:count])
        if counted in summary:
            now = describe_todo(after)
            return summary.replace(counted if now else f"; {counted}", now, 1)
    return summary
