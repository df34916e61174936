"""The best draft of a conversation is its outcome, and which drafts are requested again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.stated_values import stated_values, unused_values
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.drafting.conversation_rounds import end_early, start_conversation, take_reply
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.registries import registry_from

REQUEST = "When the Acme hook is called, file a note"
BOARD = "acme-nodes.board"
HOOK = {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with a tool of texts, ids, lists of an account and addresses."""
    required = {"required": True, "default": ""}
    locator = {"mode": "list", "value": ""}
    parameters = [
        {"name": "resource", "type": "options", "default": "note", "options": _options("note")},
        {"name": "title", "type": "string", **required},
        {
            "name": "mode",
            "type": "options",
            "default": "plain",
            "options": _options("plain", "rich"),
        },
        {
            "name": "colour",
            "type": "string",
            "default": "",
            "displayOptions": {"show": {"mode": ["rich"]}},
        },
        {"name": "text", "type": "string", **required},
        {"name": "boardId", "type": "string", **required},
        {"name": "noteId", "type": "string", **required},
        {"name": "recipient", "type": "string", **required},
        {
            "name": "folder",
            "type": "resourceLocator",
            "required": True,
            "default": locator,
            "modes": [{"name": "list", "type": "list"}],
        },
        {
            "name": "label",
            "type": "options",
            **required,
            "typeOptions": {"loadOptionsMethod": "getLabels"},
        },
    ]
    mail = next(line for line in catalogs.acme() if line.get("id") == catalogs.MAIL)
    board = {**mail, "id": BOARD, "name": "Acme Board", "aliases": [], "family": ""}
    board["variants"] = [
        {
            "versions": [1],
            "inputs": [{"kind": "main"}],
            "outputs": [{"kind": "main"}],
            "parameters": parameters,
        }
    ]
    board["default_version"] = 1
    lines = [*(line for line in catalogs.acme() if line["kind"] != "end"), board]
    return registry_from(catalogs.jsonl(catalogs.add_end_line(lines)))


def _options(*values: str) -> list[dict[str, str]]:
    return [{"name": value, "value": value} for value in values]


def _plan(*params: dict[str, Any]) -> dict[str, Any]:
    steps = [{"id": f"note{at}", "tool": BOARD, "params": each} for at, each in enumerate(params)]
    return {"steps": [HOOK, *steps]}


FULL = {
    "title": "a",
    "text": "b",
    "boardId": "b1",
    "noteId": "n1",
    "recipient": "kim@a.example",
    "folder": {"__rl": True, "mode": "list", "value": "f1"},
    "label": "l1",
}
OF_USER = ("boardId", "recipient", "folder", "label")


def _without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in FULL.items() if name not in names}


def _context(registry: Registry, *, salvage: bool = False) -> CompileContext:
    return CompileContext(N8N, registry, CompileOptions(purpose="import"), tuple, salvage=salvage)


def _talk(
    registry: Registry, replies: Iterable[Any], request: str = REQUEST, *, salvage: bool = False
) -> tuple[Conversation, Outcome | None, int, Compilation | None]:
    """The state after the replies, the outcome if one came, and the number of replies taken."""
    context = _context(registry, salvage=salvage)
    conversation = start_conversation(request, N8N, registry, ConversationLimits(), now=0.0)
    taken, compilation = 0, None
    for reply in replies:
        taken += 1
        text = reply if isinstance(reply, str) else json.dumps(reply)
        conversation, outcome, compilation = take_reply(conversation, text, context, now=0.0)
        if outcome is not None:
            return conversation, outcome, taken, compilation
    return conversation, None, taken, compilation


def _nodes(outcome: Outcome | None) -> list[dict[str, Any]]:
    assert outcome is not None
    assert outcome.compilation is not None
    assert outcome.compilation.artifact is not None
    return [n for n in outcome.compilation.artifact["nodes"] if n["type"] == BOARD]


@pytest.mark.parametrize("name", OF_USER)
def test_values_of_the_user_cost_no_round(name: str, registry: Registry) -> None:
    """A draft that lacks only an id, an address or a list entry of the user's is the outcome."""
    _, outcome, _, _ = _talk(registry, [_plan(_without(name))])
    assert outcome is not None
    assert (outcome.outcome, outcome.rounds) == ("incomplete", 1)
    assert any(name in point for point in outcome.todo)


@pytest.mark.parametrize("name", ["title", "text", "noteId"])
def test_drafter_is_asked_for_values_it_can_write(name: str, registry: Registry) -> None:
    """A text, or the id of the object of the data, is asked for once; values of the user not."""
    conversation, outcome, _, _ = _talk(registry, [_plan(_without(name, *OF_USER))])
    assert outcome is None
    feedback = conversation.messages[-1].content
    assert f'"{name}"' in feedback
    assert not any(f'"{other}"' in feedback for other in OF_USER)
    _, outcome, taken, _ = _talk(registry, [_plan(_without(name))] * 3)
    assert outcome is not None
    assert taken == 2


@pytest.mark.parametrize(
    "request_text",
    [
        f"{REQUEST} on the board B0123456789",
        f"{REQUEST} for kim@b.example",
        f'{REQUEST} in the folder "Team notes"',
        f"{REQUEST} for #sales",
    ],
)
def test_a_stated_value_that_is_not_used_is_asked_for(
    request_text: str, registry: Registry
) -> None:
    """A value of the user's is asked for where the request states one that the draft lacks."""
    conversation, outcome, _, _ = _talk(registry, [_plan(_without(*OF_USER))], request_text)
    assert outcome is None
    assert '"boardId"' in conversation.messages[-1].content


def test_values_of_the_user_are_asked_for_once(registry: Registry) -> None:
    """A second draft that still lacks some of them is the outcome; the summary names the value."""
    drafts = [_plan(_without(*OF_USER)), _plan(_without(*OF_USER[1:]))]
    _, outcome, taken, _ = _talk(registry, drafts, f'{REQUEST} in the folder "Team notes"')
    assert outcome is not None
    assert taken == 2
    assert '"Team notes"' in outcome.summary


def test_stated_values_are_those_of_an_account() -> None:
    """Words, times and numbers of a request are no values of an account."""
    assert stated_values("Every weekday at 8am, take 10 items of the last 24-hour day") == ()
    text = 'Write "Hello you" to a@b.example, #ops and https://x.example/y?z=1 for 123456.'
    values = ("Hello you", "a@b.example", "ops", "https://x.example/y?z=1", "123456")
    assert stated_values(text) == values
    assert not unused_values(text, {"all": list(values)})
    assert unused_values(text, {"all": list(values[1:])}) == values[:1]


def test_the_query_of_an_address_is_no_value_of_its_own() -> None:
    """Drafts write the query of an address apart from it, so only the part before it counts."""
    text = "call https://enrich.example.com/v1/company?domain=... for each"
    assert not unused_values(text, {"url": "https://enrich.example.com/v1/company"})
    assert unused_values(text, {"url": "https://other.example.com"})


@pytest.mark.parametrize(
    "text",
    [
        'The webhook gets {"name": "Ann Example", "tags": [{"id": "12345678"}]} from the site',
        "files named like 2026-03-14_ann@mail.example_scan.pdf",
        "GET https://api.example.com/orders/{order_id} for each",
    ],
)
def test_examples_are_no_values_of_an_account(text: str) -> None:
    """Example data, a name pattern and a placeholder of an address need not be in the draft."""
    assert unused_values(text, {"url": "https://api.example.com/orders/"}) == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("the api key goes in header X-Api-Key", ("X-Api-Key",)),
        ("check X-Shop-Hmac-Sha256 first", ("X-Shop-Hmac-Sha256",)),
        ("set churn_date to today in notes_frais", ("churn_date", "notes_frais")),
        ("answer POST /quote, and GET /orders/{id} as well", ("quote", "orders")),
        ("in die Tabelle \u201eOffene Posten\u201c", ("Offene Posten",)),
        ("dans la feuille \u00ab\u00a0Notes de frais\u00a0\u00bb", ("Notes de frais",)),
        ("\u300c\u58f2\u4e0a\u300d\u306b\u66f8\u304f", ("\u58f2\u4e0a",)),
        ("the field `visitors` of the reply", ("visitors",)),
        ("Peter@acme.io and G12345678 and an e-mail follow-up", ("Peter@acme.io", "G12345678")),
        ("one Slack-Nachricht, a Google-Sheets-Tabelle, iPhone and HubSpot, 24/7, w/o delay", ()),
    ],
)
def test_names_that_only_software_has_are_values(text: str, values: tuple[str, ...]) -> None:
    """Names of headers, columns and paths are read in any language, and so is what quotes hold."""
    assert stated_values(text) == values
    assert unused_values(text, {"goal": text, "steps": []}) == tuple(
        value for value in values if value in unused_values(text, {"steps": []}, sure=True)
    )
    assert not unused_values(text, {"steps": [{"remarks": " ".join(values)}]})


@pytest.mark.parametrize(
    ("text", "written", "is_lost"),
    [
        ('send "Sync done: N records"', "=Sync done: {{ $json.count }} records", False),
        ('called "Shopify <order name>"', "=Shopify {{ $json.name }}", False),
        ('the title "Report [date]: {n} of ..."', "=Report {{ $now }}: 3 of 4", False),
        ('send "Sync done: N records"', "=All done: {{ $json.count }}", True),
        ('write "Plan B"', "=Plan {{ $json.letter }}", False),
        ('write "Plan b"', "=Plan {{ $json.letter }}", True),
    ],
)
def test_places_for_data_in_a_quoted_text_need_not_be_written(
    text: str, written: str, *, is_lost: bool
) -> None:
    """Of a text such as ``N records`` only the words around the data must be in the draft."""
    assert bool(unused_values(text, {"steps": [{"text": written}]})) is is_lost


@pytest.mark.parametrize(
    ("template", "is_lost"),
    [
        ("={{ $json.temp }} \u00b0C, {{ $json.sky }}, wind {{ $json.wind }} m/s", False),
        ("={{ $json.temp }} degrees", True),
        ("7 \u00b0C, wind, m/s", True),
    ],
)
def test_a_quoted_text_with_numbers_can_be_an_example(template: str, is_lost: bool) -> None:
    """A text with expressions that has most of its words yields such texts."""
    text = 'Push a text like "7.3 \u00b0C, light rain, wind 4 m/s"'
    assert bool(unused_values(text, {"steps": [{"text": template}]})) is is_lost


def test_a_lost_value_is_asked_for_and_then_on_the_list(registry: Registry) -> None:
    """A name that no step has leads to one more draft; then it is left to the person."""
    text = f"{REQUEST}; its header is X-Note-Key"
    conversation, outcome, _, _ = _talk(registry, [_plan(FULL)], text)
    assert outcome is None
    assert '"X-Note-Key"' in conversation.messages[-1].content
    _, outcome, taken, _ = _talk(registry, [_plan(FULL)] * 2, text)
    assert outcome is not None
    assert taken == 2
    assert '"X-Note-Key"' in outcome.summary
    assert outcome.compilation is not None
    assert [d.token for d in outcome.compilation.diagnostics if d.code == "GB344"] == ["X-Note-Key"]
    assert any("X-Note-Key" in point for point in outcome.todo)


def test_emphasis_costs_no_draft(registry: Registry) -> None:
    """A text in quotes that a complete draft lacks is on the list at once."""
    _, outcome, taken, _ = _talk(registry, [_plan(FULL)], f'{REQUEST}, the "nice" way')
    assert outcome is not None
    assert taken == 1
    assert any('"nice"' in point for point in outcome.todo)


_HIDDEN = {**FULL, "mode": "plain", "colour": "red"}


def _native(params: dict[str, Any], **more: Any) -> dict[str, Any]:
    facts = {"typeVersion": 1, "position": [0, 0]}
    hook = {"name": "Hook", "type": catalogs.HOOK, "parameters": {"path": "greet"}, **facts}
    board = {"name": "Board", "type": BOARD, "parameters": {**params, **more}, **facts}
    joined = {"Hook": {"main": [[{"node": "Board", "type": "main", "index": 0}]]}}
    return {"name": "Notes", "nodes": [hook, board], "connections": joined}


@pytest.mark.parametrize("draft", [_plan(_HIDDEN), _native(_HIDDEN), _native(FULL, colours="red")])
def test_a_value_without_effect_is_asked_about_once(draft: Any, registry: Registry) -> None:
    """The drafter gets the finding; the same draft again is the outcome."""
    conversation, outcome, _, _ = _talk(registry, [draft])
    assert outcome is None
    assert '"colour' in conversation.messages[-1].content
    _, outcome, taken, _ = _talk(registry, [draft] * 3)
    assert outcome is not None
    assert taken == 2


def test_the_setting_that_gives_a_value_its_effect_is_named(registry: Registry) -> None:
    """The feedback has the remedy."""
    conversation, _, _, _ = _talk(registry, [_plan(_HIDDEN)])
    assert "mode=rich" in conversation.messages[-1].content


def test_a_value_without_effect_is_an_error_beside_other_faults(registry: Registry) -> None:
    """It is reported with them, and again while the draft has it."""
    wrong = {"steps": [HOOK, {"id": "a", "tool": BOARD, "params": _HIDDEN}, {"tool": "nowhere"}]}
    conversation, outcome, _, _ = _talk(registry, [wrong])
    assert outcome is None
    assert "mode=rich" in conversation.messages[-1].content
    repaired = {"steps": wrong["steps"][:2]}
    conversation, outcome, _, _ = _talk(registry, [wrong, repaired])
    assert outcome is None
    assert "mode=rich" in conversation.messages[-1].content


def test_open_places_are_counted_for_each_node(registry: Registry) -> None:
    """Two nodes that lack three values each are worse than two that lack two each."""
    three = _plan(_without("title", "text", "noteId"), _without("title", "text", "noteId"))
    two = _plan(_without("title", "text"), _without("title", "noteId"))
    _, outcome, taken, _ = _talk(registry, [three, two, two])
    assert taken == 3
    assert [("noteId" in node["parameters"]) for node in _nodes(outcome)] == [True, False]
    _, outcome, taken, _ = _talk(registry, [two, three, three])
    assert taken == 3
    parameters = [node["parameters"] for node in _nodes(outcome)]
    assert ["noteId" in given for given in parameters] == [True, False]


def test_the_newest_of_equal_drafts_is_the_outcome(registry: Registry) -> None:
    """Of equally complete drafts the last one is built."""
    first, second = _plan(_without("title")), _plan(_without("title") | {"text": "newer"})
    _, outcome, _, _ = _talk(registry, [first, second])
    assert _nodes(outcome)[0]["parameters"]["text"] == "newer"


def test_a_draft_with_values_for_the_user_is_no_worse(registry: Registry) -> None:
    """A draft that covers more of the request wins, though it leaves more values to the user."""
    request = f"{REQUEST} by Acme Board and send a message by Acme Mail"
    mail = {"id": "mail", "tool": catalogs.MAIL, "params": {"resource": "message"}}
    less = _plan(FULL)
    more = {"steps": [*less["steps"], mail]}
    _, outcome, taken, _ = _talk(registry, [less, more, more], request)
    assert taken == 2
    assert outcome is not None
    assert outcome.compilation is not None
    assert outcome.compilation.artifact is not None
    types = [node["type"] for node in outcome.compilation.artifact["nodes"]]
    assert catalogs.MAIL in types


def test_a_later_wrong_draft_loses_nothing(registry: Registry) -> None:
    """The part that is built is that of the better draft, not of the last one."""
    bad = {"id": "fly", "tool": "acme-nodes.carrierPigeon", "params": {}}
    first = {"steps": [*_plan(FULL)["steps"], bad]}
    worse = {"steps": [HOOK, bad, {**bad, "id": "fly2", "tool": "acme-nodes.raven"}]}
    _, outcome, _, _ = _talk(registry, [first, worse, worse], salvage=True)
    assert outcome is not None
    assert (outcome.outcome, outcome.reason) == ("incomplete", "stalled")
    assert outcome.left_out == ('step "fly" (acme-nodes.carrierPigeon)',)
    assert len(_nodes(outcome)) == 1


def _bad_natives() -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Native drafts that do not compile, with the names of the nodes of their best part."""
    good = _native(FULL)
    hook, board = good["nodes"]
    bird = {**board, "name": "Bird", "type": "acme-nodes.carrierPigeon", "parameters": {}}
    to_bird = {"main": [[{"node": "Bird", "type": "main", "index": 0}]]}
    to_board = {"main": [[{"node": "Board", "type": "main", "index": 0}]]}
    between = {"Hook": to_bird, "Bird": to_board}
    alone = {**good, "nodes": [hook, {**bird, "name": "Board"}]}
    mode = {**board, "parameters": {**FULL, "mode": "loud"}}
    return {
        "at the end": (
            {
                **good,
                "nodes": [hook, board, bird],
                "connections": {"Hook": to_board, "Board": to_bird},
            },
            ("Hook", "Board"),
        ),
        "between": (
            {**good, "nodes": [hook, bird, board], "connections": between},
            ("Hook", "Board"),
        ),
        "a parameter": ({**good, "nodes": [hook, mode]}, ("Hook", "Board")),
        "a wrapped draft": ({"workflow": {**good, "nodes": [hook, mode]}}, ("Hook", "Board")),
        "nothing left": (alone, ()),
    }


@pytest.mark.parametrize("name", _bad_natives())
def test_the_part_of_a_native_draft_that_compiles_is_offered(name: str, registry: Registry) -> None:
    """Successors of a removed node follow its predecessor, and the removed parts are listed."""
    draft, names = _bad_natives()[name]
    _, outcome, _, _ = _talk(registry, [draft, draft], salvage=True)
    assert outcome is not None
    if not names:
        assert outcome.outcome == "refused"
        return
    assert outcome.outcome == "incomplete"
    assert outcome.left_out
    assert all(text in "; ".join(outcome.todo) for text in outcome.left_out)
    assert outcome.compilation is not None
    artifact = outcome.compilation.artifact
    assert artifact is not None
    assert tuple(node["name"] for node in artifact["nodes"]) == names
    assert artifact["connections"]["Hook"]["main"][0][0]["node"] == "Board"
    expected = '"Bird" (acme-nodes.carrierPigeon)' if "Bird" in str(draft) else '"mode" of "Board"'
    assert expected in outcome.left_out[0]


def test_the_best_draft_ends_a_conversation_early(registry: Registry) -> None:
    """If no further reply comes, the best draft, or a part of it, is the outcome."""
    conversation, outcome, _, _ = _talk(registry, [_plan(_without("title"))])
    assert outcome is None
    ended = end_early(conversation, _context(registry), "it is silent")
    assert ended is not None
    assert (ended.outcome, len(_nodes(ended))) == ("incomplete", 1)
    assert "it is silent" in ended.summary
    conversation, _, _, _ = _talk(registry, ["prose"])
    assert end_early(conversation, _context(registry, salvage=True), "it is silent") is None


def test_a_late_question_is_answered(registry: Registry) -> None:
    """Only a late draft is the last reply; a question costs the drafter's own time alone."""
    limits = ConversationLimits(seconds=180)
    conversation = start_conversation(REQUEST, N8N, registry, limits, now=0.0)
    need = json.dumps({"need": [{"find": "a board"}]})
    conversation, outcome, _ = take_reply(conversation, need, _context(registry), now=500.0)
    assert outcome is None
    assert "THE REGISTRY ANSWERS" in conversation.messages[-1].content
    assert conversation.limit(600.0) is None


def test_each_reply_has_its_time(registry: Registry) -> None:
    """Two replies that are each within the limit are both answered; a late one is the last."""
    context, limits = _context(registry), ConversationLimits(seconds=180)
    conversation = start_conversation(REQUEST, N8N, registry, limits, now=0.0)
    bad = json.dumps({"steps": [HOOK, {"id": "fly", "tool": "acme-nodes.raven", "params": {}}]})
    worse = json.dumps({"steps": [{"id": "fly", "tool": "acme-nodes.pigeon", "params": {}}]})
    conversation, outcome, _ = take_reply(conversation, bad, context, now=100.0)
    assert outcome is None
    conversation, outcome, _ = take_reply(conversation, worse, context, now=200.0)
    assert outcome is None
    _, outcome, _ = take_reply(conversation, bad, context, now=381.0)
    assert outcome is not None
    assert outcome.reason == "exhausted"


def test_attributes_of_an_example_element_are_no_values() -> None:
    """An order in XML that a request shows is data; a quoted text beside it is a value."""
    text = 'Each file is <order id="A-17"><total>30.50</total></order>; send it to "orders-in"'
    assert stated_values(text) == ("orders-in",)
