"""Names are resolved by words and the context of a step, over the invented catalog."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import NameContext, Resolution
from grounded_builder.resolve import resolve_name, resolve_operation
from tests.support.catalogs import HOOK, LOOKUP, MAIL, acme, add_end_line, hook, jsonl, mail
from tests.support.registries import registry_from

POST = "acme-nodes.post"
POST_TRIGGER = "acme-nodes.postTrigger"
POST_TOOL = "acme-nodes.postTool"
SEND = {"resource": "message", "operation": "send"}


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with a service of three tools: a step, its trigger, its rendering."""
    post = mail() | {
        "id": POST,
        "name": "Pigeon Post",
        "aliases": ["PigeonPost"],
        "family": "pigeon",
        "description": "Carries letters",
    }
    trigger = hook() | {
        "id": POST_TRIGGER,
        "name": "Pigeon Post Trigger",
        "aliases": [],
        "family": "pigeon",
        "description": "Starts when a letter arrives",
        "capabilities": ["trigger"],
    }
    rendering = post | {"id": POST_TOOL, "name": "Pigeon Post Tool", "aliases": []}
    rendering["capabilities"] = ["for-agents"]
    return registry_from(jsonl(add_end_line([*acme()[:-1], post, trigger, rendering])))


def resolve_text(text: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    return resolve_name(text, registry, context or NameContext())


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("Acme Mail Send", SEND),
        ("send a message by Acme Mail", SEND),
        ("Acme Mail: fetch message", {"resource": "message", "operation": "get"}),
        ("AcmeMailAPI", {}),
    ],
)
def test_a_named_service_with_a_verb_resolves_to_its_operation(
    registry: Registry, text: str, params: dict[str, str]
) -> None:
    """A whole name among the words is the tool, the other words choose what it does."""
    resolution = resolve_text(text, registry)
    assert (resolution.status, resolution.tool) == ("resolved", MAIL)
    assert resolution.params == params


@pytest.mark.parametrize("text", ["Acme Mail Send message now", "send a message by Acme Mail"])
def test_words_resolve_nothing_without_a_context(registry: Registry, text: str) -> None:
    """Native documents are corrected by spelling alone; words only offer candidates."""
    resolution = resolve_name(text, registry)
    assert resolution.tool is None
    assert resolution.candidates[0].tool == MAIL


@pytest.mark.parametrize("text", ["Send Message", "message", "acme", "Kubernetes", "mail or post"])
def test_a_vague_text_is_not_resolved(registry: Registry, text: str) -> None:
    """A text that names no tool, or several, is unknown or ambiguous."""
    assert resolve_text(text, registry).status != "resolved"


def test_the_position_chooses_between_the_tools_of_a_service(registry: Registry) -> None:
    """One name is the trigger where a graph starts, the rendering where a sub-node stands."""
    name = "Pigeon Post"
    assert resolve_text(name, registry).tool == POST
    assert resolve_text(name, registry, NameContext(position="step")).tool == POST
    assert resolve_text(name, registry, NameContext(position="trigger")).tool == POST_TRIGGER
    assert resolve_text(name, registry, NameContext(position="sub-node")).tool == POST_TOOL
    assert resolve_text(POST, registry, NameContext(position="trigger")).tool == POST


def test_a_service_in_use_is_as_good_as_named(registry: Registry) -> None:
    """A neighbour of the same service decides between tools that do the same."""
    alone = resolve_text("message send", registry)
    assert alone.status == "ambiguous"
    assert {POST, MAIL} <= {candidate.tool for candidate in alone.candidates}
    beside = resolve_text("message send", registry, NameContext(neighbours=(POST_TRIGGER,)))
    assert (beside.tool, beside.params) == (POST, SEND)


def test_constraints_leave_no_denied_tool(registry: Registry) -> None:
    """A denied tool is neither resolved nor offered, not even by its exact id."""
    context = NameContext(denied=("acme-nodes.mail*",))
    for text in (MAIL, "Acme Mail", "send a message by Acme Mail"):
        resolution = resolve_text(text, registry, context)
        assert MAIL not in {
            resolution.tool,
            *(candidate.tool for candidate in resolution.candidates),
        }
    elsewhere = NameContext(allowed_packages=frozenset({"other"}))
    assert resolve_text(MAIL, registry, elsewhere).candidates == ()


@pytest.mark.parametrize("text", ["PigeonTool", "PigeonNode", "PigeonTrigger", "Pigeon Tool"])
def test_a_word_that_any_tool_may_bear_is_no_evidence(registry: Registry, text: str) -> None:
    """Half a name does not become a tool by "Tool", "Node" or "Trigger" behind it."""
    assert resolve_text(text, registry).status != "resolved"


@pytest.mark.parametrize(
    "text", ["WeAcmeMail", "AppAcmeMail", "acme-nodes.sendMessageAcmeMailTool"]
)
def test_no_part_of_a_name_in_one_word_is_passed_over(registry: Registry, text: str) -> None:
    """Filler words count inside a brand, and "tool" asks for the tool form of a node."""
    resolution = resolve_text(text, registry)
    assert resolution.tool is None
    assert MAIL in {candidate.tool for candidate in resolution.candidates}


def test_a_slip_leaves_the_first_letter(registry: Registry) -> None:
    """A name that begins otherwise is asked about, however like the rest is."""
    assert resolve_text("Pigeon Pots", registry).status == "resolved"
    assert resolve_text("igeon Post", registry).status != "resolved"


@pytest.mark.parametrize("text", ["Acme Mail", "Acme Mail Send", "acme e-mail", "Acme Agnet"])
def test_a_label_is_not_taken_for_the_tool_that_it_names(registry: Registry, text: str) -> None:
    """A label may name the subject of a step, so the likeliest tools are offered."""
    resolution = resolve_text(text, registry, NameContext(label=True))
    assert resolution.tool is None
    assert resolution.candidates


def test_parameters_decide_between_tools_of_one_name() -> None:
    """Of two tools with one name the one with the step's parameters is chosen."""
    twin = hook() | {"id": "acme-nodes.mailNext", "name": "Acme Mail", "aliases": []}
    registry = registry_from(jsonl(add_end_line([*acme()[:-1], twin])))
    assert resolve_text("Acme Mail", registry).status == "ambiguous"
    fitting = NameContext(params=("path", "method"))
    assert resolve_text("Acme Mail", registry, fitting).tool == "acme-nodes.mailNext"
    assert resolve_text("Acme Mail", registry, NameContext(params=("to", "body"))).tool == MAIL


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "/",
        "..",
        "\u202eliam",
        "🎉",
        "mail\x00",
        "\u0251cme mail",
        "\u0430cme-nodes.mail",
        "acme-nodes.m\u200bail",
        "\u2066acme-nodes.mail\u2069",
        "x" * 100_000,
        "a." * 9_000,
    ],
)
@pytest.mark.parametrize("context", [None, NameContext()])
def test_resolver_accepts_any_text(
    registry: Registry, text: str, context: NameContext | None
) -> None:
    """Empty, endless, invisible and look-alike names are answered, never as an exact match."""
    assert resolve_name(text, registry, context).method != "exact"


def test_the_chosen_tool_comes_first_and_surer_than_the_rest(registry: Registry) -> None:
    """Candidates are ordered by confidence, the resolution being the first."""
    for text in ("Acme Mail Send", "Acme Agnet", MAIL, "Pigeon Post send message", LOOKUP):
        resolution = resolve_text(text, registry)
        sure = [candidate.confidence for candidate in resolution.candidates]
        assert resolution.candidates[0].tool == resolution.tool
        assert sure == sorted(sure, reverse=True)
        assert resolution.confidence == sure[0]


@pytest.mark.parametrize(
    ("text", "status", "operation"),
    [
        ("send", "resolved", "send"),
        ("Send a message", "resolved", "send"),
        ("sendMessage", "resolved", "send"),
        ("messageSend", "resolved", "send"),
        ("fetch message", "resolved", "get"),
        ("message", "ambiguous", None),
        ("launch", "unknown", None),
    ],
)
def test_an_operation_resolves_by_value_name_and_meaning(
    registry: Registry, text: str, status: str, operation: str | None
) -> None:
    """An operation goes by its value, its name, both joined, or words of the same meaning."""
    resolution = resolve_operation(text, MAIL, registry)
    assert resolution.status == status
    assert resolution.params.get("operation") == operation


def test_known_parameters_rule_operations_out(registry: Registry) -> None:
    """An operation that contradicts a parameter already set is no candidate."""
    assert resolve_operation("send", MAIL, registry, {"resource": "draft"}).tool is None
    assert resolve_text(HOOK, registry).tool == HOOK
