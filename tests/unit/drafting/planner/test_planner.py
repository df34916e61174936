"""The planner over the invented catalog: what it draws, what it accounts for, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.planner.drop_invalid_steps import without_wrong
from grounded_builder.drafting.planner.propose import Proposal, propose
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.domain import Domain, PhraseRule
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.resolve.diagnose import no_reference_catalogs
from tests.support import catalogs
from tests.support.registries import registry_from

CUES = (
    PhraseRule(r"\bAcme calls\b", catalogs.HOOK, starts=True),
    PhraseRule(r"^if\b", catalogs.ROUTER),
    PhraseRule(r"^for each\b", "acme-nodes.loop"),
)


def _catalog() -> bytes:
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
        if line.get("id") in (catalogs.MODEL, catalogs.LOOKUP):
            line["capabilities"] = ["ai_languageModel" if "Model" in line["name"] else "ai_tool"]
    return catalogs.jsonl(lines)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return registry_from(_catalog())


@pytest.fixture(scope="module")
def domain() -> Domain:
    """The domain with phrases that mean invented tools."""
    return replace(
        N8N,
        prompting=replace(
            N8N.prompting, phrases=CUES, default_trigger=catalogs.HOOK, trigger_of_step={}
        ),
    )


def _steps(proposal: Proposal) -> list[dict[str, Any]]:
    return list(proposal.plan["steps"])


def test_clauses_become_steps_in_order(domain: Domain, registry: Registry) -> None:
    """What starts is first, each thing done is a step behind the one before, all is accounted."""
    said = "When Acme calls, send a message with Acme Mail to kim@a.example"
    proposal = propose(said, domain, registry)
    first, second = _steps(proposal)
    assert (first["tool"], second["tool"]) == (catalogs.HOOK, catalogs.MAIL)
    assert second["inputs"] == [first["id"]]
    assert second["params"] == {"resource": "message", "operation": "send", "to": "kim@a.example"}
    assert proposal.unplaced == ()
    told = proposal.plan["metadata"]["clauses"]
    assert [one["steps"] for one in told] == [[first["id"]], [second["id"]]]


def test_a_decision_has_two_ways(domain: Domain, registry: Registry) -> None:
    """What follows a condition hangs on one way, "otherwise" on the other, then both meet."""
    said = (
        "When Acme calls, if the sum is over 5, get a message with Acme Mail, otherwise create a "
        "draft with Acme Mail. Then send a message with Acme Mail"
    )
    steps = _steps(propose(said, domain, registry))
    router = next(step for step in steps if step["tool"] == catalogs.ROUTER)
    behind = [step for step in steps if step["tool"] == catalogs.MAIL]
    assert [step["inputs"] for step in behind[:2]] == [
        [{"from": router["id"], "output": 0}],
        [{"from": router["id"], "output": 1}],
    ]
    assert sorted(behind[2]["inputs"]) == sorted(step["id"] for step in behind[:2])


def test_unless_turns_the_ways(domain: Domain, registry: Registry) -> None:
    """What is done unless something holds hangs on the way where it does not."""
    said = "When Acme calls, unless the sum is over 5, send a message with Acme Mail"
    steps = _steps(propose(said, domain, registry))
    assert steps[-1]["inputs"] == [{"from": steps[-2]["id"], "output": 1}]


def test_a_repetition_is_closed(domain: Domain) -> None:
    """The last step of what repeats leads back; the next sentence goes on behind the loop."""
    lines = catalogs.acme()
    router = next(line for line in lines if line.get("id") == catalogs.ROUTER)
    loop = {**router, "id": "acme-nodes.loop", "name": "Acme Rounds", "aliases": []}
    whole = catalogs.closed([*(line for line in lines if line["kind"] != "end"), loop])
    said = "For each letter, send a message with Acme Mail. Then get a message with Acme Mail."
    steps = _steps(propose(said, domain, registry_from(catalogs.jsonl(whole))))
    ring, body, after = steps[-3:]
    assert ring["tool"] == "acme-nodes.loop"
    assert body["inputs"] == [ring["id"]]
    assert {"from": body["id"], "back": True} in ring["inputs"]
    assert after["inputs"] == [ring["id"]]


def test_a_host_gets_what_it_cannot_do_without(domain: Domain, registry: Registry) -> None:
    """A step that needs a model has one, though none was named, and tools only when named."""
    steps = _steps(propose("When Acme calls, let Acme Agent reply", domain, registry))
    host = next(step for step in steps if step["tool"] == catalogs.AGENT)
    subs = [(step["tool"], step["as"]) for step in steps if step.get("for") == host["id"]]
    assert subs == [(catalogs.MODEL, "ai_languageModel")]
    said = "When Acme calls, let Acme Agent reply with Acme Lookup Tool"
    steps = _steps(propose(said, domain, registry))
    assert {step["tool"] for step in steps if step.get("for")} == {catalogs.MODEL, catalogs.LOOKUP}


def test_a_field_of_the_step_before_is_referred_to(domain: Domain, registry: Registry) -> None:
    """To say "with the title" reads that field of the step before, and the reference compiles."""
    said = "When Acme calls, send a message with the title by Acme Mail to kim@a.example"
    proposal = propose(said, domain, registry)
    assert _steps(proposal)[-1]["params"]["body"] == "={{ s1.title }}"
    compiled = compile_with_fixes(
        dict(proposal.plan), domain, registry, CompileOptions(), no_reference_catalogs
    )
    assert compiled.artifact is not None
    mail = compiled.artifact["nodes"][1]["parameters"]
    assert mail["body"].endswith(".item.json.title }}")


@pytest.mark.parametrize(
    "said",
    [
        "hello there",
        "use the Zorb9000 node",
        "peel the potatoes, wash the car and feed the cat",
        "Acme Mail sends. Peel potatoes. Wash the car. Feed the cat. Mow the lawn",
    ],
)
def test_under_half_placed_is_refused(said: str, domain: Domain, registry: Registry) -> None:
    """What is mostly not covered is not built; the sentence quotes what was not covered."""
    outcome = plan_without_model(said, domain, registry, CompileOptions(), no_reference_catalogs)
    assert outcome.outcome == "refused"
    assert outcome.compilation is not None
    assert outcome.compilation.artifact is None
    assert "no installed tool was found" in outcome.summary.casefold()


def test_other_languages_are_told_apart(domain: Domain, registry: Registry) -> None:
    """Without a named tool the planner says what it reads; with one it places that one."""
    said = "Wenn ein Brief kommt, dann schicke ihn bitte mit der Post zu mir"
    refused = plan_without_model(said, domain, registry, CompileOptions(), no_reference_catalogs)
    assert (refused.outcome, "German" in refused.summary) == ("refused", True)
    named = plan_without_model(
        f"{said} und Acme Mail", domain, registry, CompileOptions(), no_reference_catalogs
    )
    assert named.outcome == "incomplete"
    assert "reads English" in named.summary


def test_what_is_forbidden_is_not_left_out_in_silence(domain: Domain, registry: Registry) -> None:
    """A tool that policy denies is a refusal with that reason, never a plan without it."""
    setting = CompileOptions(purpose="import", policy=Policy(denied=(catalogs.MAIL,)))
    said = "When Acme calls, send a message with Acme Mail"
    outcome = plan_without_model(said, domain, registry, setting, no_reference_catalogs)
    assert outcome.outcome == "refused"
    assert "policy denies" in outcome.summary


def test_wrong_steps_are_taken_out_with_their_place(domain: Domain, registry: Registry) -> None:
    """What followed a wrong step follows what it followed, and its clause counts as not placed."""
    steps = [
        {"id": "a", "tool": catalogs.HOOK, "params": {"path": "p"}},
        {"id": "b", "tool": catalogs.SHELL, "params": {}, "inputs": ["a"]},
        {"id": "c", "tool": catalogs.MAIL, "params": {"to": "x"}, "inputs": ["b"]},
    ]
    clauses = [{"clause": one["id"], "steps": [one["id"]]} for one in steps]
    plan = {"version": 1, "goal": "", "steps": steps, "metadata": {"clauses": clauses, "open": []}}
    said = compile_with_fixes(dict(plan), domain, registry, CompileOptions(), no_reference_catalogs)
    assert said.verdict == "wrong"
    rest = without_wrong(plan, said.diagnostics)
    assert rest is not None
    assert [(step["id"], step.get("inputs")) for step in rest["steps"]] == [
        ("a", None),
        ("c", ["a"]),
    ]
    assert [one["steps"] for one in rest["metadata"]["clauses"]] == [["a"], [], ["c"]]
