"""Values of another type than declared are wrong, accepted with advice, or corrected."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import add_end_line, header, jsonl
from tests.support.registries import registry_from
from tests.unit.domains.n8n.parameters.parameter_cases import choice, codes, declare, findings, when

SEVERAL = {"multipleValues": True}
LOADED = {"loadOptionsMethod": "getThem"}


def _fix(expected: list[Any]) -> Any:
    fix = expected[0].fix
    return fix.edits[0].value if fix is not None and fix.safe else None


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (declare("x", "boolean", False), "yes"),
        (declare("x", "boolean", False), "false"),
        (declare("x", "boolean", False), ["true"]),
        (declare("x", "number", 0), True),
        (declare("x", "number", 0), {"a": 1}),
        (declare("x", "string"), {"a": 1}),
        (declare("x", "string"), ["a"]),
        (declare("x", "dateTime"), "tomorrow"),
        (declare("x", "dateTime"), "2024-99-99"),
        (declare("x", "dateTime"), "2024-01-31T25:00:00"),
        (declare("x", "dateTime"), "the 40th of May"),
        (declare("x", "dateTime"), True),
        (declare("x", "dateTime"), ["2024-01-01"]),
        (declare("x", "color"), "not a colour"),
        (declare("x", "color"), "#12345"),
        (declare("x", "color"), 255),
        (choice("x", ["a", "b"]), {"a": 1}),
        (choice("x", ["a", "b"]), ["a"]),
        (choice("x", ["a", "b"], type="multiOptions", default=[]), "a"),
        (choice("x", ["a", "b"], type="multiOptions"), {"a": 1}),
        (choice("x", ["a", "b"], type="multiOptions"), [{"a": 1}]),
        (declare("x", "resourceLocator", {}, modes=[{"name": "id"}]), True),
        (declare("x", "resourceLocator", {}, modes=[{"name": "id"}]), {"__rl": True, "value": "a"}),
        (declare("x", "resourceMapper", {}), {"mappingMode": "defineBelow", "value": "a"}),
        (declare("x", "resourceMapper", {}), {"value": {}, "matchingColumns": "id"}),
        (declare("x", "resourceMapper", {}), {"Name": "a"}),
        (declare("x", "credentialsSelect"), {"a": 1}),
    ],
)
def test_a_value_that_no_node_can_use_is_wrong(declaration: Any, value: Any) -> None:
    """One finding, of the type's rule."""
    assert codes(findings([declaration], {"x": value})) == ["GB304"]


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (declare("x", "boolean", False), 1),
        (declare("x", "boolean", False), 7),
        (declare("x", "number", 0), "12"),
        (declare("x", "string"), 5),
        (declare("x", "string"), True),
        (choice("x", [1, 2]), "1"),
        (declare("x", "multiOptions", [], typeOptions=LOADED), "a"),
        (declare("x", "resourceLocator", {}), {"mode": "id", "value": "a"}),
    ],
)
def test_a_value_that_works_all_the_same_is_advice(declaration: Any, value: Any) -> None:
    """A value that n8n converts or passes on is advice."""
    assert codes(findings([declaration], {"x": value})) == ["GB326"]


@pytest.mark.parametrize(
    ("declaration", "value", "instead"),
    [
        (declare("x", "boolean", False), "TRUE", True),
        (declare("x", "boolean", False), "false", False),
        (declare("x", "boolean", False), 0, False),
        (declare("x", "number", 0), "12", 12),
        (declare("x", "number", 0), "1.5", 1.5),
        (choice("x", [1, 2]), "2", 2),
        (choice("x", ["a", "b"], type="multiOptions"), "b", ["b"]),
        (
            declare("x", "resourceLocator", {}, modes=[{"name": "id"}]),
            {"__rl": True, "value": "a"},
            {"__rl": True, "value": "a", "mode": "id"},
        ),
        (
            declare("x", "resourceLocator", {}, modes=[{"name": "list"}, {"name": "id"}]),
            "a",
            {"__rl": True, "mode": "id", "value": "a"},
        ),
        (
            declare("x", "resourceLocator", {}, modes=[{"name": "url"}, {"name": "id"}]),
            "https://a.example.com",
            {"__rl": True, "mode": "url", "value": "https://a.example.com"},
        ),
        (
            declare("x", "workflowSelector", ""),
            {"__rl": True, "mode": "name", "value": "Translate text"},
            {"__rl": True, "mode": "list", "value": "", "cachedResultName": "Translate text"},
        ),
        (
            declare("x", "workflowSelector", ""),
            {"__rl": True, "mode": "workflow", "value": "8nFq3tWc0ZxYb2Ld"},
            {"__rl": True, "mode": "id", "value": "8nFq3tWc0ZxYb2Ld"},
        ),
        (
            declare("x", "resourceMapper", {}),
            {"value": {"a": "b"}, "schema": [{"id": "a"}]},
            {"value": {"a": "b"}, "schema": [{"id": "a"}], "mappingMode": "defineBelow"},
        ),
        (
            declare("x", "assignmentCollection", {}),
            [{"name": "a", "type": "string", "value": "b"}],
            {"assignments": [{"name": "a", "type": "string", "value": "b"}]},
        ),
    ],
)
def test_equivalent_value_is_converted(declaration: Any, value: Any, instead: Any) -> None:
    """The fix is safe and writes the value in the declared type."""
    mended = _fix(findings([declaration], {"x": value}))
    assert mended == instead
    assert type(mended) is type(instead)


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (declare("x", "dateTime"), "2024-01-31T10:00:00.000Z"),
        (declare("x", "dateTime"), 1700000000),
        (declare("x", "dateTime"), "31.12.2024"),
        (declare("x", "dateTime"), "Wed, 31 Jan 2024 10:00:00 GMT"),
        (declare("x", "dateTime"), "2024-01-31 10:00 Europe/Berlin"),
        (declare("x", "dateTime"), "2024-W05"),
        (declare("x", "dateTime"), "30 days ago"),
        (declare("x", "color"), "#FF6D5A"),
        (declare("x", "color"), "ff6d5a00"),
        (declare("x", "color"), "rgb(1, 2, 3)"),
        (declare("x", "color"), "red"),
        (declare("x", "string", typeOptions=SEVERAL), ["a"]),
        (declare("x", "number", 0, typeOptions=SEVERAL), [1]),
        (declare("x", "json"), {"a": 1}),
        (declare("x", "json"), "[1, 2]"),
        (declare("x", "json"), "={{ $json }}"),
        (declare("x", "json"), "12345678901234567890123456789"),
        (declare("x", "multiOptions", [], typeOptions=LOADED), ["a", "={{ 1 }}"]),
        (declare("x", "resourceMapper", {}), {"mappingMode": "defineBelow", "value": None}),
        (declare("x", "resourceLocator", {}, modes=[{"name": "id"}, {"name": "name"}]), "a"),
        (declare("x", "resourceLocator", {}, modes=[{"name": "id"}]), 5),
    ],
)
def test_an_intended_value_is_never_reported(declaration: Any, value: Any) -> None:
    """Every form in which a declaration is filled is fine."""
    assert not findings([declaration], {"x": value})


@pytest.mark.parametrize("text", ['{"a": 1', "{'a': 1}", '{"a": 1,}', "text", '{"a": NaN}'])
def test_json_that_does_not_parse_is_wrong(text: str) -> None:
    """A text for JSON has to be what JSON.parse reads; the place of the fault is reported."""
    diagnostics = findings([declare("x", "json")], {"x": text})
    assert codes(diagnostics) == ["GB328"]


def test_json_that_n8n_mends_is_advice() -> None:
    """One node makes an object of what is nearly JSON; what has no object in it stays wrong."""
    tool = {
        "kind": "tool",
        "id": "n8n-nodes-base.set",
        "name": "Set",
        "package": "n8n-nodes-base",
        "variants": [
            {
                "versions": [1],
                "inputs": [{"kind": "main"}],
                "outputs": [{"kind": "main"}],
                "parameters": [declare("x", "json")],
            }
        ],
    }
    known = registry_from(jsonl(add_end_line([header(), tool])))

    def report(text: str) -> list[str]:
        node = Node("Set", "n8n-nodes-base.set", 1, {"x": text}, ("nodes", 0), {})
        name = "n8n-nodes-base.set"
        bound = ResolvedNode(node, known.tools[name], 1, known.spec(name, 1))
        resolved = ResolvedGraph(Graph({}, (node,), ()), (bound,), {})
        return codes(list(check_parameters(resolved, known, CompileOptions())))

    assert report("{'a': 1}") == ["GB326"]
    assert report("text") == ["GB328"]
    assert not report('{"a": 1}')


def test_objects_among_names_and_values_are_passed_on() -> None:
    """The value of a pair may be what is sent on as it is; its name may not."""
    pairs = {"name": "pairs", "values": [declare("name"), declare("value")]}
    declared = declare("x", "fixedCollection", {}, options=[pairs], typeOptions=SEVERAL)
    for value in ({"a": 1}, [1], True):
        diagnostics = findings([declared], {"x": {"pairs": [{"name": "n", "value": value}]}})
        assert codes(diagnostics) == ["GB326"]
    named = findings([declared], {"x": {"pairs": [{"name": {"a": 1}, "value": "v"}]}})
    assert codes(named) == ["GB304"]


def test_a_locator_inside_a_collection_has_the_form_of_its_mode() -> None:
    """n8n looks at locators of the root alone; below, a value of no mode is reported as well."""
    rule = {"type": "regex", "properties": {"regex": "[a-z]{3}", "errorMessage": "three letters"}}
    base = declare("base", "resourceLocator", {}, modes=[{"name": "id", "validation": [rule]}])
    declared = declare("x", "collection", {}, options=[base])

    def make_locator(value: str) -> Any:
        return {"x": {"base": {"__rl": True, "mode": "id", "value": value}}}

    assert codes(findings([declared], make_locator("https://acme.test"))) == ["GB329"]
    assert codes(findings([declared], make_locator("ABCD"))) == ["GB331"]
    assert codes(findings([declared], make_locator("YOUR_BASE"))) == ["GB331"]
    assert not findings([declared], make_locator("abc"))


def test_a_field_type_holds_inside_a_collection() -> None:
    """n8n validates members of collections when the node runs, unless told not to."""
    typed = declare("tags", "string", validateType="array")
    declared = declare("x", "collection", {}, options=[typed])
    diagnostics = findings([declared], {"x": {"tags": "a, b"}})
    assert [(d.code, d.at[3:]) for d in diagnostics] == [("GB304", ("x", "tags"))]
    assert not findings([declared], {"x": {"tags": '["a"]'}})
    ignored = declare(
        "x", "collection", {}, options=[typed | {"ignoreValidationDuringExecution": True}]
    )
    assert not findings([ignored], {"x": {"tags": "a, b"}})


def test_the_entries_of_a_collection_of_many_are_looked_at() -> None:
    """n8n hands them on as they are: what fits no declaration is wrong, what is more is kept."""
    options = [choice("kind", ["a", "b"]), declare("extra", displayOptions=when(kind="b"))]
    many = declare("x", "collection", [], options=options, typeOptions=SEVERAL)
    diagnostics = findings([many], {"x": [{"kind": "a"}, {"kind": "c"}]})
    assert [(d.code, d.at[3:]) for d in diagnostics] == [("GB305", ("x", 1, "kind"))]
    assert not findings([many], {"x": [{"kind": "a", "extra": "hidden", "own": 1}]})
    assert codes(findings([many], {"x": [{"kinds": "a"}]})) == ["GB302"]


@pytest.mark.parametrize(
    "declaration",
    [
        declare("x", "number", False),
        declare("x", "boolean", 2),
        choice("x", ["a", "b"], default="c"),
        declare("x", "color", "none of these"),
    ],
)
def test_a_default_fits_whatever_its_type(declaration: Any) -> None:
    """The editor saves what n8n itself declares; another value of that type is still a fault."""
    default = declaration["default"]
    assert not findings([declaration], {"x": default})
    assert codes(findings([{**declaration, "default": ""}], {"x": default}))


def test_groups_of_which_n8n_knows_none_are_wrong() -> None:
    """One stranger among others is dropped; where all are dropped the node goes without them."""
    rows = {"name": "rows", "values": [declare("a"), declare("b")]}
    declared = declare("x", "fixedCollection", {}, options=[rows], typeOptions=SEVERAL)
    diagnostics = findings([declared], {"x": {"Authorization": "Bearer"}})
    assert [(d.code, d.at[3:]) for d in diagnostics] == [("GB304", ("x",))]
    diagnostics = findings([declared], {"x": {"conditions": [{"a": "1"}]}})
    assert [(d.code, d.at[3:]) for d in diagnostics] == [("GB304", ("x",))]
    some = findings([declared], {"x": {"rows": [{"a": "1"}], "more": [{"a": "1"}]}})
    assert codes(some) == ["GB303"]
    assert codes(findings([declared], {"x": {"conditions": []}})) == ["GB303"]


def test_entries_of_which_n8n_knows_nothing_are_wrong() -> None:
    """n8n puts an entry of defaults in their place."""
    rows = {"name": "rows", "values": [declare("attributeName"), declare("threshold")]}
    declared = declare("x", "fixedCollection", {}, options=[rows], typeOptions=SEVERAL)
    diagnostics = findings(
        [declared], {"x": {"rows": [{"kind": "A"}, {"kind": "B", "threshold": "1"}]}}
    )
    assert [(d.code, d.at[3:]) for d in diagnostics] == [
        ("GB304", ("x", "rows", 0)),
        ("GB303", ("x", "rows", 1, "kind")),
    ]
    loose = declare("x", "collection", {}, options=[declare("a")])
    assert codes(findings([loose], {"x": {"kind": "A"}})) == ["GB303"]


def test_a_group_whose_list_is_missing_is_mended() -> None:
    """One object in place of a list of one is what n8n cannot iterate."""
    rows = {"name": "rows", "values": [declare("a")]}
    declared = declare("x", "fixedCollection", {}, options=[rows], typeOptions=SEVERAL)
    diagnostics = findings([declared], {"x": {"rows": {"a": "1"}}})
    assert codes(diagnostics) == ["GB304"]
    assert _fix(diagnostics) == [{"a": "1"}]
    lost = findings([declared], {"x": {"rows": [{"a": "1"}, "text", 5]}})
    assert [d.at[3:] for d in lost] == [("x", "rows", 1), ("x", "rows", 2)]


@pytest.mark.parametrize("mode", ["name", "id", "list", "workflow"])
def test_a_workflow_given_by_its_name_is_left_to_a_person(mode: str) -> None:
    """n8n takes the value for an id, whatever the mode says."""
    located = {"__rl": True, "mode": mode, "value": "Translate text"}
    declaration = declare("x", "workflowSelector", "", required=True)
    assert "GB331" in codes(findings([declaration], {"x": located}))
    mended = _fix(findings([declaration], {"x": located})) or located
    assert codes(findings([declaration], {"x": mended})) == ["GB331"]
