"""Reports a draft for a release older than the first that build scripts support."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.catalog.releases import is_later

OLD_RELEASE = Rule.advice(
    "SLX354", "old-release", "UnsupportedVersion", "Build scripts need a later release."
)

# The first release that the build scripts and the toolbox support.
_FIRST = "R2019b"


def check_minimum_release(release: str) -> Iterator[Diagnostic]:
    """Yields a finding for a draft whose release is older than the first supported one."""
    if is_later(_FIRST, release):
        yield new_diagnostic(
            OLD_RELEASE,
            (),
            f"the model is for {release}, and build scripts need {_FIRST} or later",
            help=f"build it in {_FIRST} or later, and export it to {release}",
            token=release,
        )
