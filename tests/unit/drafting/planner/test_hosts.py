"""The planner over a catalog with models, tools and ways: who serves whom, what starts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.planner.conditions import choice_in, condition_in
from grounded_builder.drafting.planner.propose import Proposal, propose
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.domain import Domain, Pattern, PatternPart, PhraseRule
from grounded_builder.ir.intent import Choice, Condition, Value
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import no_reference_catalogs
from tests.support import catalogs
from tests.support.registries import registry_from

CLOCK, CALL, WAYS, CODE = (f"acme-nodes.{name}" for name in ("clock", "call", "ways", "script"))
DESK = "acme-nodes.desk"
ZORBA, NIMBO, MAIL_TOOL = (f"acme-nodes.{name}" for name in ("zorba", "nimbo", "mailTool"))
CUES = (
    PhraseRule(r"\bAcme calls\b", catalogs.HOOK, starts=True),
    PhraseRule(r"\bevery (?:day|hour)\b", CLOCK, starts=True),
    PhraseRule(r"\bAcme Desk\b", DESK, starts=True),
    PhraseRule(r"\bagent\b", catalogs.AGENT),
    PhraseRule(r"^calculate\b", CODE),
    PhraseRule(r"\broute\b", WAYS),
)
PATTERN = Pattern(
    "answers",
    r"\banswer questions\b",
    (PatternPart(catalogs.AGENT), PatternPart(kind="ai_languageModel")),
)


def _like(line: dict[str, Any], identity: str, name: str, **facts: Any) -> dict[str, Any]:
    return {**line, "id": identity, "name": name, "aliases": [], **facts}


def _catalog() -> bytes:
    rules = {
        "name": "rules",
        "type": "fixedCollection",
        "default": {},
        "typeOptions": {"multipleValues": True},
        "options": [{"name": "values", "values": [{"name": "conditions", "type": "filter"}]}],
    }
    script = {"name": "jsCode", "type": "string", "typeOptions": {"editor": "jsEditor"},
              "displayName": "Script"}  # fmt: skip
    both = {"inputs": [{"kind": "main"}], "outputs": [{"kind": "main"}]}
    three = {"inputs": [{"kind": "main"}], "outputs": [{"kind": "main"}] * 3}
    model = catalogs.chat_model()
    tool = {**catalogs.lookup_tool(), "capabilities": ["ai_tool"]}
    lines = [line for line in catalogs.acme() if line["kind"] != "end"]
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
        if line.get("id") == catalogs.MODEL:
            line["capabilities"] = ["ai_languageModel"]
    serves = {"capabilities": ["ai_languageModel"]}
    lines += [
        _like(catalogs.hook(), CLOCK, "Acme Clock", capabilities=["trigger"]),
        _like(catalogs.hook(), DESK, "Acme Counter", capabilities=["trigger"], variants=[
            {"versions": [1], "parameters": [], "inputs": [{"kind": "ai_tool"}], "outputs": [],
             "traits": {"trigger": True}}]),
        _like(model, ZORBA, "Zorba Chat Model", **serves),
        _like(model, NIMBO, "Nimbo Chat Model", **serves),
        _like(tool, MAIL_TOOL, "Acme Mail Tool", equivalent_to=[catalogs.MAIL]),
        _like(model, CALL, "Acme Call", variants=[{"versions": [1], "parameters": [], **both}]),
        _like(model, WAYS, "Acme Ways", variants=[
            {"versions": [1], "parameters": [rules], **three}]),
        _like(model, CODE, "Acme Script", variants=[
            {"versions": [1], "parameters": [script], **both}]),
    ]  # fmt: skip
    return catalogs.jsonl(catalogs.closed(lines))


@pytest.fixture(scope="module")
def registry() -> Registry:
    return registry_from(_catalog())


@pytest.fixture(scope="module")
def domain() -> Domain:
    """The domain with phrases, a pattern and a tool for every call, all of them invented."""
    speech = replace(
        N8N.prompting,
        phrases=CUES,
        default_trigger=catalogs.HOOK,
        trigger_of_step={},
        patterns=(PATTERN,),
        fallback=CALL,
        text_output_fields={catalogs.AGENT: "answer"},
    )
    return replace(N8N, prompting=speech)


def _by_tool(proposal: Proposal) -> dict[str, dict[str, Any]]:
    return {step["tool"]: step for step in proposal.plan["steps"]}


def test_a_brand_names_the_model(domain: Domain, registry: Registry) -> None:
    """The model of the brand that is said serves the host, though nothing else names either."""
    for brand, model in (("Zorba", ZORBA), ("Nimbo", NIMBO)):
        proposal = propose(f"When Acme calls, reply using {brand}", domain, registry)
        steps = _by_tool(proposal)
        assert steps[model]["for"] == steps[catalogs.AGENT]["id"]
        assert steps[model]["as"] == "ai_languageModel"
        assert set(steps) == {catalogs.HOOK, catalogs.AGENT, model}


def test_what_a_host_may_use_hangs_on_it(domain: Domain, registry: Registry) -> None:
    """A service behind "access to" becomes the host's tool, one that is sent to a step."""
    said = "When Acme calls, let the agent reply with access to Acme Mail"
    steps = _by_tool(propose(said, domain, registry))
    assert steps[MAIL_TOOL]["for"] == steps[catalogs.AGENT]["id"]
    assert catalogs.MAIL not in steps
    said = "When Acme calls, let the agent think and send a message with Acme Mail"
    steps = _by_tool(propose(said, domain, registry))
    assert steps[catalogs.MAIL]["inputs"] == [steps[catalogs.AGENT]["id"]]
    assert MAIL_TOOL not in steps


def test_a_pattern_brings_its_parts(domain: Domain, registry: Registry) -> None:
    """The tools of a pattern come together; a kind is served by the brand that is said."""
    steps = _by_tool(propose("When Acme calls, answer questions by Nimbo", domain, registry))
    assert steps[NIMBO]["for"] == steps[catalogs.AGENT]["id"]


def test_a_text_is_handed_on(domain: Domain, registry: Registry) -> None:
    """What is sent is the text of the step before, where it is known to give one."""
    said = "When Acme calls, let the agent think and send a message with Acme Mail"
    steps = _by_tool(propose(said, domain, registry))
    host = steps[catalogs.AGENT]["id"]
    assert steps[catalogs.MAIL]["params"]["body"] == f"={{{{ {host}.answer }}}}"
    plain = _by_tool(propose("When Acme calls, send a message with Acme Mail", domain, registry))
    assert "body" not in plain[catalogs.MAIL]["params"]


def test_two_starts_lead_to_the_same(domain: Domain, registry: Registry) -> None:
    """What follows two starts follows both; a later event begins a line of its own."""
    said = "Every day or when Acme calls, send a message with Acme Mail"
    steps = _by_tool(propose(said, domain, registry))
    assert steps[catalogs.MAIL]["inputs"] == [steps[CLOCK]["id"], steps[catalogs.HOOK]["id"]]
    said = "Every day send a message with Acme Mail. When Acme calls, calculate the sum"
    steps = _by_tool(propose(said, domain, registry))
    assert steps[catalogs.MAIL]["inputs"] == [steps[CLOCK]["id"]]
    assert steps[CODE]["inputs"] == [steps[catalogs.HOOK]["id"]]


def test_ways_part_by_the_values_listed(domain: Domain, registry: Registry) -> None:
    """Each listed value has an output, on which hangs what is done for it; then all meet."""
    said = (
        "When Acme calls, route by size: small, large or huge. Calculate the small ones. "
        "Send a message with Acme Mail for huge ones. Let the agent end it"
    )
    steps = _by_tool(propose(said, domain, registry))
    ways = steps[WAYS]
    values = ways["params"]["rules"]["values"]
    told = [value["conditions"]["conditions"][0]["rightValue"] for value in values]
    assert told == ["small", "large", "huge"]
    assert steps[CODE]["inputs"] == [{"from": ways["id"], "output": 0}]
    assert steps[catalogs.MAIL]["inputs"] == [{"from": ways["id"], "output": 2}]
    assert steps[catalogs.AGENT]["inputs"] == [steps[CODE]["id"], steps[catalogs.MAIL]["id"]]


def test_what_is_done_in_parallel_follows_the_same(domain: Domain, registry: Registry) -> None:
    """Neither of two things done at the same time waits for the other; what follows does."""
    said = (
        "When Acme calls, send a message with Acme Mail and in parallel calculate the sum. "
        "Then let the agent end it"
    )
    steps = _by_tool(propose(said, domain, registry))
    start = steps[catalogs.HOOK]["id"]
    assert steps[catalogs.MAIL]["inputs"] == [start]
    assert steps[CODE]["inputs"] == [start]
    assert set(steps[catalogs.AGENT]["inputs"]) == {
        steps[catalogs.MAIL]["id"],
        steps[CODE]["id"],
    }


def test_a_time_behind_what_is_sent_is_no_event_of_its_service(domain: Domain) -> None:
    """A service starts only what stands right before the phrase for the start."""
    event = _like(catalogs.hook(), catalogs.MAIL + "Trigger", "Acme Mail Trigger",
                  capabilities=["trigger"])  # fmt: skip
    kept = [json.loads(line) for line in _catalog().splitlines()][:-1]
    told = replace(domain.prompting, phrases=(PhraseRule(r"\bdaily\b", CLOCK, starts=True),))
    with_event = registry_from(catalogs.jsonl(catalogs.closed([*kept, event])))
    said = "Send Acme Mail message daily"
    steps = propose(said, replace(domain, prompting=told), with_event).plan["steps"]
    assert [step["tool"] for step in steps] == [CLOCK, catalogs.MAIL]


def test_a_service_without_a_tool_is_called(domain: Domain, registry: Registry) -> None:
    """What looks like a service and is no tool's name is a plain call; words are none."""
    steps = _by_tool(propose("When Acme calls, film it with HeyQuax.io", domain, registry))
    assert CALL in steps
    proposal = propose("When Acme calls, film it with joy", domain, registry)
    assert CALL not in _by_tool(proposal)


def test_a_verb_is_an_option_of_a_choice_of_that_name(registry: Registry) -> None:
    """A method goes where it is offered, and nowhere else."""
    spec = registry.spec(catalogs.HOOK, 1)
    assert N8N.prompting.parameters_for(spec, {}, Value("method", "POST")) == {"method": "POST"}
    assert N8N.prompting.parameters_for(spec, {}, Value("method", "PATCH")) == {}


def test_what_is_not_told_is_left_open(domain: Domain, registry: Registry) -> None:
    """A step whose script nobody told is no finished work, though the compiler takes it."""
    setting = CompileOptions()
    said = "When Acme calls, calculate the sum"
    outcome = plan_without_model(said, domain, registry, setting, no_reference_catalogs)
    assert outcome.outcome == "incomplete"
    assert any("script of Acme Script" in one for one in outcome.todo)


def test_a_start_that_offers_tools_leads_nowhere(domain: Domain, registry: Registry) -> None:
    """Services named beside such a start are its tools; nothing else follows it."""
    said = "Acme Desk: offers Acme Mail. Send a message with Acme Mail. Calculate the sum"
    steps = _by_tool(propose(said, domain, registry))
    assert set(steps) == {DESK, MAIL_TOOL}
    assert steps[MAIL_TOOL]["for"] == steps[DESK]["id"]


@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("route by size: small, large or huge", Choice("size", ("small", "large", "huge"))),
        (
            "switch on whether the state is open or closed",
            Choice("state", ("open", "closed")),
        ),
        ("sort them by date", None),
        ("sort them by date and send it to them", None),
    ],
)
def test_listed_values_are_read(said: str, choice: Choice | None) -> None:
    """Only values that are listed part the ways."""
    assert choice_in(said) == choice


def test_whence_is_compared_as_such() -> None:
    """Whom it is from is compared as the sender; a place compares nothing that is named."""
    assert condition_in("if the letter is from Kim") == Condition("from", "contains", "Kim")
    assert condition_in("if the letter is in the box") is None
