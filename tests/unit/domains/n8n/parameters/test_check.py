from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.parameters.parameter_cases import (
    THING,
    choice,
    codes,
    declare,
    findings,
    registry,
    when,
)

REQUIRED = declare("name", required=True)
SEVERAL = {"multipleValues": True}


def test_a_required_value_that_is_absent_is_missing() -> None:
    """Absent and empty are missing, an expression and a value are not; the route is exact."""
    diagnostics = findings([REQUIRED], {})
    assert codes(diagnostics) == ["GB301"]
    assert diagnostics[0].at == ("nodes", 0, "parameters", "name")
    assert codes(findings([REQUIRED], {"name": ""})) == ["GB301"]
    assert not findings([REQUIRED], {"name": "x"})
    assert not findings([REQUIRED], {"name": "={{ 1 }}"})


def test_a_value_that_is_null_is_left_to_the_user() -> None:
    """Null states that the drafter does not know it; it is not asked again."""
    (finding,) = findings([REQUIRED], {"name": None})
    assert (finding.code, finding.only_user) == ("GB331", True)
    assert finding.at == ("nodes", 0, "parameters", "name")
    group = {"name": "rows", "values": [REQUIRED]}
    rows = declare("table", "fixedCollection", {}, options=[group], typeOptions=SEVERAL)
    nested = findings([rows], {"table": {"rows": [{"name": None}, {}]}})
    by_entry = {d.at[-2]: (d.code, d.only_user) for d in nested}
    assert by_entry == {0: ("GB331", True), 1: ("GB301", False)}


@pytest.mark.parametrize("name", ["from", "owner", "repository", "workspace", "sender"])
def test_an_account_of_the_user_is_left_to_the_user(name: str) -> None:
    (finding,) = findings([declare(name, required=True)], {})
    assert (finding.code, finding.only_user) == ("GB331", True)


def test_only_some_types_are_required_by_n8n() -> None:
    """n8n never misses a number, a switch or a collection."""
    for kind in ("number", "boolean", "collection", "json"):
        assert not findings([declare("x", kind, None, required=True)], {})


def test_hidden_and_disabled_are_never_missing() -> None:
    """Hidden parameters and parameters of disabled nodes are not required."""
    hidden = declare("name", required=True, displayOptions=when(mode="b"))
    assert not findings([choice("mode", ["a", "b"]), hidden], {})
    assert not findings([REQUIRED], {}, disabled=True)


def test_an_item_of_a_group_misses_its_value_at_its_place() -> None:
    """The route of a missing value leads through group and index."""
    group = {"name": "rows", "values": [REQUIRED]}
    rows = declare("table", "fixedCollection", {}, options=[group], typeOptions=SEVERAL)
    diagnostics = findings([rows], {"table": {"rows": [{"name": "x"}, {}]}})
    assert [d.at[3:] for d in diagnostics] == [("table", "rows", 1, "name")]


def test_a_locator_needs_a_value_of_its_mode() -> None:
    """An empty locator is open, once, and so is one that holds no more than a name; an address
    that breaks the mode's pattern is wrong.
    """
    rule = {"type": "regex", "properties": {"regex": "[a-z]{3}", "errorMessage": "three letters"}}
    modes = [{"name": "id", "validation": [rule]}, {"name": "list"}]
    locator = declare(
        "base", "resourceLocator", {"mode": "id", "value": ""}, modes=modes, required=True
    )
    assert codes(findings([locator], {})) == ["GB331"]
    address = {"__rl": True, "mode": "id", "value": "https://acme.test/x"}
    (diagnostic,) = findings([locator], {"base": address})
    assert diagnostic.code == "GB329"
    assert "three letters" in diagnostic.message
    assert codes(findings([locator], {"base": {"__rl": True, "mode": "id", "value": ""}})) == [
        "GB331"
    ]
    assert not findings([locator], {"base": {"__rl": True, "mode": "id", "value": "abc"}})
    chosen = {"__rl": True, "mode": "list", "value": "ABCD", "cachedResultName": "Acme"}
    assert not findings([locator], {"base": chosen})
    unknown = findings([locator], {"base": {"__rl": True, "mode": "url", "value": "x"}})
    assert codes(unknown) == ["GB326"]
    assert unknown[0].fix is not None


@pytest.mark.parametrize("kind", ["workflowSelector", "options"])
def test_parameter_hidden_by_open_choice_has_effect(kind: str) -> None:
    """n8n shows such a parameter after a choice of the user; a choice of the node hides it."""
    from_account = {"typeOptions": {"loadOptionsMethod": "getAll"}} if kind == "options" else {}
    open_choice = declare("target", kind, "", required=True, **from_account)
    hidden_until = declare("inputs", displayOptions={"hide": {"target": [""]}})
    (finding,) = findings([open_choice, hidden_until], {"inputs": "a"})
    assert finding.code == "GB331"
    assert "the editor removes inputs, which it hides until then" in finding.message
    assert '{"inputs":"a"}' in finding.help
    own = choice("mode", ["a", "b"])
    hidden = declare("inputs", displayOptions=when(mode="b"))
    assert codes(findings([own, hidden], {"inputs": "a"})) == ["GB306"]


def test_a_mapper_checks_its_schema() -> None:
    """A required column without value is missing, a value of another type is a mismatch."""
    mapper = declare(
        "columns", "resourceMapper", {}, typeOptions={"resourceMapper": {"mode": "add"}}
    )
    schema = [{"id": "n", "type": "number", "required": True}]
    value = {"mappingMode": "defineBelow", "schema": schema}
    assert codes(findings([mapper], {"columns": {**value, "value": {}}})) == ["GB301"]
    assert codes(findings([mapper], {"columns": {**value, "value": {"n": "x"}}})) == ["GB304"]
    assert not findings([mapper], {"columns": {**value, "value": {"n": "7"}}})
    assert not findings(
        [mapper], {"columns": {**value, "mappingMode": "autoMapInputData", "value": {}}}
    )


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("number", "12.5", "twelve"),
        ("boolean", "TRUE", "yes"),
        ("string-alphanumeric", "a_1", "a b"),
        ("array", "['a']", "{}"),
        ("object", '{"a": 1}', "[1]"),
        ("time", "12:30", "noon"),
        ("url", "example.com/x", "http://"),
        ("jwt", "a.b.c", "abc"),
        ("form-fields", '[{"fieldLabel": "x"}]', '[{"what": 1}]'),
        ("dateTime", "2024-01-01", "tomorrow"),
    ],
)
def test_a_declared_field_type_is_checked(kind: str, good: str, bad: str) -> None:
    """`validateType` refuses what n8n refuses; an expression is never looked at."""
    typed = [declare("x", "string", validateType=kind)]
    assert not findings(typed, {"x": good})
    assert not findings(typed, {"x": "={{ 1 }}"})
    assert codes(findings(typed, {"x": bad})) == ["GB304"]


def test_a_misspelt_name_is_wrong_and_mended() -> None:
    """A name one slip from an open parameter is misnamed, with a safe rename."""
    diagnostics = findings([declare("message"), declare("other")], {"mesage": "x"})
    assert codes(diagnostics) == ["GB302"]
    assert diagnostics[0].fix is not None
    assert diagnostics[0].fix.safe
    assert diagnostics[0].fix.edits[0].value == "message"
    assert codes(findings([declare("message")], {"mesage": "x", "message": "y"})) == ["GB303"]


def test_a_rename_is_safe_only_where_the_value_fits() -> None:
    """The fix is not safe when the parameter meant could not take the value."""
    diagnostics = findings([declare("threads", "collection", {}, options=[])], {"thread": "text"})
    assert codes(diagnostics) == ["GB302"]
    assert diagnostics[0].fix is not None
    assert not diagnostics[0].fix.safe


def test_two_slips_name_only_what_takes_the_value() -> None:
    """A name with a slip in two words is misnamed where its value fits, and else unknown."""
    form = declare("outputFormat", "options", "db", options=[{"value": "db"}, {"value": "url"}])
    assert codes(findings([form], {"ouputFormt": "url"})) == ["GB302"]
    assert codes(findings([form], {"ouputFormt": "workflow"})) == ["GB303"]


@pytest.mark.parametrize(
    ("given", "declared"),
    [
        ("responseBody", "responseCode"),
        ("value2", "value1"),
        ("bccList", "ccList"),
        ("textA", "textB"),
        ("resource", "source"),
    ],
)
def test_another_word_is_no_slip(given: str, declared: str) -> None:
    """A name that differs in a word, a number or a first letter means something else."""
    assert codes(findings([declare(declared, "string", "")], {given: "x"})) == ["GB303"]


def test_an_unknown_name_beside_a_missing_one_is_wrong() -> None:
    """An unknown parameter next to an absent required one is misnamed; empty is not absent."""
    assert codes(findings([REQUIRED], {"query": "x"})) == ["GB302", "GB301"]
    assert codes(findings([REQUIRED], {"query": "x", "name": ""})) == ["GB303", "GB301"]


def test_an_unknown_name_alone_is_advice() -> None:
    """n8n drops it; the finding names where such a child belongs."""
    extra = declare("options", "collection", {}, options=[declare("timeout", "number", 1)])
    diagnostics = findings([extra], {"timeout": 5})
    assert codes(diagnostics) == ["GB303"]
    assert diagnostics[0].alternatives == ("options.timeout",)


def test_a_name_of_another_version_is_a_leftover() -> None:
    """A parameter of another version is not a misspelling, and the finding names the versions."""
    other = {"versions": [1], "inputs": [], "outputs": [], "parameters": [declare("messages")]}
    known = registry([declare("message")], versions=(2,), others=[other])
    node = Node("Thing", THING, 2, {"messages": "x"}, ("nodes", 0), {})
    bound = ResolvedNode(node, known.tools[THING], 2, known.spec(THING, 2))
    resolved = ResolvedGraph(Graph({}, (node,), ()), (bound,), {})
    diagnostics = list(check_parameters(resolved, known, CompileOptions()))
    assert codes(diagnostics) == ["GB303"]
    assert "1" in diagnostics[0].help


def test_an_option_outside_the_list_is_wrong() -> None:
    """A closed list is closed, but not for expressions, custom calls and loaded lists."""
    closed = [choice("mode", ["append", "update"])]
    diagnostics = findings(closed, {"mode": "apend"})
    assert codes(diagnostics) == ["GB305"]
    assert diagnostics[0].alternatives[0] == "append"
    for value in ("={{ $json.x }}", "__CUSTOM_API_CALL__", "", None):
        assert not findings(closed, {"mode": value})
    loaded = [choice("mode", ["a"], typeOptions={"loadOptionsMethod": "getModes"})]
    assert not findings(loaded, {"mode": "z"})
    assert findings(closed, {"mode": "Append"})[0].fix is not None


def test_options_of_equal_names_add_up() -> None:
    """A value that one shown declaration offers is an option."""
    parameters = [choice("mode", ["a"]), choice("mode", ["b"])]
    assert not findings(parameters, {"mode": "b"})
    assert codes(findings(parameters, {"mode": "c"})) == ["GB305"]


def test_several_options_are_checked_one_by_one() -> None:
    """The route of an unknown member leads to its index."""
    several = [choice("tags", ["a", "b"], type="multiOptions")]
    diagnostics = findings(several, {"tags": ["a", "z", "=x"]})
    assert [(d.code, d.at[-1]) for d in diagnostics] == [("GB305", 1)]


def test_a_value_that_conditions_read_stays_alive() -> None:
    """An old choice that no list offers but conditions name still works."""
    parameters = [choice("language", ["new"]), declare("code", displayOptions=when(language="old"))]
    assert not findings(parameters, {"language": "old", "code": "x"})


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (declare("x", "boolean", False), {"a": 1}),
        (declare("x", "number", 0), "many"),
        (declare("x", "number", 0), [1]),
        (declare("x", "string"), {"a": 1}),
        (declare("x", "collection", {}, options=[]), "text"),
        (declare("x", "fixedCollection", {}, options=[]), ["text"]),
        (
            declare(
                "x",
                "fixedCollection",
                {},
                options=[{"name": "g", "values": []}],
                typeOptions=SEVERAL,
            ),
            {"g": {"a": 1}},
        ),
        (declare("x", "fixedCollection", {}, options=[{"name": "g", "values": []}]), {"g": ["a"]}),
        (declare("x", "resourceLocator", {}), {"id": 1}),
        (declare("x", "resourceMapper", {}), "a, b"),
        (declare("x", "filter", {}), {"string": []}),
        (declare("x", "filter", {}), {"conditions": 5, "combinator": "and"}),
        (declare("x", "assignmentCollection", {}), ["a"]),
    ],
)
def test_a_value_of_another_shape_is_a_mismatch(declaration: Any, value: Any) -> None:
    """A value that no run can use has the wrong type; an expression may have any value."""
    assert codes(findings([declaration], {"x": value})) == ["GB304"]


def test_a_number_outside_its_range() -> None:
    """Bounds are those of the declaration."""
    bounded = [declare("x", "number", 1, typeOptions={"minValue": 1, "maxValue": 9})]
    assert codes(findings(bounded, {"x": 0})) == ["GB307"]
    assert codes(findings(bounded, {"x": 10})) == ["GB307"]
    assert not findings(bounded, {"x": 9})


def test_a_hidden_value_is_advice_unless_it_is_the_default() -> None:
    """A value that n8n drops is reported, with the condition; a saved default is not."""
    parameters = [
        choice("mode", ["a", "b"]),
        declare("text", default="d", displayOptions=when(mode="b")),
    ]
    diagnostics = findings(parameters, {"text": "x"})
    assert codes(diagnostics) == ["GB306"]
    assert "mode=b" in diagnostics[0].help
    assert not findings(parameters, {"text": "d"})


_OPERATIONS = [
    choice("resource", ["row", "file"]),
    choice("operation", ["get", "append", "erase"], displayOptions=when(resource="row")),
    choice("operation", ["upload"], displayOptions=when(resource="file")),
    declare("id", displayOptions=when(resource="row", operation=["get", "erase"])),
    declare("columns", displayOptions=when(resource="row", operation="append")),
    declare("table", displayOptions=when(resource="row")),
    declare("name", displayOptions=when(resource="file", operation="upload")),
    declare("size", "boolean", False),
    declare("limit", displayOptions=when(size=True)),
]


@pytest.mark.parametrize(
    ("given", "remedies"),
    [
        ({"columns": "a", "table": "t"}, ["operation=append"]),
        ({"operation": "append", "id": "1", "table": "t"}, ["operation=get", "operation=erase"]),
        ({"columns": "a", "id": "1"}, []),
        ({"name": "a"}, ["resource=file, operation=upload"]),
        ({"name": "a", "resource": "file", "operation": "upload"}, None),
        ({"resource": "file", "operation": "upload", "table": "t"}, []),
        ({"limit": "a", "table": "t"}, ["size=true"]),
    ],
)
def test_settings_that_show_all_written_parameters_are_named(
    given: dict[str, Any], remedies: list[str] | None
) -> None:
    """A remedy that would hide another written value, or leave it outside of its list, is none."""
    hidden = [d for d in findings(_OPERATIONS, given) if d.code == "GB306"]
    if remedies is None:
        assert not hidden
        return
    for diagnostic in hidden:
        assert list(diagnostic.alternatives) == remedies
        assert all(remedy in diagnostic.help for remedy in remedies)


def test_the_count_of_a_group_is_bounded() -> None:
    """Fewer entries than required are missing, more than allowed out of range."""
    group = {"name": "g", "values": [declare("a")]}
    options = SEVERAL | {"minRequiredFields": 1, "maxAllowedFields": 2}
    counted = [declare("x", "fixedCollection", {}, options=[group], typeOptions=options)]
    assert codes(findings(counted, {})) == ["GB301"]
    assert codes(findings(counted, {"x": {"g": [{}] * 3}})) == ["GB307"]
    assert not findings(counted, {"x": {"g": [{}]}})


@pytest.mark.parametrize(
    ("name", "label", "mode", "is_open"),
    [
        ("team", "Team URN", "team", True),
        ("teamId", "Team ID", "team", True),
        ("team", "Team", "team", False),
        ("text", "Text", "text", False),
        ("team", "Team URN", "person", False),
    ],
)
def test_choice_requires_value_of_its_name(name: str, label: str, mode: str, is_open: bool) -> None:
    """n8n does not require the id of what a node writes to, but a choice of that name needs it."""
    target = declare(name, displayName=label, displayOptions=when(writeAs=["team", "text"]))
    declared = [choice("writeAs", ["person", "team", "text"]), target]
    assert codes(findings(declared, {"writeAs": mode})) == (["GB331"] if is_open else [])
    assert "GB331" not in codes(findings(declared, {"writeAs": mode, name: "urn:team:7"}))


@pytest.mark.parametrize("several", [True, False])
def test_a_collection_of_another_shape_is_told_its_own(several: bool) -> None:
    """The finding shows a group with its first fields."""
    fields = [declare(name) for name in ("value", "label", "kind", "order", "more")]
    group = {"name": "entries", "values": fields}
    options = {"multipleValues": several}
    mails = declare("mails", "fixedCollection", {}, options=[group], typeOptions=options)
    (finding,) = findings([mails], {"mails": "a@b.c"})
    entry = '{"value": ..., "label": ..., "kind": ..., "order": ...}'
    assert finding.help == f'write it as {{"entries": {f"[{entry}]" if several else entry}}}'


@pytest.mark.parametrize("order", [("base", "rows"), ("rows", "base")])
def test_an_open_choice_names_what_it_hides_in_any_order(order: tuple[str, str]) -> None:
    """A placeholder counts as open, whether it stands before or after the values."""
    modes = [{"name": "list"}, {"name": "id"}]
    base = declare("base", "resourceLocator", {"mode": "list", "value": ""}, modes=modes)
    base["required"] = True
    hidden = {"hide": {"base": [""]}}
    rows = declare("rows", displayOptions=hidden)
    locator = {"__rl": True, "mode": "list", "value": "", "cachedResultName": "[REDACTED]"}
    values = {"base": locator, "rows": "a"}
    messages = [d.message for d in findings([base, rows], {key: values[key] for key in order})]
    assert any("the editor removes rows" in message for message in messages), messages


def test_an_open_choice_names_what_the_editor_empties_when_it_is_made() -> None:
    """It empties what depends on the choice, and what depends on that in turn."""

    def locator(name: str, *needed: str) -> dict[str, Any]:
        options = {"typeOptions": {"loadOptionsDependsOn": list(needed)}} if needed else {}
        value = {"mode": "list", "value": ""}
        return declare(
            name, "resourceLocator", value, modes=[{"name": "list"}], required=True, **options
        )

    def chosen(value: str) -> dict[str, Any]:
        return {"__rl": True, "mode": "list", "value": value, "cachedResultName": f"My {value}"}

    declared = [
        locator("document"),
        locator("sheet", "document.value"),
        declare(
            "columns",
            "resourceMapper",
            {},
            typeOptions={"loadOptionsDependsOn": ["sheet.value"], "resourceMapper": {}},
        ),
        locator("folder"),
    ]
    columns = {"mappingMode": "defineBelow", "value": {"a": 1}, "schema": []}
    values = {"sheet": chosen("s1"), "columns": columns, "folder": chosen("f1")}
    (finding,) = [item for item in findings(declared, values) if item.code == "GB331"]
    assert finding.message.endswith("; choosing it in the editor empties sheet, columns")
    assert '"s1"' in finding.help
    made = findings(declared, {**values, "document": chosen("d1")})
    assert "GB331" not in codes(made)


@pytest.mark.parametrize(
    ("name", "value", "is_open"),
    [
        ("pipelineId", "Support", True),
        ("pipelineId", "Customer support", True),
        ("pipelineId", "default", False),
        ("pipelineId", "4711", False),
        ("pipelineId", "RPueloJC", False),
        ("pipelineId", "={{ $json.pipeline }}", False),
        ("labelIds", ["INBOX", "Newsletters"], True),
        ("labelIds", ["INBOX", "Label_12"], False),
        ("tableId", "Profiles", False),
    ],
)
def test_a_name_in_a_list_of_ids_is_left_to_the_user(
    name: str, value: str | list[str], is_open: bool
) -> None:
    declared = declare(
        name,
        "multiOptions" if isinstance(value, list) else "options",
        None,
        typeOptions={"loadOptionsMethod": "getEntries"},
    )
    assert codes(findings([declared], {name: value})) == (["GB331"] if is_open else [])


@pytest.mark.parametrize(("sign_in", "reported"), [("webhook", []), ("bot", ["GB306"])])
def test_a_resource_that_the_operation_does_not_need_is_accepted(
    sign_in: str, reported: list[str]
) -> None:
    declared = [
        choice("signIn", ["bot", "webhook"]),
        choice("resource", ["channel", "message"], displayOptions=when(signIn="none")),
        choice("operation", ["send"], displayOptions=when(signIn="webhook")),
        choice("operation", ["list"], displayOptions=when(signIn="bot")),
    ]
    written = {"signIn": sign_in, "resource": "message", "operation": "send"}
    assert [code for code in codes(findings(declared, written)) if code == "GB306"] == reported
