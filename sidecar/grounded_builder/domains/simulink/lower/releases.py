"""Reports releases in a plan that are invalid or not supported."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.catalog.releases import find_release_order
from grounded_builder.domains.simulink.check.releases import check_minimum_release
from grounded_builder.domains.simulink.resolve.target import release_of
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.reading import MALFORMED_STEP


def check_stated_releases(plan: Plan) -> Iterator[Diagnostic]:
    """Finds texts that are not releases, and releases that are not supported."""
    entries: set[str] = set()
    for step in plan.steps:
        release = release_of(step.target)
        if release in entries or not release:
            continue
        entries.add(release)
        if find_release_order(release) is not None:
            yield from check_minimum_release(release)
            continue
        yield new_diagnostic(
            MALFORMED_STEP,
            step.at,
            f'"{release[:40]}" is not a release',
            help='write a release by its name, such as "R2019b"',
            node=step.id,
            token=release[:40],
        )
