"""Say of a release that what builds models needs a later one."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.simulink.catalog.releases import is_later

OLD_RELEASE = Rule.advice(
    "SLX354", "old-release", "UnsupportedVersion", "Build scripts need a later release."
)

# What the scripts and the toolbox are written for.
_FIRST = "R2019b"


def old_release(release: str, at: Route = ()) -> Iterator[Diagnostic]:
    """The finding for a draft that is for an older release than it can be built in."""
    if is_later(_FIRST, release):
        yield new_diagnostic(
            OLD_RELEASE,
            at,
            f"the model is for {release}, and what builds it here needs {_FIRST} or later",
            help=f"build it in {_FIRST} or later, and export it to {release} from there",
            token=release,
        )
