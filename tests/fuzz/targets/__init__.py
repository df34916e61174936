"""Every target by its name, in the order in which they are run."""

from __future__ import annotations

from tests.fuzz.target import Target
from tests.fuzz.targets import drafts, files, interfaces, texts

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (*drafts.TARGETS, *texts.TARGETS, *files.TARGETS, *interfaces.TARGETS)
}
