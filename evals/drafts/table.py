"""Formats the measurements of drafts as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from evals.drafts.measure import USERS_OWN, Outcome, Restored, reason
from evals.drafts.n8n_answers import Answer


def drafts_table(outcomes: Sequence[Outcome], unreadable: int) -> Iterator[str]:
    """How far n8n takes the drafts."""
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
    for name, has in (("at create", "created"), ("at publish, credentials aside", "published")):
        cells = [_share(sum(getattr(of(o), has) for o in outcomes), count) for of in columns]
        yield f"| {name} | {' | '.join(cells)} |"
    fine = [outcome for outcome in outcomes if outcome.verdict != "wrong"]
    passed = _share(sum(o.filled.published for o in fine), len(fine))
    after = _share(sum(o.after.published for o in fine), len(fine))
    yield f"| at publish, of those not called wrong | | {after} | {passed} |"
    yield ""
    yield "| why n8n still refuses | repaired | repaired, with placeholders |"
    yield "|---|---|---|"
    now = Counter(reason(o.after) for o in outcomes if not o.after.published)
    then = Counter(reason(o.filled) for o in outcomes if not o.filled.published)
    for why in sorted(now | then, key=lambda item: -now[item]):
        own = " (the user's own)" if why in USERS_OWN else ""
        yield f"| {why}{own} | {now[why]} | {then[why]} |"


def twins_table(totals: Restored, untold: Restored) -> Iterator[str]:
    """What of the corrupted twins is restored; ``untold`` without the notes of the nodes."""
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
        cells = (_share(of.types[fate], count) for of in (totals, untold))
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield "| edges | |"
    yield "|---|---|"
    yield f"| of the clean twins | {totals.edges:,} |"
    yield f"| of these, still in the corrupted ones | {totals.preserved:,} |"
    yield f"| of these, there after repair | {totals.mended:,} |"
    yield f"| drawn by repair, though neither has them | {totals.invented:,} |"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "0"
