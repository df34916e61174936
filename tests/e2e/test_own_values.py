"""Values of plans over the installed n8n: those of the user, columns, conditions and times."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes, open_points
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import ConversationLimits
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.ir.options import CompileOptions

BASE = "n8n-nodes-base."
MANUAL = {"id": "start", "tool": f"{BASE}manualTrigger"}


def _compile_step(registry: Registry, tool: str, **params: Any) -> Compilation:
    steps = [MANUAL, {"id": "act", "tool": BASE + tool, "params": params}]
    plan = {"goal": "A test", "steps": steps}
    return compile_with_fixes(plan, N8N, registry, CompileOptions())


def _parameters(compilation: Compilation) -> dict[str, Any]:
    assert compilation.artifact is not None, compilation.diagnostics
    parameters: dict[str, Any] = compilation.artifact["nodes"][1]["parameters"]
    return parameters


@pytest.mark.parametrize(
    ("tool", "params", "name", "mode"),
    [
        ("googleSheets", {"operation": "append", "sheetName": "Sheet1"}, "sheetName", "name"),
        (
            "slack",
            {"operation": "post", "select": "channel", "channelId": "#billing"},
            "channelId",
            "name",
        ),
        (
            "slack",
            {"operation": "post", "select": "channel", "channelId": "C08PGU0CLKS"},
            "channelId",
            "id",
        ),
        ("slack", {"operation": "post", "select": "user", "user": "@anna"}, "user", "username"),
        ("github", {"owner": "acme", "repository": "site"}, "owner", "name"),
        (
            "googleSheets",
            {"documentId": "https://docs.google.com/spreadsheets/d/1abcDEF2ghi/edit"},
            "documentId",
            "url",
        ),
        ("executeWorkflow", {"workflowId": "X21mf2hTEAz3r2XH"}, "workflowId", "id"),
        ("googleDrive", {"operation": "upload", "driveId": "My Drive"}, "driveId", "list"),
    ],
)
def test_a_text_is_written_in_the_mode_that_takes_it(
    registry: Registry, tool: str, params: dict[str, Any], name: str, mode: str
) -> None:
    """A person need not choose a name, a handle, an id or an address."""
    compilation = _compile_step(registry, tool, **params)
    assert _parameters(compilation)[name] == {"__rl": True, "mode": mode, "value": params[name]}
    assert not any(d.code == "GB331" and d.at[3:4] == (name,) for d in compilation.diagnostics)


@pytest.mark.parametrize(
    ("tool", "params", "name", "label"),
    [
        ("jira", {"operation": "create", "project": "OPS"}, "project", "Project"),
        ("jira", {"operation": "create", "issueType": "Bug"}, "issueType", "Issue Type"),
        ("googleDrive", {"operation": "upload", "folderId": "Invoices"}, "folderId", "Folder"),
        ("airtable", {"operation": "search", "base": "CRM"}, "base", "Base"),
        ("executeWorkflow", {"workflowId": "Fulfil order"}, "workflowId", "Workflow"),
        ("googleCalendar", {"operation": "getAll", "calendar": "primary"}, "calendar", "Calendar"),
        (
            "googleSheets",
            {"operation": "append", "documentId": {"mode": "name", "value": "Log"}},
            "documentId",
            "Document",
        ),
        (
            "googleSheets",
            {"operation": "append", "documentId": "YOUR_SPREADSHEET_ID"},
            "documentId",
            "Document",
        ),
    ],
)
def test_a_name_that_n8n_cannot_look_up_is_left_to_choose(
    registry: Registry, tool: str, params: dict[str, Any], name: str, label: str
) -> None:
    """It stays where the editor shows it, and one to-do says the node, the label and the name."""
    compilation = _compile_step(registry, tool, **params)
    text = params[name]["value"] if isinstance(params[name], dict) else params[name]
    locator = _parameters(compilation)[name]
    assert locator["mode"] == "list"
    assert locator["cachedResultName"] == text
    points = [point for point in open_points(compilation.diagnostics) if f'"{text}"' in point]
    (point,) = points
    assert label in point
    assert "act" in point or " of " in point


@pytest.mark.parametrize(
    ("tool", "params", "name"),
    [
        ("telegram", {"operation": "sendMessage", "chatId": "YOUR_CHAT_ID", "text": "x"}, "chatId"),
        ("telegram", {"operation": "sendMessage", "chatId": "123456789", "text": "x"}, "chatId"),
        ("telegram", {"operation": "sendMessage", "chatId": None, "text": "x"}, "chatId"),
        ("gmail", {"operation": "send", "sendTo": "you@example.com", "message": "x"}, "sendTo"),
        ("gmail", {"operation": "send", "sendTo": "<your email>", "message": "x"}, "sendTo"),
        ("httpRequest", {"url": "https://your-domain.com/items"}, "url"),
        ("httpRequest", {"url": "TODO"}, "url"),
    ],
)
def test_a_placeholder_is_a_to_do(
    registry: Registry, tool: str, params: dict[str, Any], name: str
) -> None:
    """A placeholder for a value of the user counts as missing."""
    compilation = _compile_step(registry, tool, **params)
    assert compilation.verdict == "incomplete"
    codes = [d.code for d in compilation.diagnostics if d.at[3:4] == (name,)]
    assert codes == ["GB331"]


@pytest.mark.parametrize(
    "columns",
    [
        {"a": "1", "b": "{{ $json.b }}"},
        {"mappingMode": "defineBelow", "value": {"a": "1", "b": "={{ $json.b }}"}},
        {"value": {"a": "1", "b": "={{ $json.b }}"}},
    ],
)
@pytest.mark.parametrize(
    "documents", [{}, {"documentId": "1KQ9NPfbFTsPMsC1gZ7B", "sheetName": "A"}]
)
def test_columns_get_the_schema_that_nodes_read(
    registry: Registry, columns: dict[str, Any], documents: dict[str, str]
) -> None:
    """Google Sheets throws without it; the columns have an effect before a sheet is chosen."""
    compilation = _compile_step(
        registry, "googleSheets", operation="append", columns=columns, **documents
    )
    mapping = _parameters(compilation)["columns"]
    assert mapping["mappingMode"] == "defineBelow"
    assert mapping["value"] == {"a": "1", "b": "={{ $json.b }}"}
    assert [column["id"] for column in mapping["schema"]] == ["a", "b"]
    assert "GB345" not in [d.code for d in compilation.diagnostics]


@pytest.mark.parametrize("name", ["filtersUI", "options"])
def test_parameter_hidden_until_choice_has_effect(registry: Registry, name: str) -> None:
    """A parameter that n8n hides until a document is chosen is not reported as ineffective."""
    given = {
        "filtersUI": {"values": [{"lookupColumn": "a", "lookupValue": "x"}]},
        "options": {"returnFirstMatch": True},
    }
    compilation = _compile_step(registry, "googleSheets", operation="read", **{name: given[name]})
    assert "GB345" not in [d.code for d in compilation.diagnostics]
    compilation = _compile_step(registry, "googleSheets", operation="create", **{name: given[name]})
    assert (name == "options") or "GB345" in [d.code for d in compilation.diagnostics]


@pytest.mark.parametrize(
    ("text", "left", "operation", "right"),
    [
        ("{{ $json.a }} > 5", "={{ $json.a }}", "gt", 5),
        ("={{ $json.a }} <= -2.5", "={{ $json.a }}", "lte", -2.5),
        ("'{{ $json.status }}' === 'paid'", "={{ $json.status }}", "equals", "paid"),
        ("{{ $json.ok }} == true", "={{ $json.ok }}", "equals", True),
        ("{{ $json.a > 5 && $json.b }}", "={{ !!($json.a > 5 && $json.b) }}", "true", ""),
        ("$json.tags.includes('x')", "={{ !!($json.tags.includes('x')) }}", "true", ""),
        (
            "{{ $json.a }} > 5 || {{ $json.b }} == 'x'",
            "={{ !!(($json.a) > 5 || ($json.b) == 'x') }}",
            "true",
            "",
        ),
        ("{{ $json.name }} > 'm'", "={{ ($json.name) > 'm' }}", "true", ""),
    ],
)
@pytest.mark.parametrize("tool", ["if", "filter"])
def test_a_condition_in_words_of_javascript_is_a_filter(
    registry: Registry, tool: str, text: str, left: str, operation: str, right: Any
) -> None:
    """n8n takes a text around braces for true."""
    compilation = _compile_step(registry, tool, conditions=text)
    (condition,) = _parameters(compilation)["conditions"]["conditions"]
    assert condition["leftValue"] == left
    assert condition["operator"]["operation"] == operation
    assert condition["rightValue"] == right


@pytest.mark.parametrize(
    "text",
    [
        "{{ $json.a }} = 5",
        "amount over 5",
        "{{ $json.a }} is more than 5",
        "={{ $json.a }} contains x",
        "The total is {{ $json.a }}",
        "{{ $json.a }} {{ $json.b }}",
        "'a {{ $json.a }} b' == 'a 1 b'",
    ],
)
def test_a_condition_that_is_no_javascript_is_refused(registry: Registry, text: str) -> None:
    """It would always be true."""
    compilation = _compile_step(registry, "if", conditions=text)
    assert compilation.verdict == "wrong"
    assert [d.code for d in compilation.diagnostics if d.rule.kind == "wrong"] == ["GB304"]


def test_a_native_condition_around_braces_is_wrong(registry: Registry) -> None:
    """Braces around the whole expression give a boolean, braces inside a text never do."""

    def verdict(text: str) -> str:
        node = {"id": "1", "name": "If", "type": f"{BASE}if", "typeVersion": 2.2}
        place = {"position": [0, 0], "parameters": {"conditions": text}}
        draft = {"name": "x", "nodes": [{**node, **place}], "connections": {}}
        return compile_with_fixes(draft, N8N, registry, CompileOptions()).verdict

    assert verdict("={{ $json.a }} > 5") == "wrong"
    assert verdict("={{ $json.a > 5 }}") != "wrong"


def test_conditions_of_the_first_if_become_a_filter(registry: Registry) -> None:
    """The shape of n8n 1.x has the same comparisons."""
    old = {
        "number": [{"value1": "={{ $json.a }}", "operation": "larger", "value2": 5}],
        "string": [{"value1": "{{ $json.b }}", "operation": "isNotEmpty"}],
    }
    conditions = _parameters(_compile_step(registry, "if", conditions=old))["conditions"]
    assert conditions["combinator"] == "and"
    assert [
        (each["leftValue"], each["operator"]["operation"], each["rightValue"])
        for each in conditions["conditions"]
    ] == [("={{ $json.a }}", "gt", 5), ("={{ $json.b }}", "notEmpty", "")]


@pytest.mark.parametrize("name", ["rule", "cronExpression", "expression"])
def test_a_cron_expression_alone_is_a_schedule(registry: Registry, name: str) -> None:
    """The setting by which n8n reads it is written beside it."""
    plan = {
        "goal": "A test",
        "steps": [
            {"id": "at", "tool": f"{BASE}scheduleTrigger", "params": {name: "0 8 * * 1-5"}},
            {"id": "end", "tool": f"{BASE}noOp"},
        ],
    }
    compilation = compile_with_fixes(plan, N8N, registry, CompileOptions())
    assert compilation.verdict == "ok"
    assert compilation.artifact is not None
    (entry,) = compilation.artifact["nodes"][0]["parameters"]["rule"]["interval"]
    assert entry == {"field": "cronExpression", "expression": "0 8 * * 1-5"}
    assert "GB345" not in [d.code for d in compilation.diagnostics]


@pytest.mark.parametrize(
    ("tool", "params", "point"),
    [
        (
            "slack",
            {"resource": "message", "operation": "sendAndWait", "message": "Go on?"},
            '"User" of',
        ),
        (
            "slack",
            {"operation": "post", "select": "user", "text": "x"},
            '"User" of',
        ),
        ("discord", {"authentication": "webhook", "content": "x"}, "discordWebhookApi"),
        ("discord", {"authentication": "botToken", "content": "x"}, "discordBotApi"),
    ],
)
def test_value_needed_at_run_time_is_to_do(
    registry: Registry, tool: str, params: dict[str, Any], point: str
) -> None:
    """The user of an approval and the address of a webhook are to-dos that n8n does not require."""
    points = open_points(_compile_step(registry, tool, **params).diagnostics)
    assert len([each for each in points if point in each]) == 1
    assert len(points) == len(set(points))


@pytest.mark.parametrize(
    ("tool", "params", "written"),
    [
        (
            "hubspot",
            {"resource": "contact", "operation": "upsert", "email": "a@acme.io"},
            "appToken",
        ),
        ("zoom", {"topic": "Weekly"}, "oAuth2"),
        ("baserow", {"operation": "getAll"}, "databaseToken"),
        ("hubspot", {"authentication": "apiKey", "operation": "upsert"}, "apiKey"),
        ("linkedIn", {"text": "Hello"}, None),
        ("wordpress", {"title": "Hello"}, None),
    ],
)
def test_a_retired_way_to_sign_in_is_not_chosen(
    registry: Registry, tool: str, params: dict[str, Any], written: str | None
) -> None:
    """A default whose credential type n8n warns of gives way, with a note; a stated one stays."""
    compilation = _compile_step(registry, tool, **params)
    assert _parameters(compilation).get("authentication") == written
    is_stated = "authentication" in params
    notes = [d for d in compilation.diagnostics if d.code == "N8N360"]
    assert bool(notes) == (written is not None and not is_stated)
    points = open_points(compilation.diagnostics)
    assert any("n8n notes" in point for point in points) == is_stated


def test_the_page_that_posts_is_asked_for(registry: Registry) -> None:
    """n8n does not require the organization of LinkedIn, without which no post succeeds."""
    company = _compile_step(registry, "linkedIn", postAs="organization", text="Hello")
    assert any("Organization URN" in point for point in open_points(company.diagnostics))
    person = _compile_step(registry, "linkedIn", postAs="person", text="Hello")
    assert not any("Organization" in point for point in open_points(person.diagnostics))


_STATUS = {
    "leftValue": "={{ $json.status }}",
    "operator": {"type": "string", "operation": "equals"},
}
_AMOUNT = {"leftValue": "={{ $json.amount }}", "operator": {"type": "number", "operation": "gt"}}
_OPEN, _LARGE = {**_STATUS, "rightValue": "open"}, {**_AMOUNT, "rightValue": 100}
_GONE = {
    "leftValue": '={{ $json["Due date"] }}',
    "operator": {"type": "string", "operation": "empty", "singleValue": True},
    "rightValue": "",
}


@pytest.mark.parametrize(
    ("loose", "join", "conditions"),
    [
        ([{"field": "status", "operator": "equals", "value": "open"}], "and", [_OPEN]),
        ({"key": "status", "op": "==", "right": "open"}, "and", [_OPEN]),
        (
            [{"value1": "={{ $json.status }}", "operation": "equal", "value2": "open"}],
            "and",
            [_OPEN],
        ),
        ([{"column": "Due date", "operator": "is empty"}], "and", [_GONE]),
        (
            {
                "combinator": "or",
                "conditions": [
                    {"left": "$json.status", "comparison": "is equal to", "right": "open"},
                    {"field": "amount", "operator": ">", "value": 100},
                ],
            },
            "or",
            [_OPEN, _LARGE],
        ),
        (
            {
                "all": "any",
                "conditions": [{"name": "amount", "type": "number", "op": "gt", "value": "100"}],
            },
            "or",
            [_LARGE],
        ),
        ([_OPEN, {"field": "amount", "operator": "larger", "value": 100}], "and", [_OPEN, _LARGE]),
    ],
)
def test_conditions_of_a_field_and_a_value_are_a_filter(
    registry: Registry, loose: Any, join: str, conditions: list[dict[str, Any]]
) -> None:
    """The name of the operation is found by its value, the field and the value by their order."""
    for tool, params in (
        ("if", {"conditions": loose}),
        ("switch", {"rules": {"values": [{"conditions": loose}]}}),
    ):
        written = _parameters(_compile_step(registry, tool, **params))
        if tool == "switch":
            written = written["rules"]["values"][0]
        assert written["conditions"]["combinator"] == join
        assert written["conditions"]["conditions"] == conditions


@pytest.mark.parametrize(
    "loose",
    [
        [{"field": "a", "operator": "zorp", "value": 1}],
        [{"field": "a", "operator": "equals", "value": 1, "unless": "b"}],
        [{"field": "a", "operator": "equals", "value": [1, 2]}],
        [{"field": "a", "operator": "equals"}],
        {"xor": "sometimes", "conditions": [{"field": "a", "operator": "equals", "value": 1}]},
    ],
)
def test_conditions_with_anything_else_are_not_read_in_part(registry: Registry, loose: Any) -> None:
    """An unknown operation, key or join, a list and a lacking value leave a finding."""
    compilation = _compile_step(registry, "if", conditions=loose)
    assert compilation.verdict == "wrong"


@pytest.mark.parametrize(
    ("params", "amount", "unit"),
    [
        ({"amount": "2 hours"}, 2, "hours"),
        ({"duration": "3 days"}, 3, "days"),
        ({"resume": "timeInterval", "amount": "90 min"}, 90, "minutes"),
        ({"time": "2 weeks"}, 14, "days"),
        ({"amount": 45, "unit": "sec"}, 45, "seconds"),
    ],
)
def test_a_duration_in_words_is_a_number_and_a_unit(
    registry: Registry, params: dict[str, Any], amount: int, unit: str
) -> None:
    """n8n states a duration by two parameters; a stated other unit stays and is reported."""
    written = _parameters(_compile_step(registry, "wait", **params))
    assert (written["amount"], written["unit"]) == (amount, unit)
    assert _compile_step(registry, "wait", amount="2 hours", unit="days").verdict == "wrong"


@pytest.mark.parametrize("resource", ["member", "memberTag"])
def test_an_id_goes_to_what_it_names(registry: Registry, resource: str) -> None:
    """``listId`` is the list, not an option of the same name that another operation has."""
    step = {"resource": resource, "operation": "create", "email": "a@b.io"}
    written = _parameters(_compile_step(registry, "mailchimp", listId="ab12cd34", **step))
    assert written["list"] == "ab12cd34"
    assert "options" not in written


@pytest.mark.parametrize("key", ["timezone", "time_zone", "Timezone"])
def test_a_setting_beside_the_steps_is_one_of_the_workflow(registry: Registry, key: str) -> None:
    """A time zone of the plan is that of the workflow; another one under "settings" stays."""
    plan = {"steps": [MANUAL], key: "Europe/Berlin"}
    compilation = compile_with_fixes(plan, N8N, registry, CompileOptions())
    assert compilation.artifact is not None
    assert compilation.artifact["settings"]["timezone"] == "Europe/Berlin"
    other = {**plan, "settings": {"timezone": "Asia/Tokyo"}}
    differing = compile_with_fixes(other, N8N, registry, CompileOptions())
    assert differing.artifact is not None
    assert differing.artifact["settings"]["timezone"] == "Asia/Tokyo"
    assert any(d.code == "GB117" and d.token == key for d in differing.diagnostics)


def test_a_value_of_several_nodes_is_one_point(registry: Registry) -> None:
    """A document that several nodes use is on the list once, with all of them."""
    tool, params = f"{BASE}airtable", {"operation": "search", "base": "CRM", "table": "Leads"}
    steps = [{"id": name, "tool": tool, "params": params} for name in ("first", "second")]
    plan = {"steps": [MANUAL, *steps]}
    points = open_points(compile_with_fixes(plan, N8N, registry, CompileOptions()).diagnostics)
    (base,) = [point for point in points if "CRM" in point]
    assert base.startswith('"Base" of "')
    assert base.count('" and "') == 1


@pytest.mark.parametrize(
    ("tool", "params", "label"),
    [
        ("googleDrive", {"resource": "file", "operation": "upload"}, "Parent Folder"),
        ("googleDrive", {"resource": "file", "operation": "createFromText"}, "Parent Folder"),
        ("asana", {"resource": "project", "operation": "create"}, "Team Name or ID"),
        (
            "getResponse",
            {"resource": "contact", "operation": "create", "email": "={{ $json.email }}"},
            "Campaign Name or ID",
        ),
        ("box", {"resource": "file", "operation": "upload"}, "Parent ID"),
        ("mailgun", {"toEmail": "ada@corp.test", "subject": "Hi"}, None),
        ("linearTrigger", {}, "Team Name or ID"),
        ("googleDrive", {"operation": "upload", "folderId": "1abcDEF2ghiJKL3mno"}, None),
        ("postgres", {"operation": "insert", "table": "orders"}, None),
        ("confluence", {"resource": "page", "operation": "create"}, None),
        ("slack", {"operation": "post", "select": "channel", "text": "Hi"}, None),
    ],
)
def test_a_list_of_the_account_at_its_default_is_a_point(
    registry: Registry, tool: str, params: dict[str, Any], label: str | None
) -> None:
    """A list of the account that a plan leaves at its default is advice for the user."""
    compilation = _compile_step(registry, tool, **params)
    left = [d for d in compilation.diagnostics if d.code == "N8N361"]
    assert [d.message.split('"')[1] for d in left] == ([label] if label else [])
    assert {d.message for d in left} <= set(open_points(compilation.diagnostics))


def test_models_at_their_default_are_no_points(registry: Registry) -> None:
    """A model is no place that data goes to; n8n's default works."""
    for tool in ("openAi", "googleGemini", "lmChatOpenAi"):
        step = {"id": "act", "tool": f"@n8n/n8n-nodes-langchain.{tool}", "params": {}}
        compilation = compile_with_fixes({"steps": [MANUAL, step]}, N8N, registry, CompileOptions())
        assert not [d for d in compilation.diagnostics if d.code == "N8N361"]


_KEEP = {"assignments": {"assignments": [{"name": "kept", "type": "string", "value": "1"}]}}


@pytest.mark.parametrize(
    ("steps", "point"),
    [
        (
            [{"id": "keep", "tool": f"{BASE}set", "params": _KEEP}, "={{ $json.total }}"],
            "reads the field total",
        ),
        (
            [
                {"id": "side", "tool": f"{BASE}noOp", "inputs": ["start"]},
                "={{ $('side').all().length }}",
            ],
            "reads the data of",
        ),
    ],
)
def test_data_that_stays_empty_is_on_the_list(
    registry: Registry, steps: list[Any], point: str
) -> None:
    """A read of what is not there is worth another draft; what stays is said to the person."""
    *others, text = steps
    inputs = ["keep"] if others[0]["id"] == "keep" else ["start"]
    params = {"mode": "raw", "jsonOutput": text}
    last = {"id": "last", "tool": f"{BASE}set", "params": params, "inputs": inputs}
    plan = json.dumps({"steps": [MANUAL, *others, last]})
    context = CompileContext(N8N, registry, CompileOptions(), tuple)
    conversation = start_conversation("Do it", N8N, registry, ConversationLimits(), now=0.0)
    conversation, outcome, _ = take_reply(conversation, plan, context, now=0.0)
    assert outcome is None
    assert point in conversation.messages[-1].content
    _, outcome, _ = take_reply(conversation, plan, context, now=0.0)
    assert outcome is not None
    assert any(point in line for line in outcome.todo)


def test_a_keyword_of_a_service_is_not_called_a_name(registry: Registry) -> None:
    """``primary`` works as it stands in Google Calendar; another word there has to be chosen."""
    for calendar, fact in (("primary", "keyword of the service"), ("Team days", "cannot look up")):
        compilation = _compile_step(
            registry, "googleCalendar", operation="getAll", calendar=calendar
        )
        (point,) = [p for p in open_points(compilation.diagnostics) if "Calendar" in p[:11]]
        assert fact in point


@pytest.mark.parametrize(
    ("tool", "params", "name"),
    [
        ("nocoDb", {"operation": "create", "projectId": "p1x8sdj3kasdk"}, "table"),
        ("microsoftExcelSharePoint", {"operation": "getRows"}, "table"),
        ("microsoftOutlook", {"resource": "event", "operation": "create"}, "calendarId"),
        ("todoist", {"operation": "create", "content": "x"}, "project"),
        ("currents", {}, "projectId"),
        ("clickUp", {"resource": "task", "operation": "create", "name": "x"}, "team"),
        ("clickUp", {"resource": "task", "operation": "create", "name": "x"}, "list"),
        ("baserow", {"operation": "create"}, "tableId"),
    ],
)
def test_a_name_for_an_id_of_any_form_stays_with_a_to_do(
    registry: Registry, tool: str, params: dict[str, Any], name: str
) -> None:
    """A word where an id without a pattern is wanted is written, and is open for the user."""
    compilation = _compile_step(registry, tool, **params, **{name: "Backlog"})
    assert _value_of(_parameters(compilation)[name]) == "Backlog"
    open_names = [d for d in compilation.diagnostics if d.token == name]
    assert [d.only_user for d in open_names] == [True]
    assert "Backlog" in open_names[0].message


def _value_of(value: Any) -> Any:
    return value["value"] if isinstance(value, dict) else value


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("seaTable", {"operation": "create", "tableName": "Leads"}),
        ("@n8n/n8n-nodes-langchain.vectorStoreWeaviate", {"weaviateCollection": "Articles"}),
        ("clickUp", {"resource": "task", "operation": "create", "team": "90151234567"}),
        ("gmail", {"resource": "message", "operation": "getAll", "filters": {"labelIds": "INBOX"}}),
    ],
)
def test_what_has_its_name_as_id_is_not_open(
    registry: Registry, tool: str, params: dict[str, Any]
) -> None:
    """Tables and collections that a service identifies by name, and ids, are no open names."""
    steps = [MANUAL, {"id": "act", "tool": tool if "." in tool else BASE + tool, "params": params}]
    compilation = compile_with_fixes(
        {"goal": "A test", "steps": steps}, N8N, registry, CompileOptions()
    )
    names = {*params, "labelIds", "filters.labelIds"}
    assert not [d for d in compilation.diagnostics if d.only_user and d.token in names]


_COLUMNS = {"Email": "={{ $json.email }}", "Name": "x"}


@pytest.mark.parametrize(
    ("tool", "params", "mapper"),
    [
        (
            "googleSheets",
            {
                "operation": "appendOrUpdate",
                "documentId": "https://docs.google.com/spreadsheets/d/1abcDEF2ghi/edit",
                "sheetName": "Leads",
            },
            "columns",
        ),
        (
            "airtable",
            {"operation": "update", "base": "appABCDEFGHIJKLMN", "table": "tblABCDEFGHIJKLMN"},
            "columns",
        ),
        ("postgres", {"operation": "upsert", "schema": "public", "table": "leads"}, "columns"),
        ("theHiveProject", {"resource": "case", "operation": "update"}, "caseUpdateFields"),
    ],
)
def test_an_update_names_the_columns_to_match_on(
    registry: Registry, tool: str, params: dict[str, Any], mapper: str
) -> None:
    """A mapper that changes rows and names no column to find them by is reported."""

    def report(value: Any) -> list[str | None]:
        written = {} if value is None else {mapper: value}
        compilation = _compile_step(registry, tool, **params, **written)
        return [d.token for d in compilation.diagnostics if d.code == "GB301"]

    assert report(_COLUMNS) == [f"{mapper}.matchingColumns"]
    assert report({"value": _COLUMNS, "matchingColumns": []}) == [f"{mapper}.matchingColumns"]
    assert report(None) == [mapper]
    assert report({"value": _COLUMNS, "matchingColumns": ["Email"]}) == []
    assert report("={{ $json.mapping }}") == []


def test_an_open_document_names_the_sheet_and_columns_that_the_editor_empties(
    registry: Registry,
) -> None:
    """They are written, and lost when the document is chosen in the editor."""
    compilation = _compile_step(
        registry, "googleSheets", operation="append", sheetName="Sheet1", columns={"a": 1}
    )
    points = open_points(compilation.diagnostics)
    assert any("empties sheetName, columns" in point for point in points), points
