"""Read the addresses that a node calls off its parameters, whatever they are spelled like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.check.embedded_workflows import string_leaves, texts_read
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.hosts import locate_host, parse_bare_host, parse_host

_LONGEST_BARE = 300
# What a URL begins with; WHATWG takes any number of slashes of either kind.
_BEGIN = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[/\\]")
_COMPLETE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[/\\]+[^/\\?#{}]+[/\\?#]")
_LITERAL = re.compile(
    r"(?:(?:https?|wss?|ftp):[/\\]+|[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)[^\s'\"`<>{}|^]*", re.IGNORECASE
)
# Schemes of other kinds name things that are no hosts by a single word: gid://shopify/Product/1.
_OF_HOSTS = ("http", "ws", "ftp")
# An expression that is a literal address with a path, and values that are put behind it.
_CONCATENATED = re.compile(
    r"\{\{\s*(?P<quote>['\"`])(?P<begin>https?://[^'\"`\\$\s/?#{}]+[/?#])[^'\"`\\{}]*+(?P=quote)"
    r"(?:\s*\+\s*(?:\$json[\w.]*|'[^'\\]*'|\"[^\"\\]*\"))*\s*\}\}"
)
_TEMPLATE = re.compile(r"\{\{\s*`(?P<begin>https?://[^'\"`\\$\s/?#{}]+[/?#])[^`\\]*`\s*\}\}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words by which parameters name an address.
_ADDRESSES = frozenset({"url", "uri", "endpoint", "host", "hostname", "proxy", "server", "broker"})
_ELSEWHERE = frozenset({"redirect", "cached", "image", "icon", "avatar", "picture", "logo"})
_API = re.compile(r"/(?:api/v\d+|rest)/(?:workflows|credentials|executions)\b")
_API_KEY = "x-n8n-api-key"


@dataclass(frozen=True, slots=True)
class Call:
    """An address in a node: ``host`` is None where it is known only when the workflow runs.

    With ``is_called`` the parameter is by its name an address that the node calls. ``is_api``
    tells that it is n8n's own interface.
    """

    at: Route
    text: str
    host: str | None
    is_called: bool
    is_api: bool = False


def calls_of(bound: ResolvedNode) -> tuple[Call, ...]:
    """Returns the addresses in the parameters of a node, found once for all passes."""
    known: tuple[Call, ...] | None = bound.memo.get("calls")
    if known is None:
        read = texts_read(bound)
        leaves = string_leaves(bound.node.params, (*bound.node.at, "parameters"))
        listed = (
            call for at, key, text in leaves if at not in read for call in _calls(at, key, text)
        )
        known = bound.memo["calls"] = tuple(dict.fromkeys(listed))
    return known


def names_an_address(key: str) -> bool:
    """Whether a parameter of this name holds an address that is called."""
    words = {word.casefold() for word in _WORD.findall(key)}
    return bool(words & _ADDRESSES) and not words & _ELSEWHERE


def _calls(at: Route, key: str, text: str) -> Iterator[Call]:
    is_called = names_an_address(key)
    plain = text.removeprefix("=").strip("".join(map(chr, range(33))))
    if _API_KEY in text.casefold():
        yield Call(at, _API_KEY, None, is_called=False, is_api=True)
    begins = _BEGIN.match(plain) is not None
    if is_called and "{{" in plain:
        yield from _computed(at, plain)
    elif is_called and begins:
        yield Call(at, plain, parse_host(plain), is_called=True, is_api=bool(_API.search(plain)))
    elif is_called and len(plain) <= _LONGEST_BARE:
        host = parse_bare_host(plain)
        # A word alone is a name of many things; with a dot or a colon it is a host.
        if host is not None and (locate_host(host) == "loopback" or _is_local_name(host)):
            yield Call(at, plain, host, is_called=True)
    for match in _LITERAL.finditer(plain):
        host = parse_host(match[0])
        is_api = bool(_API.search(match[0]))
        if host is None or not (_is_local_name(host) or match[0].casefold().startswith(_OF_HOSTS)):
            continue
        if is_api or locate_host(host) != "public":
            yield Call(at, match[0], host, is_called=False, is_api=is_api)


def _is_local_name(host: str) -> bool:
    return locate_host(host) != "public" and ("." in host or ":" in host)


def _computed(at: Route, plain: str) -> Iterator[Call]:
    """An address with expressions in it: its host is known where it stands whole before them."""
    whole = _COMPLETE.match(plain)
    if whole is not None and "{{" not in whole[0]:
        begin: str | None = whole[0]
    else:
        match = _CONCATENATED.match(plain) or _TEMPLATE.match(plain)
        begin = match["begin"] if match else None
    host = None if begin is None else parse_host(begin)
    yield Call(at, plain, host, is_called=True, is_api=bool(_API.search(plain)))
