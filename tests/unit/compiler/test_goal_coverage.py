"""Services and actions of a goal that no step covers, over the invented catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.goal_coverage import StepSummary, check_goal_coverage
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.domain import Domain, PhraseRule
from tests.support import catalogs
from tests.support.registries import registry_from

CUES = (
    PhraseRule(r"\bevery day\b", catalogs.HOOK, starts=True),
    PhraseRule(r"\bby e-?mail\b", catalogs.MAIL),
)
SEND: dict[str, Any] = {"resource": "message", "operation": "send"}


@pytest.fixture(scope="module")
def registry() -> Registry:
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
    return registry_from(catalogs.jsonl(lines))


@pytest.fixture(scope="module")
def domain() -> Domain:
    return replace(
        N8N, prompting=replace(N8N.prompting, phrases=CUES, default_trigger="", trigger_of_step={})
    )


@pytest.mark.parametrize(
    ("goal", "steps", "missing"),
    [
        ("Send it by Acme Mail", [StepSummary(catalogs.MAIL, SEND)], []),
        ("Send it by Acme Mail", [StepSummary(catalogs.ROUTER, {})], ["Acme Mail"]),
        ("Send it by Acme Mail", [StepSummary(catalogs.ROUTER, {"table": "to acme-mail/x"})], []),
        ("Send it by Acme Mail", [StepSummary(catalogs.ROUTER, {}, "Acme Mail by hand")], []),
        ("Route it with the Foo9000 node", [StepSummary(catalogs.ROUTER, {})], ["Foo9000"]),
        ("Route it as the Foo9000 said", [StepSummary(catalogs.ROUTER, {})], []),
        ("every day, route it", [StepSummary(catalogs.ROUTER, {})], ["every day"]),
        (
            "every day, route it",
            [StepSummary(catalogs.HOOK, {}), StepSummary(catalogs.ROUTER, {})],
            [],
        ),
        ("tell me by e-mail", [StepSummary(catalogs.ROUTER, {})], ["by e-mail"]),
        ("tell me by e-mail", [StepSummary(catalogs.MAIL, SEND)], []),
        ("let Acme Agent answer", [StepSummary(catalogs.ROUTER, {})], []),
        ("do not use Acme Mail", [StepSummary(catalogs.ROUTER, {})], []),
        ("see https://acme.example/every day", [StepSummary(catalogs.HOOK, {})], []),
        (
            "send messages that read well",
            [StepSummary(catalogs.ROUTER, {})],
            ["send messages that read well"],
        ),
        ("send messages that read well", [StepSummary(catalogs.ROUTER, {"table": "messages"})], []),
        ("send messages that read well", [StepSummary(catalogs.ROUTER, {}, "Send")], []),
        ("send messages that read well", [StepSummary(catalogs.MAIL, SEND)], []),
        ("send messages that read well", [StepSummary(catalogs.AGENT, {})], []),
        ("send it", [StepSummary(catalogs.ROUTER, {})], []),
        ("", [StepSummary(catalogs.ROUTER, {})], []),
        ("Send it by Acme Mail", [], []),
        ("Send it by Acme Mail", [StepSummary("nobody.knows", {})], []),
    ],
)
def test_goal_mentions_are_covered_or_reported(
    goal: str, steps: list[StepSummary], missing: list[str], domain: Domain, registry: Registry
) -> None:
    """Services, triggers and actions of a goal are looked up in steps by tool and by word."""
    diagnostics = check_goal_coverage(goal, steps, domain, registry)
    assert [diagnostic.token for diagnostic in diagnostics] == missing
    assert all(diagnostic.rule.kind == "advice" for diagnostic in diagnostics)


@pytest.mark.parametrize(
    ("goal", "is_named"),
    [
        ("Send it to Acme Mail", True),
        ("Send it to an Acme Mail-like service", False),
        ("Use an Acme Mail style API", False),
        ("Use an Acme Mail-compatible API, and then Acme Mail itself", True),
    ],
)
def test_a_likeness_names_no_service(
    goal: str, *, is_named: bool, domain: Domain, registry: Registry
) -> None:
    """A service is missing only where the goal names it, not something like it."""
    steps = [StepSummary(catalogs.ROUTER, {})]
    gaps = check_goal_coverage(goal, steps, domain, registry)
    assert any(catalogs.MAIL in gap.alternatives for gap in gaps) == is_named


@pytest.mark.parametrize(
    ("goal", "is_asked"),
    [
        ("Route the rows and notify me by email", True),
        ("Route the rows and then send me all by e-mail", True),
        ("Route the rows and remove duplicates by email", False),
        ("Group and route the contacts by email", False),
    ],
)
def test_a_field_is_no_action(
    goal: str, *, is_asked: bool, domain: Domain, registry: Registry
) -> None:
    """One word of a phrase asks for an action only after a verb of sending."""
    steps = [StepSummary(catalogs.ROUTER, {})]
    gaps = check_goal_coverage(goal, steps, domain, registry)
    assert any(catalogs.MAIL in gap.alternatives for gap in gaps) == is_asked


@pytest.fixture(scope="module")
def installed(installed_registry: Registry) -> Registry:
    return installed_registry


@pytest.mark.parametrize(
    ("goal", "tools", "missing"),
    [
        ("Keep the Supabase table in line with the MySQL one", "supabase mySql", []),
        ("Sum the costs with copper and send it to Slack", "slack", []),
        ("take the hours from harvest and post them to slack", "slack", ["harvest"]),
        ("take the rows from airtable and post them to Slack", "slack", ["airtable"]),
        ("Answer on LINE when a row of Airtable is new", "airtable", ["LINE"]),
        ("Write a page in Confluence... no, in Notion", "notion", []),
        ("Forward invoices that arrive by e-mail to Notion", "gmailTrigger notion", []),
        ("Send the text of the email to Airtable", "gmailTrigger airtable", []),
        ("Take receipts that come by e-mail and send them to Xero", "gmailTrigger xero", []),
        ("When a row is new, tell me by e-mail", "airtableTrigger airtable", ["by e-mail"]),
    ],
)
def test_words_of_the_goal_are_names_or_actions_only_if_written_so(
    goal: str, tools: str, missing: list[str], installed: Registry
) -> None:
    """Common words, corrected names and the sources of data are not reported as uncovered."""
    steps = [StepSummary(f"n8n-nodes-base.{tool}", {}) for tool in tools.split()]
    gaps = check_goal_coverage(goal, steps, N8N, installed)
    assert [gap.token for gap in gaps] == missing
