"""The first prompt over the invented catalog: its contents within its budget."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import find_services
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.constraints import constraints_of, denied_by
from grounded_builder.drafting.few_shot import AcceptedPlan, examples_for
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.drafting.tool_retrieval import shown_tools
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.known_inventions import Invention
from tests.support import catalogs
from tests.support.registries import registry_from

SAID = "When the Acme Hook is called, send a message by Acme Mail"


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The catalog with a trigger of mail, a tool that runs code, and many of like names."""
    lines = catalogs.acme()
    mail = next(line for line in lines if line.get("id") == catalogs.MAIL)
    watch = {**mail, "id": "acme-nodes.mailTrigger", "name": "Acme Mail Trigger", "aliases": []}
    watch["capabilities"] = ["trigger"]
    script = json.loads(json.dumps(catalogs.chat_model() | {"id": "acme-nodes.script"}))
    script["name"] = "Acme Script"
    editor = {
        "name": "code",
        "type": "string",
        "default": "",
        "typeOptions": {"editor": "jsEditor"},
    }
    script["variants"][0]["parameters"].append(editor)
    others = [
        {**mail, "id": f"acme-nodes.other{number}", "name": f"Acme Message {number}", "aliases": []}
        for number in range(12)
    ]
    whole = [*(line for line in lines if line["kind"] != "end"), watch, script, *others]
    return registry_from(catalogs.jsonl(catalogs.add_end_line(whole)))


@pytest.fixture(scope="module")
def domain() -> Domain:
    return replace(
        N8N, prompting=replace(N8N.prompting, phrases=(), always_shown_tools=(catalogs.ROUTER,))
    )


def test_services_come_with_what_starts_by_them(registry: Registry) -> None:
    """A service that is named is found with its tools and triggers, once, in order."""
    wishes = find_services(f"{SAID}, then Acme Mail again", registry)
    assert [service.text for service in wishes.wanted] == ["Acme Hook", "Acme Mail"]
    assert wishes.wanted[1].tools == (catalogs.MAIL,)
    assert wishes.wanted[1].starters == ("acme-nodes.mailTrigger",)
    assert wishes.unwanted == ()


@pytest.mark.parametrize(
    ("expected", "unwanted"),
    [
        ("Route it, without Acme Mail", ["Acme Mail"]),
        ("Route it without using Acme Mail or Acme Agent.", ["Acme Mail", "Acme Agent"]),
        ("Do not use the Acme Mail node; use Acme Router", ["Acme Mail"]),
        ("don't ever use Acme Mail", ["Acme Mail"]),
        ("Use Acme Router instead of Acme Mail", ["Acme Mail"]),
        ("If the contact is not in Acme Mail, add it", []),
        ("Find contacts without Acme Mail addresses", []),
        ("If there is no Acme Mail message, stop", []),
        ('Send "never use Acme Mail" by Acme Router', []),
    ],
)
def test_only_explicit_prohibition_forbids_tool(
    expected: str, unwanted: list[str], registry: Registry
) -> None:
    """A request to avoid a tool differs from a statement that it is absent."""
    assert [service.text for service in find_services(expected, registry).unwanted] == unwanted
    if unwanted:
        assert unwanted[0] not in find_services(expected, registry).remainder


def test_the_budget_is_respected_and_services_stay(domain: Domain, registry: Registry) -> None:
    """Named services are shown with any budget, and merely suggested tools are dropped first."""
    ample = write_first_prompt(SAID, domain, registry, PromptContext(), 6_000)
    assert ample.account["left_out"] == ample.account["shortened"] == []
    tight = write_first_prompt(SAID, domain, registry, PromptContext(), 1_250)
    account = tight.account
    assert account["tokens"] == tokens_of(message.content for message in tight.messages) <= 1_250
    assert account["left_out"] or account["shortened"]
    for first_prompt in (ample, tight):
        assert {catalogs.HOOK, catalogs.MAIL, "acme-nodes.mailTrigger"} <= set(first_prompt.shown)
    assert ample.account["services"] == {
        "Acme Hook": [catalogs.HOOK],
        "Acme Mail": [catalogs.MAIL, "acme-nodes.mailTrigger"],
    }


def test_examples_give_way_before_tools(domain: Domain, registry: Registry) -> None:
    """An example that does not fit is left out, which the record states."""
    example = examples_for(SAID, [make_accepted_plan()], domain, registry)
    assert len(example) == 1
    known = PromptContext(examples=example)
    ample = write_first_prompt(SAID, domain, registry, known, 6_000)
    assert ample.account["examples"] == ["R1"]
    assert "EXAMPLES" in ample.messages[1].content
    tight = write_first_prompt(SAID, domain, registry, known, ample.account["tokens"] - 1)
    assert tight.account["examples"] == []
    assert "EXAMPLES" not in tight.messages[1].content
    assert tight.shown == ample.shown


def make_accepted_plan(run: str = "R1", tool: str = catalogs.MAIL) -> AcceptedPlan:
    nodes = (
        {"id": "a", "tool_id": catalogs.HOOK, "params": {"path": "secret-path"}},
        {"id": "b", "tool_id": tool, "params": {"operation": "send", "to": "kim@a.example"}},
    )
    return AcceptedPlan(run, SAID, nodes, ({"from": "a:main:0", "to": "b:main:0"},))


def test_an_example_contains_no_values(domain: Domain, registry: Registry) -> None:
    """An example has steps, edges and operations; what was filled in is left out."""
    (example,) = examples_for(SAID, [make_accepted_plan()], domain, registry)
    steps = json.loads(example.plan)["steps"]
    assert steps[0]["params"] == {"path": "..."}
    assert steps[1]["params"] == {"operation": "send", "to": "..."}
    assert steps[1]["inputs"] == ["a"]


def test_of_examples_only_what_can_be_used(domain: Domain, registry: Registry) -> None:
    """Plans of tools that are gone or denied are no examples; of like ones at most two are."""
    accepted_plan = make_accepted_plan("R2", "acme-nodes.gone")
    assert examples_for(SAID, [accepted_plan], domain, registry) == ()
    assert examples_for(SAID, [make_accepted_plan()], domain, registry, {catalogs.MAIL}) == ()
    many = [replace(make_accepted_plan(f"R{n}"), request=f"{SAID} {n}") for n in range(5)]
    assert len(examples_for(SAID, many, domain, registry)) == 2
    assert examples_for("peel the potatoes", many, domain, registry) == ()


def test_inventions_are_named_as_absent(domain: Domain, registry: Registry) -> None:
    """Names of no tool are quoted in one line, with what to use instead where that is decided."""
    bad = Invention("Acme\nPigeon", 3, catalogs.MAIL)
    first_prompt = write_first_prompt(
        SAID, domain, registry, PromptContext(inventions=(bad,)), 6_000
    )
    assert f'do NOT exist: "Acme Pigeon" (use {catalogs.MAIL})' in first_prompt.messages[0].content
    assert first_prompt.account["absent"] == ["Acme\nPigeon"]


def test_operations_that_fit_come_first(domain: Domain, registry: Registry) -> None:
    """The requested operations of a named tool come first, and the others are named."""
    text = "Create a draft with Acme Mail"
    shown = shown_tools(text, domain, registry, find_services(text, registry).wanted)
    mail = next(item for item in shown if item.tool == catalogs.MAIL)
    assert mail.operations[0] == {"resource": "draft", "operation": "create"}
    content = write_first_prompt(text, domain, registry, PromptContext(), 6_000).messages[0].content
    assert "draft/create:" in content
    assert "message/get" in content


def test_a_tool_for_a_whole_part_is_marked(domain: Domain, registry: Registry) -> None:
    """A tool of which one operation says all that a part of the request says is marked."""
    shown = shown_tools(SAID, domain, registry, find_services(SAID, registry).wanted)
    whole = {item.tool: item.whole for item in shown if item.whole}
    assert whole[catalogs.MAIL] == ("send a message by Acme Mail",)
    assert "acme-nodes.mailTrigger" not in whole
    content = write_first_prompt(SAID, domain, registry, PromptContext(), 6_000).messages[0].content
    assert 'ONE STEP for "send a message by Acme Mail"' in content


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ({"forbid": ["Acme Mail"]}, {catalogs.MAIL, "acme-nodes.mailTrigger"}),
        ({"forbid": [catalogs.MAIL]}, {catalogs.MAIL}),
        ({"forbid": "acme-nodes.mail*"}, {catalogs.MAIL, "acme-nodes.mailTrigger"}),
        ({"no_code": True}, {"acme-nodes.script"}),
        ({"no_code": "yes"}, set()),
        ({"forbid": [7, None, " "]}, set()),
        ({}, set()),
    ],
)
def test_constraints_deny(
    given: dict[str, object], gone: set[str], domain: Domain, registry: Registry
) -> None:
    """A name denies all tools of the service, an id the one, a pattern what it fits."""
    assert set(denied_by(constraints_of(given, domain), domain, registry)) == gone


def test_to_allow_some_is_to_deny_the_others(domain: Domain, registry: Registry) -> None:
    """Tools that are not among the allowed ones are denied."""
    denied = denied_by(constraints_of({"allow": ["Acme Mail"]}, domain), domain, registry)
    assert set(registry.tools) - set(denied) == {catalogs.MAIL, "acme-nodes.mailTrigger"}


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("", 0, 0), ("send it", 2, 2), ("n8n-nodes-base.gmail", 5, 12), ("メールを送る", 6, 12)],
)
def test_tokens_are_estimated(text: str, least: int, most: int) -> None:
    """A text takes about as many tokens as it has short words and signs."""
    assert least <= tokens_in(text) <= most


def test_names_and_notes_are_to_be_in_the_language_of_the_request(
    domain: Domain, registry: Registry
) -> None:
    """The prompt asks for names and notes in the language of the request."""
    first = write_first_prompt(
        "Schicke jeden Montag eine Mail", domain, registry, PromptContext(), 6_000
    )
    assert "in the language of the request" in first.messages[0].content


@pytest.mark.parametrize(
    "request_text",
    [
        "每天把新消息发送到Acme Mail频道",
        "毎日Acme Mailに通知する",
        "매일 Acme Mail로 보내줘",
        "ส่งAcme Mailทุกวัน",
    ],
)
def test_a_name_between_letters_of_another_script_is_read(
    registry: Registry, request_text: str
) -> None:
    """Scripts without spaces, and particles, touch the name of a service."""
    (service,) = find_services(request_text, registry).wanted
    assert (service.text, service.tools[0]) == ("Acme Mail", catalogs.MAIL)
