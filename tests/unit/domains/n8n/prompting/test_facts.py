"""The description of a node in prompts: the parameters of its operations, in brief."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.prompting.facts import event_fields, variant_for_agents
from grounded_builder.domains.n8n.prompting.outline import brief, outline_all, outline_shortly
from grounded_builder.domains.n8n.prompting.use_counts import count_uses
from grounded_builder.drafting.prompt import tool_lines
from grounded_builder.drafting.tool_retrieval import ShownTools
from tests.support import catalogs
from tests.support.registries import registry_from

NODE = "acme-nodes.board"


@pytest.fixture(scope="module")
def real(installed_registry: Registry) -> Registry:
    return installed_registry


def _choice(name: str, *values: str, **more: Any) -> dict[str, Any]:
    options = [{"name": value, "value": value} for value in values]
    return {"name": name, "type": "options", "options": options, "default": values[0], **more}


def _show_for(**values: Any) -> dict[str, Any]:
    return {"displayOptions": {"show": {key: [value] for key, value in values.items()}}}


def _outline(parameters: list[dict[str, Any]], **preset: Any) -> str:
    """The outline of a node that declares these parameters."""
    mail = next(line for line in catalogs.acme() if line.get("id") == catalogs.MAIL)
    port = [{"kind": "main"}]
    variant = {"versions": [1], "inputs": port, "outputs": port, "parameters": parameters}
    board = {**mail, "id": NODE, "aliases": [], "default_version": 1, "variants": [variant]}
    lines = [*(line for line in catalogs.acme() if line["kind"] != "end"), board]
    registry = registry_from(catalogs.jsonl(catalogs.add_end_line(lines)))
    return brief(registry.spec(NODE, 1), preset)


def _number_choice(name: str, labels: dict[int, str]) -> dict[str, Any]:
    options = [{"name": label, "value": value} for value, label in labels.items()]
    return {"name": name, "type": "options", "options": options, "default": min(labels)}


def _group(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    """A collection with one group, of which there may be several entries."""
    return {
        "name": name,
        "type": "fixedCollection",
        "typeOptions": {"multipleValues": True},
        "default": {},
        "options": [{"name": "row", "values": list(fields)}],
    }


def _text(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "string", "default": "", **more}


def _mode(name: str) -> dict[str, Any]:
    return {"name": name, "type": "list" if name == "list" else "string"}


_LOCATOR = {
    "name": "sheet",
    "type": "resourceLocator",
    "default": {"mode": "list", "value": ""},
    "required": True,
    "modes": [_mode("list"), _mode("name")],
}


@pytest.mark.parametrize(
    ("parameters", "outline"),
    [
        ([_text("a"), _text("b", required=True)], "b*, a"),
        ([{"name": "n", "type": "number", "default": 1}], "n:number"),
        ([_choice("how", "fast", "slow")], "how:fast|slow"),
        ([_choice("authentication", "none", "key"), _text("a")], "authentication:none|key, a"),
        ([{"name": "note", "type": "notice", "default": ""}, _text("a")], "a"),
        ([_LOCATOR], "sheet*:locator(list|name)"),
        ([{**_LOCATOR, "modes": [_mode("list"), _mode("id")]}], "sheet*:locator"),
        (
            [{"name": "fields", "type": "collection", "default": {}, "options": [_text("c")]}],
            "fields:{c}",
        ),
        (
            [{"name": "options", "type": "collection", "default": {}, "options": [_text("c")]}],
            "options:{c}",
        ),
        (
            [
                {
                    "name": "rows",
                    "type": "fixedCollection",
                    "typeOptions": {"multipleValues": True},
                    "default": {},
                    "options": [{"name": "row", "values": [_text("k"), _text("v")]}],
                }
            ],
            "rows:{row:[{k,v}]}",
        ),
        (
            [
                _choice("urgency", "low", "high"),
                _text("retry", required=True, **_show_for(urgency="high")),
                _text("reason", **_show_for(urgency="high")),
            ],
            "urgency:low|high(retry*,reason)",
        ),
        (
            [
                _number_choice("urgency", {0: "Normal", 2: "Emergency"}),
                _text("retry", required=True, **_show_for(urgency=2)),
            ],
            "urgency:0=Normal|2=Emergency(retry*)",
        ),
        (
            [
                {"name": "send", "type": "boolean", "default": False},
                _choice("as", "pairs", "json", **_show_for(send=True)),
                _text("body", displayOptions={"show": {"send": [True], "as": ["json"]}}),
            ],
            "send:boolean(as:pairs|json(body))",
        ),
        (
            [
                {"name": "copy", "type": "boolean", "default": True},
                _text("message", **_show_for(copy=False)),
            ],
            "copy:true|false(message)",
        ),
        (
            [_group("extra", _group("emails", _text("value", required=True), _text("label")))],
            "extra:{row:[{emails:{row:[{value*,label}]}}]}",
        ),
        (
            [
                _group(
                    "rules",
                    {"name": "filter", "type": "filter", "default": {}},
                    {"name": "rename", "type": "boolean", "default": False},
                    _text("key", **_show_for(rename=True)),
                )
            ],
            "rules:{row:[{filter:filter,rename:boolean(key)}]}",
        ),
        (
            [_choice("split", "\n", "word", default="word")],
            'split:"\\n"|word',
        ),
    ],
)
def test_a_parameter_is_described_in_brief(parameters: list[dict[str, Any]], outline: str) -> None:
    """Required parameters come first; types, options and fields follow the name."""
    assert _outline(parameters) == outline


def test_a_login_that_a_node_always_needs_is_not_listed(real: Registry) -> None:
    """How to sign in to a service is the user's choice; whether callers must is the request's."""
    github, webhook = (f"n8n-nodes-base.{name}" for name in ("github", "webhook"))
    issue = {"resource": "issue", "operation": "create"}
    assert "authentication" not in brief(real.spec(github, 1.1), issue)
    spec = real.spec(webhook, real.tools[webhook].preferred_version)
    assert "authentication:basicAuth|headerAuth" in brief(spec, {})


def test_outline_lists_parameters_of_operation() -> None:
    """Only the parameters of the operation are listed, without those that choose it."""
    operation = _choice("operation", "send", "get")
    parameters = [
        operation,
        _text("to", **_show_for(operation="send")),
        _text("id", **_show_for(operation="get")),
    ]
    assert _outline(parameters, operation="send") == "to"
    assert _outline(parameters, operation="get") == "id"


def test_outline_lists_parameters_after_their_choice() -> None:
    """The options of a required choice are followed by the parameters that each of them shows."""
    parameters = [
        _choice("select", "channel", "user", default="", required=True),
        _text("channelId", required=True, **_show_for(select="channel")),
        _text("userId", required=True, **_show_for(select="user")),
    ]
    assert _outline(parameters) == "select*:channel(channelId*)|user(userId*)"


def test_outline_lists_parameters_shown_by_locator() -> None:
    """A parameter that is hidden until something is chosen is part of the outline."""
    hidden = {"displayOptions": {"hide": {"sheet": [""]}}}
    columns = {"name": "columns", "type": "resourceMapper", "default": {}, **hidden}
    assert _outline([_LOCATOR, columns]) == "sheet*:locator(list|name), columns:mapper"


def test_uses_order_operations() -> None:
    """Posting a message is the usual operation of Slack, deleting one is not."""
    slack = "n8n-nodes-base.slack"
    post, delete = ({"resource": "message", "operation": name} for name in ("post", "delete"))
    assert count_uses(slack, post) > count_uses(slack, delete) > 0
    assert count_uses(f"{slack}Tool", post) > 0
    assert count_uses("", {"operation": "create"}) > count_uses("", {"operation": "delete"})
    assert count_uses("acme-nodes.gone", post) == 0


def test_a_variant_for_agents_is_one_that_is_installed() -> None:
    """The variant of a node for agents is the installed node with its name and "Tool"."""
    lines = [line for line in catalogs.acme() if line["kind"] != "end"]
    lookup = next(line for line in lines if line.get("id") == catalogs.LOOKUP)
    variant = {**lookup, "id": f"{catalogs.MAIL}Tool", "name": "Acme Mail Tool"}
    registry = registry_from(catalogs.jsonl(catalogs.add_end_line([*lines, variant])))
    assert variant_for_agents(catalogs.MAIL, registry) == f"{catalogs.MAIL}Tool"
    assert variant_for_agents(catalogs.HOOK, registry) == ""
    assert N8N.prompting.variant_for_agents is variant_for_agents


@pytest.mark.parametrize(
    ("name", "preset", "present", "absent"),
    [
        ("n8n-nodes-base.scheduleTrigger", {}, "rule:", "misfirePolicy"),
        ("n8n-nodes-base.httpRequest", {}, "options:{timeout,response", "webdavMethods"),
        (
            "n8n-nodes-base.gmail",
            {"resource": "message", "operation": "send"},
            "attachmentsUi",
            "replyToSenderOnly",
        ),
        ("@n8n/n8n-nodes-langchain.agent", {}, "systemMessage", "tracingMetadata"),
    ],
)
def test_brief_outline_lists_options_in_use(
    name: str, preset: dict[str, Any], present: str, absent: str, real: Registry
) -> None:
    """The brief outline has the options in use, and the whole one has all options."""
    spec = real.spec(name, real.tools[name].preferred_version)
    short, whole = brief(spec, preset), outline_all(spec, preset)
    assert present in short
    assert absent not in short
    assert absent in whole
    assert "..." not in whole


@pytest.mark.parametrize(
    ("name", "preset", "present"),
    [
        ("pushover", ("message", "push"), "Emergency Priority(retry*:number,expire*:number)"),
        ("respondToWebhook", (), "json(responseBody:json)"),
        ("pipedrive", ("person", "create"), "emails:{emailProperties:[{value,primary,label}]}"),
        ("microsoftOutlook", ("message", "sendAndWait"), "responseType:approval|freeText"),
        ("todoist", ("task", "create"), "options:{description"),
        ("formTrigger", (), "dropdown(fieldOptions*:{values:[{option}]})"),
        ("nextCloud", ("file", "upload"), "binaryDataUpload*:boolean(binaryPropertyName*)"),
        ("mySql", ("", "insert"), "defineBelow(valuesToSend:{values:[{column,value}]})"),
        ("switch", (), "renameOutput:boolean(outputKey)"),
    ],
)
def test_brief_outline_has_choices_and_collections(
    name: str, preset: tuple[str, ...], present: str, real: Registry
) -> None:
    """The parameters that choices add and the shapes of collections are in the brief outline."""
    tool = f"n8n-nodes-base.{name}"
    params = {k: v for k, v in zip(("resource", "operation"), preset, strict=False) if v}
    assert present in brief(real.spec(tool, real.tools[tool].preferred_version), params)


@pytest.mark.parametrize(
    ("name", "preset", "present"),
    [
        ("uptimeRobot", ("monitor", "getAll"), "9=Down"),
        ("httpRequest", (), "limitPagesFetched:boolean(maxRequests:number)"),
        ("microsoftOutlook", ("message", "sendAndWait"), "resumeUnit:minutes|hours|days"),
    ],
)
def test_the_whole_outline_has_choices_at_all_depths(
    name: str, preset: tuple[str, ...], present: str, real: Registry
) -> None:
    """An answer about one operation has the choices of nested fields, with what they add."""
    tool = f"n8n-nodes-base.{name}"
    params = dict(zip(("resource", "operation"), preset, strict=False))
    assert present in outline_all(real.spec(tool, real.tools[tool].preferred_version), params)


def test_a_short_outline_has_no_optional_additions(real: Registry) -> None:
    """Of a tool that a request hardly suggests only required choices have what they add."""
    webhook, slack = (f"n8n-nodes-base.{name}" for name in ("webhook", "slack"))
    spec = real.spec(webhook, real.tools[webhook].preferred_version)
    assert "responseData" not in outline_shortly(spec, {})
    assert "responseData" in brief(spec, {})
    post = {"resource": "message", "operation": "post"}
    assert "channel(channelId*" in outline_shortly(real.spec(slack, 2.3), post)


def test_consecutive_numbers_are_a_range(real: Registry) -> None:
    """The number of inputs of a merge is one of two to ten."""
    name = "n8n-nodes-base.merge"
    spec = real.spec(name, real.tools[name].preferred_version)
    assert "numberInputs:2-10" in brief(spec, {"mode": "append"})


@pytest.mark.parametrize(
    ("trigger", "fields"),
    [
        ("copperTrigger", "only ids, type, event"),
        ("gmailTrigger", "only id, threadId, labels"),
        ("microsoftTeamsTrigger", "only id, @odata.id"),
        ("stripeTrigger", "data.object.*, id"),
        ("slackTrigger", "no event: its fields are at the top"),
        ("formTrigger", ""),
        ("scheduleTrigger", ""),
        ("gmail", ""),
    ],
)
def test_a_prompt_names_what_the_event_of_a_service_holds(
    trigger: str, fields: str, real: Registry
) -> None:
    row = real.tools[f"n8n-nodes-base.{trigger}"]
    known = event_fields(real.spec(row.id, row.preferred_version))
    assert known.startswith(fields)
    assert bool(known) == bool(fields)
    lines = tool_lines(ShownTools(row.id, (), 1), N8N, real, 2)
    assert (f"    outputs {known}" in lines) == bool(fields)


def test_prompt_states_how_often_a_step_runs() -> None:
    """A digest needs one item of many, which models know only if the prompt says it."""
    rules = " ".join(N8N.prompting.rules)
    assert "once for each item" in rules
    assert "aggregate" in rules
