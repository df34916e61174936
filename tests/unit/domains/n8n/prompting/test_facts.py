"""What a prompt says of a node: the parameters that its operations have, in brief."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.prompting.facts import (
    brief,
    count_uses,
    outline_all,
    variant_for_agents,
)
from tests.support import catalogs
from tests.support.n8n_server import kept_catalog
from tests.support.registries import registry_from

NODE = "acme-nodes.board"


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


def _text(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "string", "default": "", **more}


_LOCATOR = {
    "name": "sheet",
    "type": "resourceLocator",
    "default": {"mode": "list", "value": ""},
    "required": True,
    "modes": [{"name": "list", "type": "list"}],
}


@pytest.mark.parametrize(
    ("parameters", "outline"),
    [
        ([_text("a"), _text("b", required=True)], "b*, a"),
        ([{"name": "n", "type": "number", "default": 1}], "n:number"),
        ([_choice("how", "fast", "slow")], "how:fast|slow"),
        ([_choice("authentication", "key", "oauth"), _text("a")], "a"),
        ([{"name": "note", "type": "notice", "default": ""}, _text("a")], "a"),
        ([_LOCATOR], "sheet*:locator"),
        (
            [{"name": "fields", "type": "collection", "default": {}, "options": [_text("c")]}],
            "fields:{c}",
        ),
        (
            [{"name": "options", "type": "collection", "default": {}, "options": [_text("c")]}],
            "",
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
    ],
)
def test_a_parameter_is_described_in_brief(parameters: list[dict[str, Any]], outline: str) -> None:
    """Required parameters come first; types, options and fields follow the name."""
    assert _outline(parameters) == outline


def test_what_an_operation_shows_is_listed() -> None:
    """Only the parameters of the operation are listed, without those that choose it."""
    operation = _choice("operation", "send", "get")
    parameters = [
        operation,
        _text("to", **_show_for(operation="send")),
        _text("id", **_show_for(operation="get")),
    ]
    assert _outline(parameters, operation="send") == "to"
    assert _outline(parameters, operation="get") == "id"


def test_what_a_choice_adds_stands_after_it() -> None:
    """After the options of a required choice stand the parameters that each of them shows."""
    parameters = [
        _choice("select", "channel", "user", default="", required=True),
        _text("channelId", required=True, **_show_for(select="channel")),
        _text("userId", required=True, **_show_for(select="user")),
    ]
    assert _outline(parameters) == "select*:channel(channelId*)|user(userId*)"


def test_what_a_chosen_locator_shows_is_listed() -> None:
    """A parameter that is hidden until something is chosen is visible in the outline."""
    hidden = {"displayOptions": {"hide": {"sheet": [""]}}}
    columns = {"name": "columns", "type": "resourceMapper", "default": {}, **hidden}
    assert _outline([_LOCATOR, columns]) == "sheet*:locator, columns:mapper"


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


@pytest.fixture(scope="module")
def real() -> Registry:
    """The tools of a real n8n."""
    return registry_from(kept_catalog().read_bytes())


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
def test_what_people_set_is_listed_and_the_rest_is_asked_for(
    name: str, preset: dict[str, Any], present: str, absent: str, real: Registry
) -> None:
    """The brief outline has the options in use; the whole one has all of them."""
    spec = real.spec(name, real.tools[name].preferred_version)
    short, whole = brief(spec, preset), outline_all(spec, preset)
    assert present in short
    assert absent not in short
    assert absent in whole
    assert "..." not in whole


def test_consecutive_numbers_are_a_range(real: Registry) -> None:
    """The number of inputs of a merge is one of two to ten."""
    name = "n8n-nodes-base.merge"
    spec = real.spec(name, real.tools[name].preferred_version)
    assert "numberInputs:2-10" in brief(spec, {"mode": "append"})
