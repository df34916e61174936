"""Plans that read outputs of nodes, each with a variant whose reads stay empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import registry_from

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("data_flow_plans.jsonl").read_text().splitlines()
]
# n8n's example of a fetched issue is not complete, so nothing is claimed of its other fields.
NOT_CLAIMED = {"linear fields"}


@pytest.fixture(scope="module")
def installed_registry(catalog_file: Path) -> Registry:
    """The tools of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


def _count_findings(plan: Any, known: Registry) -> int:
    """Returns how many empty reads of a plan are reported or corrected."""
    result = compile_draft(plan, N8N, known, CompileOptions())
    reported = [d for d in result.diagnostics if d.code in ("N8N330", "N8N359")]
    corrected = [d for d in result.corrections if "the field" in d.message]
    return len(reported) + len(corrected)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"].replace(" ", "-"))
def test_empty_reads_are_found_and_others_are_not(
    pair: dict[str, Any], installed_registry: Registry
) -> None:
    """The slip is reported or corrected, and the right plan has no such finding."""
    assert _count_findings(pair["right"], installed_registry) == 0
    count = _count_findings(pair["slip"], installed_registry)
    assert count == 0 if pair["name"] in NOT_CLAIMED else count > 0
