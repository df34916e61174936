"""Defines the class of rules (code, name, severity, stage), and reads the help page of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Severity = Literal["error", "warning", "info"]
Kind = Literal["wrong", "incomplete", "advice"]
Stage = Literal["parse", "resolve", "check", "build", "import", "run"]

_STAGE_BY_DIGIT: dict[str, Stage] = {
    "1": "parse",
    "2": "resolve",
    "3": "check",
    "4": "build",
    "5": "import",
    "6": "run",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code never changes meaning and is never reused.

    ``kind`` determines the verdict of a diagnostic; ``error_type`` is the type in the short form of
    a report.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    kind: Kind
    error_type: str

    @classmethod
    def wrong(cls, code: str, name: str, error_type: str, summary: str) -> Rule:
        """Returns a rule whose finding means that the document cannot work."""
        return cls(code, name, summary, "error", "wrong", error_type)

    @classmethod
    def incomplete(cls, code: str, name: str, error_type: str, summary: str) -> Rule:
        """Returns a rule whose finding only a person can resolve."""
        return cls(code, name, summary, "warning", "incomplete", error_type)

    @classmethod
    def advice(cls, code: str, name: str, error_type: str, summary: str) -> Rule:
        """Returns a rule whose finding works, but could be better."""
        return cls(code, name, summary, "warning", "advice", error_type)

    @classmethod
    def info(cls, code: str, name: str, summary: str) -> Rule:
        """Returns a rule whose finding is a note."""
        return cls(code, name, summary, "info", "advice", "Note")

    @property
    def stage(self) -> Stage:
        """The pipeline stage, from the first digit of the code."""
        return _STAGE_BY_DIGIT[self.code[-3]]


@cache
def read_page(code: str) -> str:
    """Returns the text of the page of a rule."""
    return files(__package__).joinpath(f"pages/{code}.md").read_text("utf-8")
