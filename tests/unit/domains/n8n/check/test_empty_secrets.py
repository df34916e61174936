"""A secret that is named and has no value is a to-do of a person."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.diagnostics import to_pointer
from tests.unit.domains.n8n.drafts import compile_workflow, node, registry, text, tool, workflow

_CALL = "acme-nodes.call"
_PAIR = {"name": "parameters", "values": [text("name"), text("value")]}
_PAIRS = {
    "name": "headers",
    "type": "fixedCollection",
    "default": {},
    "typeOptions": {"multipleValues": True},
    "options": [_PAIR],
}
_SWITCH = {"name": "sendBody", "type": "boolean", "default": True}
_BODY = {
    "name": "body",
    "type": "json",
    "default": "",
    "displayOptions": {"show": {"sendBody": [True]}},
}
REGISTRY = registry(tool(_CALL, parameters=[text("url"), _PAIRS, _SWITCH, _BODY]))


def _find_empty_secrets(params: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    draft = workflow([node("Call", _CALL, params, **more)])
    return [
        (to_pointer(d.at).removeprefix("/nodes/0/parameters"), str(d.token))
        for d in compile_workflow(draft, None, REGISTRY).diagnostics
        if d.code == "GB331"
    ]


def _headers(name: str, value: str) -> dict[str, Any]:
    return {"headers": {"parameters": [{"name": name, "value": value}]}}


@pytest.mark.parametrize("name", ["Authorization", "X-API-Key", "apiKey", "api_token", "password"])
@pytest.mark.parametrize(
    "value", ["", " ", "=", "Bearer ", "=Bearer", "Bearer <token>", "Token YOUR_KEY"]
)
def test_a_header_without_its_secret_is_a_to_do(name: str, value: str) -> None:
    """Empty, a scheme alone, or a placeholder behind it."""
    assert _find_empty_secrets(_headers(name, value)) == [("/headers/parameters/0/value", name)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer {{ $json.token }}"),
        ("Authorization", "={{ $json.token }}"),
        ("Authorization", "Bearer aGVsbG8gd29ybGQ"),
        ("pageToken", ""),
        ("max_tokens", ""),
        ("Accept", ""),
        ("key", ""),
    ],
)
def test_other_values_are_no_secrets(name: str, value: str) -> None:
    """Secrets with a value and empty values under other names are not reported."""
    assert _find_empty_secrets(_headers(name, value)) == []


@pytest.mark.parametrize("mark", ["", "="])
def test_secrets_in_json_are_found(mark: str) -> None:
    """Also below other keys."""
    body = {"auth": {"client_secret": "", "user": ""}, "list": [{"apiKey": "Bearer "}]}
    assert _find_empty_secrets({"body": mark + json.dumps(body)}) == [
        ("/body", "apiKey"),
        ("/body", "client_secret"),
    ]


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://a.test/b?api_key=&q=x", ["api_key"]),
        ("https://a.test/b?api_key=1234x&q=", []),
        ("https://a.test/b?access_token=YOUR_TOKEN", ["access_token"]),
        ("https://[a.test?api_key=", []),
    ],
)
def test_secrets_in_addresses_are_found(url: str, names: list[str]) -> None:
    """Empty secrets in the query of an address are found."""
    assert [name for at, name in _find_empty_secrets({"url": url}) if name != "url"] == names


def test_the_last_of_many_findings_has_the_number_of_other_secrets() -> None:
    """Twenty secrets of a node are listed."""
    body = json.dumps({f"k{n}ApiKey": "" for n in range(1_000)})
    draft = workflow([node("Call", _CALL, {"body": body})])
    findings = [d for d in compile_workflow(draft, None, REGISTRY).diagnostics if d.code == "GB331"]
    more = [finding.message for finding in findings if "further" in finding.message]
    assert len(findings) == 20
    assert [message.partition("; ")[2] for message in more] == [
        "further secrets without a value: 980"
    ]


def test_empty_secret_without_effect_is_not_reported() -> None:
    """Empty secrets in hidden parameters and in disabled nodes are not reported."""
    assert _find_empty_secrets({"sendBody": False, "body": '{"apiKey": ""}'}) == []
    assert _find_empty_secrets(_headers("Authorization", ""), disabled=True) == []


def test_a_placeholder_is_reported_once() -> None:
    """A placeholder is reported either as a parameter or as a secret."""
    assert len(_find_empty_secrets(_headers("X-Api-Key", "YOUR_API_KEY"))) == 1
