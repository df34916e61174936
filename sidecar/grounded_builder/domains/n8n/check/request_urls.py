"""Reports literal URLs of HTTP Request nodes that are placeholders or lack http:// or https://."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.parameters.findings import VALUE_TO_CHOOSE
from grounded_builder.domains.n8n.parameters.placeholders import is_placeholder, is_stand_in
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNSUPPORTED_URL_SCHEME = Rule.wrong(
    "N8N355", "unsupported-url-scheme", "TypeMismatch", "The address has no supported URL scheme."
)

_CALLING = frozenset({"n8n-nodes-base.httpRequest", "n8n-nodes-base.httpRequestTool"})
_SCHEMES = ("http://", "https://")
# The characters that String.prototype.trim removes in JavaScript.
_JS_WHITESPACE = (
    " \t\n\r\f\v\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_MAX_SHOWN = 60


def check_request_urls(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports literal URLs with which every call fails.

    All versions of the node trim the URL, and throw unless it begins with ``http://`` or
    ``https://`` in lower case (n8n 2.41).
    """
    for bound in resolved.nodes:
        if bound.node.tool in _CALLING and not bound.node.disabled:
            text = bound.node.params.get("url")
            if isinstance(text, str) and not text.startswith("="):
                yield from _check_url(bound, text.strip(_JS_WHITESPACE))


def _check_url(bound: ResolvedNode, text: str) -> Iterator[Diagnostic]:
    at = (*bound.node.at, "parameters", "url")
    if not text or text.startswith(_SCHEMES) or not isinstance(bound.spec, NodeSpec):
        return
    if not is_used(bound, at):
        return
    if is_stand_in(text, is_own=True):
        return  # reported with the parameters
    if "{{" not in text and (is_placeholder(text) or not any(mark in text for mark in "./:?")):
        yield new_diagnostic(
            VALUE_TO_CHOOSE,
            at,
            f'"URL" of "{bound.node.name}" is the placeholder "{text[:_MAX_SHOWN]}"',
            help="write the address to call in n8n",
            node=bound.node.name,
            token="url",  # noqa: S106 - the name of the parameter
            only_user=True,
        )
        return
    yield new_diagnostic(
        UNSUPPORTED_URL_SCHEME,
        at,
        f'"{bound.node.name}" calls "{text[:_MAX_SHOWN]}", which begins with neither http:// nor https://',
        help="write the whole URL, in an expression if a part of it is computed",
        node=bound.node.name,
        token=text,
        fix=_fix_scheme(at, text),
    )


def _fix_scheme(at: tuple[str | int, ...], text: str) -> Fix | None:
    """Returns a fix that writes the scheme in lower case, None if there is no scheme."""
    begin, mark, rest = text.partition("://")
    if not mark or begin.casefold() not in ("http", "https"):
        return None
    return Fix(True, (Edit("set", at, f"{begin.casefold()}://{rest}"),), "n8n needs lower case")
