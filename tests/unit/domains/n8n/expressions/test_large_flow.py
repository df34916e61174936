"""Fields and choices of paths are followed through large workflows in linear time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.analysis.transfers import json_names
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import acme, add_end_line, jsonl
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.registries import registry_from
from tests.unit.domains.n8n.drafts import MAIN, STEP, node, text, tool, workflow

_IF = "n8n-nodes-base.if"
_SET = "n8n-nodes-base.aggregate"
_CHAIN = "@n8n/n8n-nodes-langchain.chainLlm"
_MODEL = "acme-nodes.model"
_HEAD, *_ = acme()
_ALL = [{"name": "x", "value": "aggregateAllItemData"}]
_LINES = [
    _HEAD,
    tool(STEP, parameters=[text("text")]),
    tool(_IF, outputs=[{"kind": "main"}, {"kind": "main"}], parameters=[text("value1")]),
    tool(
        _SET,
        parameters=[
            {"name": "aggregate", "type": "options", "default": _ALL[0]["value"], "options": _ALL},
            text("destinationFieldName"),
        ],
    ),
    tool(_CHAIN, inputs=[*MAIN, {"kind": "ai_languageModel"}], versions=[1.5]),
    tool(_MODEL, inputs=[], outputs=[{"kind": "ai_languageModel"}], parameters=[text("text")]),
]
_KNOWN = registry_from(jsonl(add_end_line(_LINES)))


def _compile(draft: dict[str, Any]) -> list[str]:
    return [d.code for d in compile_draft(draft, N8N, _KNOWN, CompileOptions()).diagnostics]


def _make_giver(name: str) -> dict[str, Any]:
    return node(name, _SET, {"destinationFieldName": "known"})


def _read(name: str, *expressions: str) -> dict[str, Any]:
    return node(name, STEP, {"text": "=" + " ".join(f"{{{{ {code} }}}}" for code in expressions)})


def _choices(size: int) -> dict[str, Any]:
    """Choosing nodes in a row with both outputs to the next, and a node that reads each of them."""
    choices = [node(f"I{number}", _IF) for number in range(size)]
    reads = _read("R", *(f"$('I{number}').item.json.a" for number in range(size)))
    names = [*(item["name"] for item in choices), "R"]
    draft = workflow([*choices, reads], list(pairwise(names)))
    for source, target in pairwise(names):
        link = [{"node": target, "type": "main", "index": 0}]
        draft["connections"][source]["main"] = [link, link]
    return draft


def _hub(size: int) -> dict[str, Any]:
    """Many nodes lead to one, which leads to as many that read an absent field."""
    before = [_make_giver(f"B{number}") for number in range(size)]
    after = [_read(f"A{number}", "$json.absent") for number in range(size)]
    edges = [(item["name"], "Hub") for item in before] + [("Hub", item["name"]) for item in after]
    return workflow([*before, _make_giver("Hub"), *after], edges)


def _make_joined_workflow(size: int) -> dict[str, Any]:
    """Many nodes lead to one that reads as many absent fields."""
    before = [_make_giver(f"B{number}") for number in range(size)]
    reads = _read("R", *(f"$json.absent{number}" for number in range(size)))
    return workflow([*before, reads], [(item["name"], "R") for item in before])


def _make_served_workflow(size: int) -> dict[str, Any]:
    """A sub-node serves many nodes and reads as many absent fields."""
    chains = [node(f"C{number}", _CHAIN) for number in range(size)]
    model = node("M", _MODEL, {"text": ""})
    model["parameters"] = _read("", *(f"$json.absent{number}" for number in range(size)))[
        "parameters"
    ]
    edges = [("S", item["name"]) for item in chains]
    draft = workflow([_make_giver("S"), *chains, model], edges)
    links = [{"node": item["name"], "type": "ai_languageModel", "index": 0} for item in chains]
    draft["connections"]["M"] = {"ai_languageModel": [links]}
    return draft


@pytest.mark.parametrize("text_", ["[" * 5_000, '={"a": ' * 5_000])
def test_fields_of_deep_json_are_unknown(text_: str) -> None:
    """A text that is nested beyond what Python reads ends no compile."""
    assert json_names(text_) is None


@pytest.mark.parametrize("make", [_hub, _make_joined_workflow, _make_served_workflow])
def test_absent_fields_are_reported(make: Callable[[int], dict[str, Any]]) -> None:
    """The fields are known to be absent, so that each read is a finding."""
    assert "N8N330" in _compile(make(20))


def _make_mistaken_workflow(size: int) -> dict[str, Any]:
    """A text reads a field under a wrong name, again and again."""
    return workflow([_make_giver("S"), _read("R", *["$json.Known"] * size * 10)], [("S", "R")])


@pytest.mark.long
@pytest.mark.parametrize(
    "make", [_choices, _hub, _make_joined_workflow, _make_served_workflow, _make_mistaken_workflow]
)
def test_the_time_of_reads_grows_with_their_count(make: Callable[[int], dict[str, Any]]) -> None:
    """Each read of a node or field takes the same time, however large the workflow is."""
    measure = partial(find_growth_fault, _compile, make, shortest=3_200, longest=3_200)
    assert confirm_fault(measure) == ""
