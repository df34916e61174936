"""Defines fuzz targets: a function over bytes, its first inputs, and the time limit of a case.

A target raises only the exceptions that it declares; every other one is a fault of the program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 4_000

Form = Literal["json", "lines", "text", "bytes"]


class SlowCaseError(AssertionError):
    """A case that took more processor time than its target allows."""


@dataclass(frozen=True, slots=True)
class Target:
    """One entrance for outside data; ``run`` raises AssertionError where a law is broken.

    ``form`` chooses how inputs are changed; ``seconds`` is processor time, which a busy machine
    does not lengthen; ``quick`` is the number of cases in the quick share.
    """

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    form: Form = "json"
    seconds: float = 4.0
    quick: int = 300

    def list_saved_inputs(self) -> list[Path]:
        """The files of the saved corpus, each of which once showed a fault."""
        folder = CORPUS / self.name
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def check(self, data: bytes) -> None:
        """Run one case and hold it to its time; SlowCaseError states how long it took."""
        began = time.process_time()
        self.run(data)
        spent = time.process_time() - began
        if spent > self.seconds:
            raise SlowCaseError(f"{self.name}: {spent:.1f} s of processor time for one case")
