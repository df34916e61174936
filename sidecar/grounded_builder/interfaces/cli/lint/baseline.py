"""Reads and writes baselines of accepted findings, so that the linter shows only new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.diagnostic import finding_key

_VERSION = 1


class BaselineError(ValueError):
    """A file that is not a baseline; the message names it."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each finding was accepted, by file and fingerprint."""

    accepted: Mapping[str, Mapping[str, int]]

    def fresh(
        self, file: str, diagnostics: tuple[Diagnostic, ...]
    ) -> tuple[tuple[Diagnostic, ...], int]:
        """Returns the findings of a file that were not accepted, and the number accepted."""
        left = Counter(self.accepted.get(file, {}))
        remaining = []
        for diagnostic in diagnostics:
            key = finding_key(diagnostic)
            if left[key] > 0:
                left[key] -= 1
            else:
                remaining.append(diagnostic)
        return tuple(remaining), len(diagnostics) - len(remaining)


def read_baseline(file: Path) -> Baseline:
    """Returns the baseline in a file; raises BaselineError where there is none."""
    try:
        content = orjson.loads(file.read_bytes())
    except OSError as error:
        raise BaselineError(f"{file}: {error.strerror}; make it with --write-baseline") from error
    except orjson.JSONDecodeError as error:
        raise BaselineError(f"{file} is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        raise BaselineError(f"{file} is not a baseline of version {_VERSION}")
    files = content.get("findings")
    if not isinstance(files, dict) or not all(_are_counts(counts) for counts in files.values()):
        raise BaselineError(f'{file}: "findings" does not map each file to counts of findings')
    return Baseline(files)


def write_baseline(file: Path, findings: Iterable[tuple[str, tuple[Diagnostic, ...]]]) -> int:
    """Accepts all findings, given by file name; returns their number."""
    counts = {
        name: dict(sorted(Counter(map(finding_key, diagnostics)).items()))
        for name, diagnostics in sorted(findings)
        if diagnostics
    }
    content = {"version": _VERSION, "findings": counts}
    file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return sum(sum(file_counts.values()) for file_counts in counts.values())


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(count, int) and not isinstance(count, bool) for count in value.values()
    )
