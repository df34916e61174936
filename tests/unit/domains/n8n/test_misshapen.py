"""Declarations of parameters in forms that they should not have."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from grounded_builder.catalog.catalog_file import CatalogError, read_catalog
from grounded_builder.domains.n8n.catalog.contradictions import contradictions
from grounded_builder.domains.n8n.domain import N8N
from tests.support import catalogs
from tests.support.registries import registry_from
from tests.unit.domains.n8n.drafts import compile_workflow

_TYPES = (
    "string",
    "options",
    "multiOptions",
    "collection",
    "fixedCollection",
    "resourceLocator",
    "resourceMapper",
    "filter",
    "assignmentCollection",
    "notype",
)
_KEYS = ("options", "modes", "displayOptions", "typeOptions", "default", "validateType", "required")
_ODD: tuple[Any, ...] = (7, "x", [5], [{}], {"a": 1}, {"show": 3}, {"show": {"resource": 5}})
_DEEP: tuple[dict[str, Any], ...] = (
    {"options": [{"name": "v", "values": 7}]},
    {"options": [{"name": "v", "type": "options", "options": 7}]},
    {"options": [{"name": "v", "displayOptions": {"show": {"resource": [{"_cnd": 4}]}}}]},
    {"options": [{"name": "v", "values": [{"name": "w", "type": "filter", "typeOptions": 7}]}]},
    {"displayOptions": {"show": {"resource": [{"_cnd": {"regex": "("}}]}}},
    {"typeOptions": {"filter": 4, "resourceMapper": 4, "multipleValues": 4}},
)


def _with(parameter: dict[str, Any]) -> bytes:
    lines = catalogs.acme()
    for variant in next(line for line in lines if line.get("id") == catalogs.MAIL)["variants"]:
        variant["parameters"].append(parameter)
    return catalogs.jsonl(lines)


@pytest.mark.long
@pytest.mark.parametrize("kind", _TYPES)
def test_malformed_declaration_does_not_stop_checks(kind: str) -> None:
    """Malformed parts of a parameter prevent neither a check nor a prompt."""
    single: list[dict[str, Any]] = [{key: odd} for key, odd in itertools.product(_KEYS, _ODD)]
    for facts in (*single, *_DEEP):
        registry = registry_from(_with({"name": "o", "type": kind, **facts}))
        for value in ("x", {"v": {"w": 1}}):
            draft = catalogs.workflow()
            draft["nodes"][1]["parameters"]["o"] = value
            made = compile_workflow(draft, known=registry)
            assert made.verdict in ("ok", "incomplete", "wrong"), facts
        assert N8N.prompting.parameter_outline(registry.spec(catalogs.MAIL, 2), {}) is not None


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"type": "options", "options": 7}, '"o": its options are no list of objects'),
        ({"type": "string", "displayOptions": 7}, '"o": its displayOptions are no object'),
        (
            {"type": "collection", "options": [{"name": "v", "type": "string", "typeOptions": 7}]},
            '"o.v": its typeOptions are no object',
        ),
    ],
)
def test_a_part_in_another_form_is_reported(facts: dict[str, Any], expected: str) -> None:
    """Parts of a declaration that are not read are reported when the catalog is loaded."""
    registry = registry_from(_with({"name": "o", **facts}))
    text = "\n".join(contradictions(registry.tool(catalogs.MAIL)))
    assert expected in text


@pytest.mark.parametrize(
    ("parameter", "place"),
    [
        ({"name": "o", "type": 5}, "parameters/2/type"),
        ({"type": "string"}, "parameters/2/name"),
    ],
)
def test_a_parameter_without_name_or_type_is_named(parameter: Any, place: str) -> None:
    """A catalog with one is refused, with the line, the tool and the place of the parameter."""
    lines = catalogs.acme()
    tool = next(line for line in lines if line.get("id") == catalogs.HOOK)
    tool["variants"][0]["parameters"].append(parameter)
    with pytest.raises(CatalogError) as caught:
        read_catalog(catalogs.jsonl(lines))
    (problem,) = caught.value.problems
    assert (problem.line, catalogs.HOOK in problem.message) == (2, True)
    assert place in problem.message
