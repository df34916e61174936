"""What a plan says of releases that is none."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.domains.simulink.releases import place_of
from grounded_builder.plan import Plan


def unread_releases(plan: Plan) -> Iterator[Diagnostic]:
    """Find texts that stand for a release and name none: nothing would be bounded by them."""
    told: set[str] = set()
    for step in plan.steps:
        if step.release in told or not step.release or place_of(step.release) is not None:
            continue
        told.add(step.release)
        yield found(
            "GB111",
            step.at,
            f'"{step.release[:40]}" is no release',
            help='write a release by its name, such as "R2019b"',
            node=step.id,
            token=step.release[:40],
        )
