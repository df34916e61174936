"""What a plan says of releases that is none, or too old to build for."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.catalog.releases import place_of
from grounded_builder.domains.simulink.check.minimum_release import old_release
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.reading import MALFORMED_STEP


def told_releases(plan: Plan) -> Iterator[Diagnostic]:
    """Find what stands for a release and names none, or one before those that are built for."""
    entries: set[str] = set()
    for step in plan.steps:
        if step.release in entries or not step.release:
            continue
        entries.add(step.release)
        if place_of(step.release) is not None:
            yield from old_release(step.release)
            continue
        yield new_diagnostic(
            MALFORMED_STEP,
            step.at,
            f'"{step.release[:40]}" is no release',
            help='write a release by its name, such as "R2019b"',
            node=step.id,
            token=step.release[:40],
        )
