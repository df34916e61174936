"""Names of fields that n8n's nodes demand in their code."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters.account_values import is_account_value
from grounded_builder.domains.n8n.parameters.properties import Property
from tests.unit.domains.n8n.drafts import compile_workflow, registry, tool
from tests.unit.domains.n8n.parameters.parameter_cases import choice, declare, when

MERGE = "n8n-nodes-base.merge"
SORT = "n8n-nodes-base.sort"
_BY_NAMES = {"mode": "combine", "combineBy": "combineByFields"}
_PAIR = {
    "displayName": "Values",
    "name": "values",
    "values": [declare("field1"), declare("field2")],
}
_KEY = {"displayName": "Field", "name": "sortField", "values": [declare("fieldName")]}
KNOWN = registry(
    tool(
        MERGE,
        parameters=[
            choice("mode", ["append", "combine"]),
            choice(
                "combineBy",
                ["combineByFields", "combineByPosition"],
                displayOptions=when(mode="combine"),
            ),
            declare("advanced", "boolean", False, displayOptions=when(**_BY_NAMES)),
            declare("fieldsToMatchString", displayOptions=when(**_BY_NAMES, advanced=False)),
            declare(
                "mergeByFields",
                "fixedCollection",
                {"values": [{"field1": "", "field2": ""}]},
                typeOptions={"multipleValues": True},
                options=[_PAIR],
                displayOptions=when(**_BY_NAMES, advanced=True),
            ),
        ],
    ),
    tool(
        SORT,
        parameters=[
            choice("type", ["simple", "random"]),
            declare(
                "sortFieldsUi",
                "fixedCollection",
                {},
                typeOptions={"multipleValues": True},
                options=[_KEY],
                displayOptions=when(type="simple"),
            ),
        ],
    ),
)


def _list_empty_fields(type_: str, params: dict[str, Any]) -> list[str | None]:
    node = {"id": "1", "name": "A", "type": type_, "typeVersion": 1, "position": [0, 0]}
    draft = {"name": "T", "nodes": [node | {"parameters": params}], "connections": {}}
    return [d.token for d in compile_workflow(draft, known=KNOWN).diagnostics if d.code == "GB301"]


@pytest.mark.parametrize(
    ("type_", "params", "token"),
    [
        (MERGE, {"mode": "combine"}, "fieldsToMatchString"),
        (MERGE, {"mode": "combine", "fieldsToMatchString": " "}, "fieldsToMatchString"),
        (MERGE, {"mode": "combine", "advanced": True}, "mergeByFields"),
        (SORT, {}, "sortFieldsUi"),
        (SORT, {"sortFieldsUi": {"sortField": []}}, "sortFieldsUi"),
    ],
)
def test_a_node_that_reads_fields_needs_their_names(
    type_: str, params: dict[str, Any], token: str
) -> None:
    """It throws in every run without them."""
    assert _list_empty_fields(type_, params) == [token]


@pytest.mark.parametrize(
    ("type_", "params"),
    [
        (MERGE, {"mode": "append"}),
        (MERGE, {"mode": "combine", "combineBy": "combineByPosition"}),
        (MERGE, {"mode": "combine", "fieldsToMatchString": "id, name"}),
        (MERGE, {"mode": "combine", "fieldsToMatchString": "={{ $json.key }}"}),
        (SORT, {"type": "random"}),
        (SORT, {"sortFieldsUi": {"sortField": [{"fieldName": "age"}]}}),
    ],
)
def test_other_settings_need_none(type_: str, params: dict[str, Any]) -> None:
    """A parameter that is not shown is not read."""
    assert _list_empty_fields(type_, params) == []


@pytest.mark.parametrize(
    ("label", "resource", "is_own"),
    [("Model ID", "", True), ("Card ID", "card", False), ("ID", "", False), ("Note", "", False)],
)
def test_a_plain_id_is_named_by_its_label(label: str, resource: str, *, is_own: bool) -> None:
    """A parameter called ``id`` holds the id of what its label names."""
    raw = declare("id", displayName=label)
    prop = Property(
        name="id",
        type="string",
        raw=raw,
        condition=True,
        options={},
        default="",
        multiple=None,
        filled=str,
    )
    assert is_account_value(prop, resource) is is_own
