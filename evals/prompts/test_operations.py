"""Tests the share of needed operations that first prompts show for 60 requests."""

from __future__ import annotations

import statistics

from evals.prompts.operations import measure_request, read_requests
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_LEAST_SHARE = 0.97
_MOST_TOKENS = 2_900
_MOST_UNUSED = 0.5


def test_prompts_show_the_operations_that_requests_need() -> None:
    """97 % of the needed operations are shown with their parameters, in prompts of limited size."""
    registry = registry_from(provide_catalog().read_bytes())
    results = [measure_request(item, registry) for item in read_requests()]
    shown, needs = sum(r.shown for r in results), sum(r.needs for r in results)
    assert shown / needs >= _LEAST_SHARE, [r.absent for r in results if r.absent]
    assert statistics.mean(r.tokens for r in results) <= _MOST_TOKENS
    assert sum(r.unused for r in results) / sum(r.tokens for r in results) <= _MOST_UNUSED
