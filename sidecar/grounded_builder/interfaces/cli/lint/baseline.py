"""Findings accepted once: a linter then tells only what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.finding_key import fingerprint

_VERSION = 1


class BaselineError(ValueError):
    """A file that is no baseline; the message names it."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each finding was accepted, by file and fingerprint."""

    accepted: Mapping[str, Mapping[str, int]]

    def fresh(
        self, file: str, diagnostics: tuple[Diagnostic, ...]
    ) -> tuple[tuple[Diagnostic, ...], int]:
        """Returns the findings of a file that were not accepted, and how many were."""
        left = Counter(self.accepted.get(file, {}))
        results = []
        for diagnostic in diagnostics:
            key = fingerprint(diagnostic)
            if left[key] > 0:
                left[key] -= 1
            else:
                results.append(diagnostic)
        return tuple(results), len(diagnostics) - len(results)


def read_baseline(file: Path) -> Baseline:
    """Returns the baseline in a file; raises BaselineError where there is none."""
    try:
        content = orjson.loads(file.read_bytes())
    except OSError as error:
        raise BaselineError(f"{file}: {error.strerror}; make it with --write-baseline") from error
    except orjson.JSONDecodeError as error:
        raise BaselineError(f"{file} is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        raise BaselineError(f"{file} is no baseline of version {_VERSION}")
    files = content.get("findings")
    if not isinstance(files, dict) or not all(_counts(item) for item in files.values()):
        raise BaselineError(f'{file}: "findings" is not a count for each finding of each file')
    return Baseline(files)


def write_baseline(file: Path, found: Iterable[tuple[str, tuple[Diagnostic, ...]]]) -> int:
    """Accepts all findings given by file name; returns their number."""
    findings = {
        name: dict(sorted(Counter(map(fingerprint, diagnostics)).items()))
        for name, diagnostics in sorted(found)
        if diagnostics
    }
    content = {"version": _VERSION, "findings": findings}
    file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return sum(sum(finding.values()) for finding in findings.values())


def _counts(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(count, int) and not isinstance(count, bool) for count in value.values()
    )
