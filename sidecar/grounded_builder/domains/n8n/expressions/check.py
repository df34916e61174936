"""Expressions and code: do they parse, and does what they name exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.n8n.analysis.execution_order import Flow
from grounded_builder.domains.n8n.analysis.node_names import Names
from grounded_builder.domains.n8n.expressions.braces import (
    is_open,
    literal_braces,
    no_braces,
    unclosed,
)
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_note, is_used
from grounded_builder.domains.n8n.expressions.fences import fenced, is_fenced
from grounded_builder.domains.n8n.expressions.fields import absent_fields, settled_fields
from grounded_builder.domains.n8n.expressions.order import untimely
from grounded_builder.domains.n8n.expressions.plain_forms import is_plain
from grounded_builder.domains.n8n.expressions.python import python_refusal
from grounded_builder.domains.n8n.expressions.references import (
    Reference,
    may_refer,
    names_nodes,
    references,
    unknown,
)
from grounded_builder.domains.n8n.expressions.returns import no_items
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.syntax import Snippet, begin_syntax, broken
from grounded_builder.domains.n8n.expressions.texts import Text, texts_of
from grounded_builder.domains.n8n.expressions.unavailable_members import (
    ENVIRONMENT,
    arguments,
    environment,
)
from grounded_builder.domains.n8n.expressions.unknown_members import unknown_members
from grounded_builder.domains.n8n.expressions.variables import (
    ungiven_in_python,
    unknown_bare_names,
    unknown_variables,
    unquoted_nodes,
)
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

Pieces = list[tuple[str, int]]


@dataclass(slots=True)
class _ReadText:
    """A text with the code in it, and what follows from both; worked out once for equal nodes.

    ``findings`` hold whatever the other nodes are; ``references`` are those of each piece.
    """

    text: Text
    pieces: Pieces
    findings: tuple[Diagnostic, ...] | None = None
    references: list[tuple[str, int, list[Reference]]] = field(default_factory=list)


def check_expressions(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds what n8n's parser refuses, names that nothing has, and braces that stay text.

    A parameter without effect is left alone: it is told as hidden.
    """
    del registry
    for finding in _findings(resolved):
        if finding.rule == ENVIRONMENT and setting.policy.allow_environment:
            continue
        bound = resolved.by_name.get(finding.node or "")
        if bound is None or is_used(bound, finding.at):
            yield finding


def _findings(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    names = Names(resolved.by_name)
    fields = settled_fields(resolved)
    flow = Flow(resolved) if fields else None
    looked_at, doubtful = _looked_at(resolved)
    # V8 compiles what is doubtful while the rest is looked at.
    syntax = begin_syntax(doubtful)
    open_ones: list[Text] = []
    for bound, read_text in looked_at:
        if read_text.findings is None:
            _read_names(read_text, bound)
        yield from read_text.findings or ()
        text = read_text.text
        if not _is_javascript(text):
            continue
        if text.use == "code":
            if names_nodes(text.value):
                yield from unquoted_nodes(text, resolved.by_name)
        else:
            if is_open(text.value):
                open_ones.append(text)
            if fields and flow is not None:
                sources = flow.sources(bound.node.name)
                for code, _ in read_text.pieces:
                    yield from absent_fields(text, code, sources, fields)
        everything = [reference for _, _, some in read_text.references for reference in some]
        if not everything:
            continue
        yield from unknown(text, everything, names, resolved.by_name)
        flow = flow or Flow(resolved)
        for code, start, some in read_text.references:
            if some:
                yield from untimely(text, bound, code, start, some, flow, resolved)
    broken_at: set[Route] = set()
    for finding in syntax():
        broken_at.add(finding.at)
        yield finding
    for text in open_ones:
        if text.at not in broken_at:
            yield unclosed(text)
    entries: dict[Route, set[str]] = {}
    for text, form, code in doubtful:
        if form == "expression" and text.at not in broken_at:
            yield from unknown_bare_names(text, code, entries.setdefault(text.at, set()))


def _looked_at(
    resolved: ResolvedGraph,
) -> tuple[list[tuple[ResolvedNode, _ReadText]], list[Snippet]]:
    """The texts of a workflow with the code in them, and the snippets that may not parse."""
    doubtful: list[Snippet] = []
    looked_at: list[tuple[ResolvedNode, _ReadText]] = []
    for bound in resolved.nodes:
        if bound.spec is None or bound.node.disabled or is_note(bound):
            continue
        of_node, snippets = _read_node(bound)
        looked_at.extend((bound, read_text) for read_text in of_node)
        doubtful.extend(snippets)
    return looked_at, doubtful


def _read_node(bound: ResolvedNode) -> tuple[list[_ReadText], list[Snippet]]:
    """Returns the texts of a node with the code in them, and the snippets that may not parse."""
    known: tuple[list[_ReadText], list[Snippet]] | None = bound.memo.get("read_texts")
    if known is None:
        doubtful: list[Snippet] = []
        of_node = [
            _ReadText(text, _pieces(text, doubtful) if text.use in ("expression", "code") else [])
            for text in texts_of(bound)
        ]
        known = bound.memo["read_texts"] = of_node, doubtful
    return known


def _read_names(read_text: _ReadText, bound: ResolvedNode) -> None:
    """Work out what a text says whatever the other nodes are, and which of them it names."""
    text = read_text.text
    if not _is_javascript(text):
        is_script = text.use in ("code", "python") and is_fenced(text.value)
        read_text.findings = (fenced(text),) if is_script else tuple(_other(text, bound))
        return
    if may_refer(text.value) and (text.use != "code" or names_nodes(text.value)):
        read_text.references = [
            (code, start, list(references(code, start))) for code, start in read_text.pieces
        ]
    lacking = no_items(text, bound) if text.use == "code" else None
    # Set last: what is interrupted before is worked out again.
    read_text.findings = (*((lacking,) if lacking else ()), *_names(text, read_text.pieces, bound))


def _is_javascript(text: Text) -> bool:
    return text.use == "expression" or (text.use == "code" and not is_fenced(text.value))


def _pieces(text: Text, doubtful: list[Snippet]) -> Pieces:
    """Returns the code in a text, where it stands; what a parser has to be asked about is noted."""
    if text.use == "code":
        if not is_fenced(text.value):
            doubtful.append((text, "body", text.value))
        return [(text.value, 0)]
    pieces = [(piece.code, piece.start + 1) for piece in split(text.value[1:])]
    # What ends in braces held an escaped pair, of which n8n's parser lets the end pass.
    doubtful.extend(
        (text, "expression", code)
        for code in dict.fromkeys(code for code, _ in pieces)
        if not is_plain(code) and not code.endswith("}}")
    )
    return pieces


def _names(text: Text, pieces: Pieces, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Yields what pieces of code name of n8n's and of values, and that is not there."""
    # A text may hold one piece thousands of times.
    if len(pieces) > 1:
        pieces = list(dict(reversed(pieces)).items())[::-1]
    entries: set[str] = set()
    for code, start in pieces:
        if "$" in code:
            yield from unknown_variables(text, code, start, entries)
        yield from unknown_members(text, code, is_body=text.use == "code")
        yield from environment(text, code)
        if text.use == "expression":
            yield from arguments(text, code, is_made_tool=_is_made_tool(bound))


def _is_made_tool(bound: ResolvedNode) -> bool:
    """Returns whether n8n makes the tool out of an ordinary node (n8n-core, createNodeAsTool)."""
    return bool(bound.spec.variant.get("traits", {}).get("generated") == "ai_tool")


def _other(text: Text, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Texts that are no expression, and code that is no JavaScript."""
    if text.use == "python":
        reason = python_refusal(text.value)
        if reason is not None:
            yield broken(text, "body", text.value, reason)
            return
        if finding := no_items(text, bound):
            yield finding
        if not _has_old_python(bound):
            yield from ungiven_in_python(text, is_each=_is_each(bound))
        return
    finding = literal_braces(text) if text.use == "plain" else no_braces(text)
    if finding is not None:
        yield finding


def _has_old_python(bound: ResolvedNode) -> bool:
    """Returns whether the node offers the Python of n8n 1, which knows all that JavaScript does."""
    language = bound.node.params.get("language")
    return any(
        isinstance(option, dict) and option.get("value") == language == "python"
        for parameter in bound.spec.variant.get("parameters", ())
        if parameter.get("name") == "language"
        for option in parameter.get("options") or ()
    )


def _is_each(bound: ResolvedNode) -> bool | None:
    """Returns whether code runs once for each item; a node without a choice runs it once."""
    mode = bound.node.params.get("mode", "runOnceForAllItems")
    return {"runOnceForAllItems": False, "runOnceForEachItem": True}.get(str(mode))
