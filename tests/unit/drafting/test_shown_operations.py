"""Which tools, operations and events the first prompt shows, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import find_services
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.tool_retrieval import ShownTools, shown_tools
from grounded_builder.ir.domain import Domain
from tests.support import catalogs
from tests.support.registries import registry_from
from tests.support.tool_implementations import choice

BOARD, WATCH = "acme-nodes.board", "acme-nodes.boardTrigger"
OLD = "acme-nodes.boardOld"
USES = {"note/search": 90, "note/create": 40, "list/create": 2}
OPERATIONS = [
    {"resource": resource, "operation": operation}
    for resource in ("list", "note")
    for operation in ("archive", "create", "delete", "getMembers", "search", "update")
]


def _count(tool: str, params: Mapping[str, Any]) -> int:
    return USES.get("/".join(map(str, params.values())), 0) if tool == BOARD else 0


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with a board: its tool, its trigger, its variant, its older form."""
    lines = [line for line in catalogs.acme() if line["kind"] != "end"]
    mail = next(line for line in lines if line.get("id") == catalogs.MAIL)
    lookup = next(line for line in lines if line.get("id") == catalogs.LOOKUP)
    hook = next(line for line in lines if line.get("id") == catalogs.HOOK)
    port = [{"kind": "main"}]
    variant = {
        "versions": [1],
        "inputs": port,
        "outputs": port,
        "parameters": [
            choice("resource", ["list", "note"]),
            choice("operation", sorted({item["operation"] for item in OPERATIONS})),
            {"name": "title", "type": "string", "default": "", "required": True},
        ],
        "operations": [{"params": item, "name": "/".join(item.values())} for item in OPERATIONS],
    }
    plain = {"aliases": [], "keywords": [], "family": "", "hosts": [], "default_version": 1}
    board = {**mail, **plain, "id": BOARD, "name": "Acme Board", "variants": [variant]}
    old = {**board, "id": OLD, "name": "Acme Board Classic", "replaced_by": [BOARD]}
    events = {
        "name": "events",
        "type": "multiOptions",
        "default": [],
        "options": [
            {"name": name, "value": name} for name in ("boardClosed", "noteAdded", "noteMoved")
        ],
    }
    watch = {
        **hook,
        **plain,
        "id": WATCH,
        "name": "Acme Board Trigger",
        "capabilities": ["trigger"],
        "variants": [{**hook["variants"][0], "parameters": [events]}],
    }
    as_tool = {**lookup, "id": f"{BOARD}Tool", "name": "Zeta", "aliases": [], "description": ""}
    return registry_from(
        catalogs.jsonl(catalogs.add_end_line([*lines, board, old, watch, as_tool]))
    )


@pytest.fixture(scope="module")
def real(installed_registry: Registry) -> Registry:
    return installed_registry


@pytest.fixture(scope="module")
def domain() -> Domain:
    facts = replace(N8N.prompting, phrases=(), always_shown_tools=(), count_uses=_count)
    return replace(N8N, prompting=facts)


def _show_tools(text: str, domain: Domain, registry: Registry) -> dict[str, ShownTools]:
    services = find_services(text, registry).wanted
    return {item.tool: item for item in shown_tools(text, domain, registry, services)}


def _operations(text: str, domain: Domain, registry: Registry) -> list[str]:
    board = _show_tools(text, domain, registry)[BOARD]
    return ["/".join(params.values()) for params in board.operations]


def test_operations_are_ordered_by_use(domain: Domain, registry: Registry) -> None:
    """Operations that the request does not mention are ordered by their use."""
    assert _operations("Do it with Acme Board", domain, registry)[:2] == [
        "note/search",
        "note/create",
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Archive the list of Acme Board", "list/archive"),
        ("Get the members of each list in Acme Board", "list/getMembers"),
        ("Update a note in Acme Board", "note/update"),
    ],
)
def test_words_of_the_request_rank_before_use(
    text: str, first: str, domain: Domain, registry: Registry
) -> None:
    """An operation whose words are in the request comes before one that is only used more."""
    assert _operations(text, domain, registry)[0] == first


def test_the_likeliest_operations_have_parameters(domain: Domain, registry: Registry) -> None:
    """The first operations of a named tool are listed with parameters, the others by name."""
    text = "Archive the list of Acme Board"
    first = write_first_prompt(text, domain, registry, PromptContext(), 6_000)
    content = first.messages[0].content
    assert "each has title*" in content
    assert "list/archive: -" in content
    order = _operations(text, domain, registry)
    assert f"{order[0]}: " in content
    assert f"{order[-1]}: " not in content
    assert order[-1].split("/")[1] in content.split("    also ")[1].split("\n")[0]


def test_a_superseded_tool_is_not_offered(domain: Domain, registry: Registry) -> None:
    """A tool that another one replaces is not shown, even if the words fit it."""
    text = "Use the Acme Board Classic for a note"
    assert OLD not in _show_tools(text, domain, registry)
    first = write_first_prompt(text, domain, registry, PromptContext(), 6_000)
    assert OLD not in first.shown


def test_events_of_the_request_come_first(domain: Domain, registry: Registry) -> None:
    """The events of a trigger are listed, those first that share words with the request."""
    text = "When a note is moved in Acme Board, route it"
    watch = _show_tools(text, domain, registry)[WATCH]
    assert watch.events[0] == {"events": ["noteMoved"]}
    content = write_first_prompt(text, domain, registry, PromptContext(), 6_000).messages[0].content
    assert "events are: noteMoved, boardClosed, noteAdded" in content


def test_a_word_of_many_events_ranks_after_a_word_of_one(
    domain: Domain, registry: Registry
) -> None:
    """An event that alone has a word of the request comes before those that share one."""
    watch = _show_tools("When a note on the board of Acme Board is closed", domain, registry)[WATCH]
    assert watch.events[0] == {"events": ["boardClosed"]}


def test_an_operation_about_several_things_fits_their_plural(real: Registry) -> None:
    """The list of issues is read by the operation that gets issues."""
    text = "Each day post the list of open GitHub issues to Slack"
    services = find_services(text, real).wanted
    shown = {item.tool: item for item in shown_tools(text, N8N, real, services)}
    names = [params["operation"] for params in shown["n8n-nodes-base.github"].operations]
    assert "getIssues" in names[:3]


def test_an_agent_gets_the_variants_of_tools(domain: Domain, registry: Registry) -> None:
    """If a request names an agent, its tools are also shown as tools of an agent."""
    variant = f"{BOARD}Tool"
    asked = _show_tools("Let the Acme Agent search notes in Acme Board", domain, registry)
    assert asked[variant].variant_of == BOARD
    text = "Let the Acme Agent search notes in Acme Board"
    content = write_first_prompt(text, domain, registry, PromptContext(), 6_000).messages[0].content
    assert f'- {variant} ("Zeta") {BOARD} as a tool of an agent' in content
