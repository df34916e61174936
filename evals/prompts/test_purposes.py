"""Tests that sentences about a purpose that name no tool find the tool."""

from __future__ import annotations

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.drafter_questions import Question, answer_questions
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_BASE = "n8n-nodes-base."
_LEAST_SHARE = 0.7
_PURPOSES = {
    "start a different workflow from this one": "executeWorkflow",
    "collect a field of all items into a single list": "aggregate",
    "drop items that do not match a condition": "filter",
    "make separate items of a nested list": "splitOut",
    "count items per group": "summarize",
    "start when an RSS feed is updated": "rssFeedReadTrigger",
    "write the items to a CSV file": "convertToFile",
    "start if one of our workflows crashes": "errorTrigger",
    "drop duplicate items": "removeDuplicates",
    "keep only the first items, up to a maximum number": "limit",
    "order items by a field": "sort",
    "zip some files": "compression",
    "rename the keys of the items": "renameKeys",
    "process the items in batches": "splitInBatches",
}


def test_purposes_lead_to_their_tools() -> None:
    """70 % of the answers to questions about a purpose show the tool for it."""
    registry = registry_from(provide_catalog().read_bytes())
    absent = [
        (purpose, tool)
        for purpose, tool in _PURPOSES.items()
        if _BASE + tool not in answer_questions([Question(find=purpose)], N8N, registry, ()).tools
    ]
    assert 1 - len(absent) / len(_PURPOSES) >= _LEAST_SHARE, absent
