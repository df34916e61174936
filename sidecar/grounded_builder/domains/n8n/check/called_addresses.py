"""Finds the URLs and hosts that a node calls in its parameters; recognizes address parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from grounded_builder.diagnostics import Route
from grounded_builder.diagnostics.json_texts import list_texts
from grounded_builder.domains.n8n.check.embedded_workflows import routes_of_embedded
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.hosts import locate_host, parse_bare_host, parse_host, parse_path

CORE_PACKAGES = frozenset({"n8n-nodes-base", "@n8n/n8n-nodes-langchain"})
_MAX_BARE_LENGTH = 300
# The start of a URL; the WHATWG standard accepts any number of slashes of either kind.
_URL_START = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[/\\]")
_URL_WITH_HOST = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[/\\]+[^/\\?#{}]+[/\\?#]")
_LITERAL = re.compile(
    r"(?:(?:https?|wss?|ftp):[/\\]+|[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)"
    # Behind a comma another address may begin.
    r"(?:[^\s'\"`<>{}|^,]|,(?!\s{0,8}[a-z]{1,20}:[/\\]))*",
    re.IGNORECASE,
)
# Other schemes can have a single word that is not a host: gid://shopify/Product/1.
_HOST_SCHEMES = ("http", "ws", "ftp")
# An expression that starts with a literal address with a path and appends values to it.
_CONCATENATED = re.compile(
    r"\{\{\s*(?P<quote>['\"`])(?P<begin>https?://[^'\"`\\$\s/?#{}]+[/?#])[^'\"`\\{}]*+(?P=quote)"
    r"(?:\s*\+\s*(?:\$json[\w.]*|'[^'\\]*'|\"[^\"\\]*\"))*\s*\}\}"
)
_TEMPLATE = re.compile(r"\{\{\s*`(?P<begin>https?://[^'\"`\\$\s/?#{}]+[/?#])[^`\\]*`\s*\}\}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words in the names of parameters that hold an address, and words of addresses that are not called.
_ADDRESS_WORDS = frozenset(
    {"url", "uri", "endpoint", "host", "hostname", "proxy", "server", "broker"}
)
_NOT_CALLED_WORDS = frozenset({"redirect", "cached", "image", "icon", "avatar", "picture", "logo"})
# Of a normalized path in lower case: the router of n8n ignores case.
_API = re.compile(r"/(?:api/v\d+|rest)/(?:workflows|credentials|executions)\b")
_SLASHES = re.compile(r"/{2,}")
# A place for a value that the caller of a tool gives: "{address}", "https://{host}/".
_PLACEHOLDER = re.compile(
    r"(?:[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[/\\]+)?[^/\\?#{}]{0,300}\{[^{}]{1,200}\}"
)
_API_KEY = "x-n8n-api-key"


@dataclass(frozen=True, slots=True)
class Call:
    """An address in a node; `host` is None if it is known only at run time.

    `is_called` means that the parameter is named as an address that the node calls, `is_api` that
    the address is n8n's own API.
    """

    at: Route
    text: str
    host: str | None
    is_called: bool
    is_api: bool = False


def find_calls(bound: ResolvedNode) -> tuple[Call, ...]:
    """Returns the addresses in the parameters of a node, cached for all checks."""
    known: tuple[Call, ...] | None = bound.memo.get("calls")
    if known is None:
        read, start = routes_of_embedded(bound), (*bound.node.at, "parameters")
        sends = _sends_to_service(bound)
        calls = (
            call
            for at, text in list_texts(bound.node.params, start)
            if at not in read
            for call in _find_calls_in(at, text, is_content=sends and _is_content(at[len(start) :]))
        )
        known = bound.memo["calls"] = tuple(dict.fromkeys(calls))
    return known


def is_address_name(key: str) -> bool:
    """Returns whether a parameter with this name holds an address that the node calls."""
    words = {word.casefold() for word in _WORD.findall(key)}
    singular = words | {word.removesuffix("s") for word in words}
    return bool(singular & _ADDRESS_WORDS) and not words & _NOT_CALLED_WORDS


def _sends_to_service(bound: ResolvedNode) -> bool:
    """Returns whether a node is one of n8n's own, and makes no requests of the user's own."""
    tool = bound.tool
    return tool is not None and tool.package in CORE_PACKAGES and not tool.is_generic


def _is_content(path: Route) -> bool:
    """Returns whether the parameter at a path is data for the service of one of n8n's nodes.

    In n8n 2.41 the addresses that such a node calls are parameters of the node itself or options
    (``options.baseURL``, ``requestOptions.proxy``); other collections hold fields of the object.
    """
    collection = path[0] if path else ""
    is_nested = sum(isinstance(part, str) for part in path) > 1
    is_option = isinstance(collection, str) and "option" in collection.casefold()
    return is_nested and not is_option


def _is_repository(key: str, text: str) -> bool:
    """Returns whether a parameter names a repository by an address, not by its name."""
    is_named = "repository" in key.casefold() and not is_address_name(key)
    return is_named and _URL_START.match(text.removeprefix("=").lstrip()) is not None


def _find_calls_in(at: Route, text: str, *, is_content: bool) -> Iterator[Call]:
    key = next(part for part in reversed(at) if isinstance(part, str))
    is_called = not is_content and (is_address_name(key) or _is_repository(key, text))
    listed = text.split(",") if is_called and "," in text and "{" not in text else ()
    if len(listed) > 1 and all(_URL_START.match(entry.strip()) for entry in listed):
        for entry in listed:
            yield from _find_calls_in_text(at, entry, is_called=True)
        return
    yield from _find_calls_in_text(at, text, is_called=is_called)


def _find_calls_in_text(at: Route, text: str, *, is_called: bool) -> Iterator[Call]:
    plain = text.removeprefix("=").strip("".join(map(chr, range(33))))
    if _API_KEY in text.casefold():
        yield Call(at, _API_KEY, None, is_called=False, is_api=True)
    begins = _URL_START.match(plain) is not None
    if is_called and "{{" in plain:
        yield from _read_computed_address(at, plain)
    elif is_called and _PLACEHOLDER.match(plain):
        yield Call(at, plain, None, is_called=True, is_api=_is_api_address(plain))
    elif is_called and begins:
        yield Call(at, plain, parse_host(plain), is_called=True, is_api=_is_api_address(plain))
    elif is_called and len(plain) <= _MAX_BARE_LENGTH:
        host = parse_bare_host(plain)
        # A single word can name anything; with a dot or a colon it is a host.
        if host is not None and (locate_host(host) == "loopback" or _is_local_name(host)):
            yield Call(at, plain, host, is_called=True)
    for match in _LITERAL.finditer(plain):
        host = parse_host(match[0])
        is_api = _is_api_address(match[0])
        if host is None or not (
            _is_local_name(host) or match[0].casefold().startswith(_HOST_SCHEMES)
        ):
            continue
        if is_api or locate_host(host) != "public":
            yield Call(at, match[0], host, is_called=False, is_api=is_api)


def _is_api_address(address: str) -> bool:
    """Returns whether an address leads to n8n's own interface, in any spelling of its path."""
    path = parse_path(address) or address
    return _API.search(_SLASHES.sub("/", unquote(path)).casefold()) is not None


def _is_local_name(host: str) -> bool:
    return locate_host(host) != "public" and ("." in host or ":" in host)


def _read_computed_address(at: Route, plain: str) -> Iterator[Call]:
    """Yields an address with expressions; its host is known if it is complete before them."""
    whole = _URL_WITH_HOST.match(plain)
    if whole is not None and "{{" not in whole[0]:
        begin: str | None = whole[0]
    else:
        match = _CONCATENATED.match(plain) or _TEMPLATE.match(plain)
        begin = match["begin"] if match else None
    host = None if begin is None else parse_host(begin)
    yield Call(at, plain, host, is_called=True, is_api=_is_api_address(plain))
