"""Addresses that the HTTP Request node refuses: they name no protocol that it speaks."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.parameters.findings import MISSING_PARAMETER
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNSUPPORTED_URL_SCHEME = Rule.wrong(
    "N8N355", "unsupported-url-scheme", "TypeMismatch", "The address has no supported URL scheme."
)

_CALLING = frozenset({"n8n-nodes-base.httpRequest", "n8n-nodes-base.httpRequestTool"})
_SPOKEN = ("http://", "https://")
# What JavaScript trims.
_BLANK = (
    " \t\n\r\f\v\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_SHOWN = 60


def check_addresses(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Find literal addresses at which every call fails.

    All versions of the node trim the address, and throw unless it begins with ``http://`` or
    ``https://`` in lower case (n8n 2.41).
    """
    for bound in resolved.nodes:
        if bound.node.tool in _CALLING and not bound.node.disabled:
            text = bound.node.params.get("url")
            if isinstance(text, str) and not text.startswith("="):
                yield from _said(bound, text.strip(_BLANK))


def _said(bound: ResolvedNode, text: str) -> Iterator[Diagnostic]:
    at = (*bound.node.at, "parameters", "url")
    if not text or text.startswith(_SPOKEN) or not isinstance(bound.spec, NodeSpec):
        return
    if not is_used(bound, at):
        return
    if "{{" not in text and (is_stand_in(text) or not any(mark in text for mark in "./:?")):
        yield new_diagnostic(
            MISSING_PARAMETER,
            at,
            f'"url" of "{bound.node.name}" is "{text[:_SHOWN]}", which stands for an address',
            help='set "url" (URL) to the address to call',
            node=bound.node.name,
            token="url",  # noqa: S106 - the name of the parameter
        )
        return
    yield new_diagnostic(
        UNSUPPORTED_URL_SCHEME,
        at,
        f'"{bound.node.name}" calls "{text[:_SHOWN]}", which begins with neither http:// nor https://',
        help="write the whole address, in an expression if a part of it is computed",
        node=bound.node.name,
        token=text,
        fix=_spelled(at, text),
    )


def _spelled(at: tuple[str | int, ...], text: str) -> Fix | None:
    """The protocol in lower case, where it is there; which one is meant is nobody's guess."""
    begin, mark, rest = text.partition("://")
    if not mark or begin.casefold() not in ("http", "https"):
        return None
    return Fix(True, (Edit("set", at, f"{begin.casefold()}://{rest}"),), "n8n asks for lower case")
