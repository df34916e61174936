"""Laws of the validator over every type of parameter with any value."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grounded_builder.diagnostics import Diagnostic, Route
from tests.support.catalogs import MAIL, MAIL_LOGIN, MODEL_LOGIN
from tests.unit.domains.n8n.drafts import (
    CODE,
    MODEL,
    PICKY,
    START,
    STEP,
    Line,
    compile_workflow,
    node,
    registry,
    tool,
    workflow,
)
from tests.unit.domains.n8n.parameters.parameter_cases import choice, declare, when

ALL = "acme-nodes.everything"
_SEVERAL = {"multipleValues": True}
_PAIR = [declare("key", required=True), declare("value", "number", 0)]
_REGEX = {"type": "regex", "properties": {"regex": "[0-9]+"}}
_LOCATOR_MODES = [{"name": "id", "type": "string", "validation": [_REGEX]}]
PARAMETERS = [
    choice("resource", ["message", "draft"]),
    choice("operation", ["send", "get"], displayOptions=when(resource="message")),
    choice("operation", ["create"], displayOptions=when(resource="draft")),
    declare("text", required=True, displayOptions=when(operation="send")),
    declare("count", "number", 1, typeOptions={"minValue": 1, "maxValue": 9}),
    declare("active", "boolean", default=False),
    declare("at", "dateTime"),
    declare("body", "json"),
    declare("shade", "color"),
    declare("names", typeOptions=_SEVERAL, default=[]),
    declare("target", "resourceLocator", {"mode": "id", "value": ""}, modes=_LOCATOR_MODES),
    choice("several", ["a", "b"]) | {"type": "multiOptions", "default": []},
    declare("options", "collection", {}, options=[declare("limit", "number", 5), declare("note")]),
    declare(
        "rows",
        "fixedCollection",
        {},
        typeOptions=_SEVERAL,
        options=[{"name": "row", "displayName": "Row", "values": _PAIR}],
    ),
    declare(
        "single",
        "fixedCollection",
        {},
        options=[{"name": "pair", "displayName": "Pair", "values": _PAIR}],
    ),
    declare("conditions", "filter", {}, typeOptions={"filter": {"version": 2}}),
    declare("set", "assignmentCollection", {}),
    declare("columns", "resourceMapper", {"mappingMode": "defineBelow", "value": None}),
]
NAMES = [*dict.fromkeys(str(parameter["name"]) for parameter in PARAMETERS)]
KNOWN = registry(tool(ALL, parameters=PARAMETERS))
WORDS = st.sampled_from(
    [
        *("message", "send", "draft", "create", "a", "2026-01-01", "#ff0000", "12", "true", ""),
        *("={{ $json.a }}", "={{ $('Start').item }}", "={{", "={{ (", '{"a": 1}', '{"a": '),
        *("\ud800", "x" * 3000, "constructor", "__proto__", "NaN", "1e999"),
    ]
)
KEYS = st.sampled_from(
    [
        *("value", "mode", "__rl", "row", "pair", "key", "limit", "note", "conditions", "options"),
        *("operator", "type", "operation", "combinator", "assignments", "name", "leftValue"),
        *(
            "rightValue",
            "singleValue",
            "mappingMode",
            "schema",
            "cachedResultName",
            "",
            "__proto__",
        ),
    ]
)
ATOMS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, KEYS)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=14,
)
GIVEN = st.dictionaries(st.one_of(st.sampled_from(NAMES), KEYS), JSON, max_size=6)
PATIENT = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.long
@PATIENT
@given(GIVEN, JSON)
@example({"rows": {"row": [None]}, "conditions": {"conditions": [None]}}, {"acmeMailApi": [1]})
@example({"target": {"__rl": True, "mode": {}, "value": []}, "several": [{}]}, [[]])
def test_no_value_of_any_parameter_makes_the_validator_fail(given_: Any, credentials: Any) -> None:
    """Every JSON value in every type of parameter gets a verdict, and the same one again."""
    draft = _between(node("All", ALL, given_, credentials=credentials))
    first, second = compile_workflow(draft, known=KNOWN), compile_workflow(draft, known=KNOWN)
    assert first.verdict in ("ok", "incomplete", "wrong")
    assert first.diagnostics == second.diagnostics


@pytest.mark.long
@PATIENT
@given(st.lists(GIVEN, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_verdict_does_not_depend_on_the_order_of_nodes(given_: Any, chance: Any) -> None:
    """Nodes and the keys of the connections in another order get the same findings, each in place.

    A place goes by the node's name: its index is what the order changes.
    """
    nodes = [node(f"All {at}", ALL, values) for at, values in enumerate(given_)]
    draft = _between(*nodes)
    shuffled = {**draft, "nodes": chance.sample(draft["nodes"], len(draft["nodes"]))}
    keys = chance.sample(list(draft["connections"]), len(draft["connections"]))
    shuffled["connections"] = {key: draft["connections"][key] for key in keys}
    straight, other = compile_workflow(draft, known=KNOWN), compile_workflow(shuffled, known=KNOWN)
    assert straight.verdict == other.verdict
    assert _reports_by_node(straight.diagnostics, draft) == _reports_by_node(
        other.diagnostics, shuffled
    )


# A fault in one node: the changes of the node, and the code that it is found by.
FAULTS: dict[str, tuple[str, Line, str]] = {
    "type": ("Step", {"type": "acme-nodes.nonsuch"}, "GB201"),
    "version": ("Picky", {"typeVersion": 77}, "GB205"),
    "version text": ("Mail", {"typeVersion": "2"}, "N8N103"),
    "option": ("All", {"parameters": {"resource": "nonsuch"}}, "GB305"),
    "object": ("All", {"parameters": {"text": {"a": 1}}}, "GB304"),
    "missing": ("All", {"parameters": {}}, "GB301"),
    "ghost": ("Step", {"parameters": {"text": "={{ $('Ghost').item }}"}}, "N8N322"),
    "syntax": ("Step", {"parameters": {"text": "={{ (1 + }}"}}, "N8N321"),
    "code": ("Code", {"parameters": {"jsCode": "const = 1;"}}, "N8N321"),
    "credential": ("Mail", {"credentials": {MODEL_LOGIN: {"id": "1", "name": "x"}}}, "N8N304"),
    "no credential": ("Mail", {"credentials": {}}, "N8N303"),
    "node key": ("Code", {"colour": "red"}, "N8N101"),
    "position": ("Step", {"position": "left"}, "N8N103"),
}


def test_the_workflow_without_faults_has_none() -> None:
    """The workflow into which the faults are put has no finding."""
    assert compile_workflow(_sound(), known=KNOWN).verdict == "ok"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_in_its_node(name: str) -> None:
    """Each fault alone is found under its code, in the node that it is in."""
    holder, _, code = FAULTS[name]
    assert (code, holder) in _codes(_with(name))


def test_a_fault_is_never_masked_by_another_nodes() -> None:
    """Of two and three faults in different nodes each is found as if it were alone."""
    for size in (2, 3):
        for names in combinations(FAULTS, size):
            holders = {FAULTS[name][0] for name in names}
            if len(holders) == size:
                codes = _codes(_with(*names))
                expected = {(FAULTS[name][2], FAULTS[name][0]) for name in names}
                assert expected <= codes, names


def test_a_fault_is_not_masked_by_a_broken_edge_or_a_second_node_like_it() -> None:
    """Findings stay where an edge dangles, and where the same fault is in a copy of the node."""
    for name, (holder, change, code) in FAULTS.items():
        draft = _with(name)
        draft["connections"][holder] = {"main": [[{"node": "Gone", "type": "main", "index": 0}]]}
        copied = next(item for item in draft["nodes"] if item["name"] == holder)
        draft["nodes"].append({**copied, **change, "name": "Copy", "id": "copy"})
        codes = _codes(draft)
        assert {(code, holder), (code, "Copy")} <= codes, name
        assert any(item == "GB313" for item, _ in codes), name


def _sound() -> Line:
    login = {MAIL_LOGIN: {"id": "1", "name": "Mail"}}
    sending = {"resource": "message", "operation": "send", "to": "a@b.c"}
    nodes = [
        node("Start", START),
        node("All", ALL, {"text": "x", "target": {"__rl": True, "mode": "id", "value": "1"}}),
        node("Step", STEP, {"text": "={{ $json.a }}"}),
        node("Code", CODE, {"jsCode": "return [];"}),
        node("Mail", MAIL, sending, typeVersion=2, credentials=login),
        node("Picky", PICKY),
        node("Brain", MODEL),
    ]
    line = ["Start", "All", "Step", "Code", "Mail", "Picky"]
    edges: list[Any] = list(pairwise(line))
    model = ("Brain", "ai_languageModel", 0, "Picky", "ai_languageModel", 0)
    return workflow(nodes, [*edges, model])


def _with(*names: str) -> Line:
    draft: Line = json.loads(json.dumps(_sound()))
    for name in names:
        holder, change, _ = FAULTS[name]
        next(item for item in draft["nodes"] if item["name"] == holder).update(change)
    return draft


def _codes(draft: Line) -> set[tuple[str, str]]:
    """Codes of what is wrong or open, each with the name of the node that its route leads to."""
    return {
        (diagnostic.code, draft["nodes"][index]["name"] if diagnostic.at[0] == "nodes" else "")
        for diagnostic in compile_workflow(draft, known=KNOWN).diagnostics
        if diagnostic.rule.kind != "advice" and len(diagnostic.at) > 1
        for index in [diagnostic.at[1] if isinstance(diagnostic.at[1], int) else 0]
    }


def _between(*nodes: Line) -> Line:
    """A trigger, then the nodes in a row."""
    names = ["Start", *(str(item["name"]) for item in nodes)]
    return workflow([node("Start", START), *nodes], list(pairwise(names)))


def _reports_by_node(
    diagnostics: tuple[Diagnostic, ...], draft: Line
) -> list[tuple[str, str, str]]:
    names: dict[Route, str] = {
        ("nodes", at): str(item["name"]) for at, item in enumerate(draft["nodes"])
    }
    return sorted(
        (
            diagnostic.code,
            f"{names.get(diagnostic.at[:2], diagnostic.at[:2])} {diagnostic.at[2:]}",
            diagnostic.message,
        )
        for diagnostic in diagnostics
    )
