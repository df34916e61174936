"""Formats the measurements of drafts as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from evals.drafts.measure import USERS_OWN, Outcome, Restored, find_reason
from evals.drafts.n8n_answers import Answer


def format_drafts_table(outcomes: Sequence[Outcome], unreadable: int) -> Iterator[str]:
    """Yields a table of how many drafts n8n accepts, and of its reasons."""
    count = len(outcomes)
    yield f"{count} drafts hold a workflow, {unreadable} do not."
    yield ""
    yield "| n8n accepts | as written | repaired | repaired, with placeholders |"
    yield "|---|---|---|---|"
    columns: list[Callable[[Outcome], Answer]] = [
        lambda item: item.before,
        lambda item: item.after,
        lambda item: item.filled,
    ]
    for name, has in (
        ("at create", "created"),
        ("at publish, with stand-in credentials", "published"),
    ):
        cells = [_format_share(sum(getattr(of(o), has) for o in outcomes), count) for of in columns]
        yield f"| {name} | {' | '.join(cells)} |"
    fine = [outcome for outcome in outcomes if outcome.verdict != "wrong"]
    passed = _format_share(sum(o.filled.published for o in fine), len(fine))
    after = _format_share(sum(o.after.published for o in fine), len(fine))
    yield f"| at publish, of those not wrong | | {after} | {passed} |"
    yield ""
    yield "| why n8n still refuses | repaired | repaired, with placeholders |"
    yield "|---|---|---|"
    now = Counter(find_reason(o.after) for o in outcomes if not o.after.published)
    then = Counter(find_reason(o.filled) for o in outcomes if not o.filled.published)
    for why in sorted(now | then, key=lambda item: -now[item]):
        own = " (the user's own)" if why in USERS_OWN else ""
        yield f"| {why}{own} | {now[why]} | {then[why]} |"


def format_twins_table(totals: Restored, untold: Restored) -> Iterator[str]:
    """Yields a table of what repair restores in twins; ``untold`` has no notes on the nodes."""
    yield "| corrupted types | with their notes | without |"
    yield "|---|---|---|"
    count = sum(totals.types.values()) - totals.types["intact, changed"]
    rows = (
        ("restored as in the clean twin", "restored"),
        ("left as they are", "left"),
        ("left, the clean type is not installed", "left, not installed"),
        ("restored wrongly", "wrong"),
        ("intact types changed", "intact, changed"),
    )
    for name, fate in rows:
        cells = (_format_share(of.types[fate], count) for of in (totals, untold))
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield "| edges | |"
    yield "|---|---|"
    yield f"| of the clean twins | {totals.edges:,} |"
    yield f"| of these, still in the corrupted ones | {totals.preserved:,} |"
    yield f"| of these, present after repair | {totals.mended:,} |"
    yield f"| added by repair, present in neither | {totals.invented:,} |"


def _format_share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "0"
