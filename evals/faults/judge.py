"""Compiles a document and returns its findings; only this module imports the compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evals.faults.fault import Route
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import registry_from

Judge = Callable[[Any], "list[Finding]"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic; its gravity is wrong, incomplete or advice."""

    code: str
    gravity: str
    at: Route
    node: str | None
    token: str | None
    message: str


def judge_over(catalog: bytes) -> Judge:
    """Returns a judge that compiles each document against a catalog file."""
    registry = registry_from(catalog)
    options = CompileOptions()

    def list_findings(document: Any) -> list[Finding]:
        return [
            Finding(
                diagnostic.code,
                diagnostic.rule.kind,
                diagnostic.at,
                diagnostic.node,
                diagnostic.token,
                diagnostic.message,
            )
            for diagnostic in compile_draft(document, N8N, registry, options).diagnostics
        ]

    return list_findings
