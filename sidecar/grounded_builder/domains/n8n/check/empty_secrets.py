"""Reports headers, query values and fields that are named like a secret and hold none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.parameters.findings import VALUE_TO_CHOOSE
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# Schemes of the header "Authorization" (IANA registry), and those of services that predate it.
_SCHEMES = frozenset("apikey basic bearer bot digest key negotiate oauth token".split())
_SECRET = frozenset("authorization apikey password passwd passphrase secret token".split())
_KEYS = frozenset({("api", "key"), ("access", "key"), ("auth", "key"), ("secret", "key")})
# Tokens with these words name a place in a list, or are given by the service.
_OF_SERVICE = frozenset(
    "after before continuation csrf cursor end max next page previous start sync type".split()
)
_MAX_NAME = 60
_MAX_TEXT = 20_000
_MAX_FINDINGS = 20
_MAX_DEPTH = 8


def check_empty_secrets(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports each named secret of a node that is empty, a scheme alone, or a placeholder.

    They are in lists of names and values, in JSON and in the query of addresses. The last of 20
    findings of a node has the number of other secrets.
    """
    for bound in resolved.nodes:
        if not isinstance(bound.spec, NodeSpec) or bound.node.disabled:
            continue
        findings = bound.memo.get("empty_secrets")
        if findings is None:
            findings = bound.memo["empty_secrets"] = tuple(_check_node(bound))
        yield from findings


def _check_node(bound: ResolvedNode) -> Iterator[Diagnostic]:
    at = (*bound.node.at, "parameters")
    texts: dict[tuple[Route, str], str] = {}
    for name, text, route in _find_empty(bound.node.params, at, 0):
        texts.setdefault((route, name), text)
    keys = {route[len(at)] for route, _ in texts}
    used = {key for key in keys if is_used(bound, (*at, key))}
    secrets = [(*place, text) for place, text in texts.items() if place[0][len(at)] in used]
    more = len(secrets) - _MAX_FINDINGS
    for number, (route, name, text) in enumerate(secrets[:_MAX_FINDINGS], 1):
        yield _report(bound, name, text, route, more if number == _MAX_FINDINGS else 0)


def _report(bound: ResolvedNode, name: str, text: str, at: Route, more: int) -> Diagnostic:
    secret = _without_scheme(text)
    fact = f'is the placeholder "{secret[:_MAX_NAME]}"' if secret else "has no value"
    if more > 0:
        fact += f"; further secrets without a value: {more:,}"
    return new_diagnostic(
        VALUE_TO_CHOOSE,
        at,
        f'"{name[:_MAX_NAME]}" of "{bound.node.name}" {fact}',
        help="select a credential for the node in n8n, or write the secret there",
        node=bound.node.name,
        token=name[:_MAX_NAME],
        only_user=True,
    )


def _find_empty(value: Any, at: Route, depth: int) -> Iterator[tuple[str, str, Route]]:
    """Yields the name, text and place of each secret without a value in parameters."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        for name, text in _pairs_in(value):
            if _is_secret(name) and _is_open(text):
                yield name, text, at
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _find_empty(entry, (*at, index), depth + 1)
    elif isinstance(value, dict):
        label, content = value.get("name", value.get("key")), value.get("value")
        if isinstance(label, str) and isinstance(content, str) and _is_secret(label):
            # A placeholder alone is reported with the parameters.
            if _is_open(content) and not is_stand_in(content):
                yield label, content, (*at, "value")
            return
        for key, entry in value.items():
            yield from _find_empty(entry, (*at, key), depth + 1)


def _pairs_in(text: str) -> list[tuple[str, str]]:
    """Returns the names with their texts in a JSON text, or in the query of an address."""
    text = text.removeprefix("=").strip()[:_MAX_TEXT]
    if text[:1] in ("{", "["):
        try:
            return list(_texts_in(orjson.loads(text), "", 0))
        except orjson.JSONDecodeError:
            return []
    if "://" not in text or "?" not in text:
        return []
    try:
        return parse_qsl(urlsplit(text).query, keep_blank_values=True)
    except ValueError:
        return []


def _texts_in(value: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict | list) and depth < _MAX_DEPTH:
        pairs = value.items() if isinstance(value, dict) else (("", entry) for entry in value)
        for key, entry in pairs:
            yield from _texts_in(entry, key, depth + 1)


def _is_secret(name: str) -> bool:
    """Returns whether a name is that of a secret, such as ``X-Api-Key``."""
    if len(name) > _MAX_NAME:
        return False
    words = split_identifier(name)
    if not _OF_SERVICE.isdisjoint(words):
        return False
    return not _SECRET.isdisjoint(words) or tuple(words[-2:]) in _KEYS


def _is_open(text: str) -> bool:
    """Returns whether a value is empty, the scheme of a secret alone, or a placeholder."""
    secret = _without_scheme(text)
    return not secret or is_stand_in(secret, is_own=True)


def _without_scheme(text: str) -> str:
    text = text.removeprefix("=").strip()
    scheme, _, rest = text.partition(" ")
    return rest.strip() if scheme.casefold() in _SCHEMES else text
