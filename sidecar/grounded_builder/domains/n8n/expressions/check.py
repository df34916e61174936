"""Runs all checks of expressions and code: syntax, names, fields, node order, braces, returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.analysis.referenced_nodes import NodeNames
from grounded_builder.domains.n8n.analysis.shapes import Shape
from grounded_builder.domains.n8n.expressions.braces import (
    has_unclosed_braces,
    report_literal_braces,
    report_missing_braces,
    report_unclosed_braces,
)
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_note, is_used
from grounded_builder.domains.n8n.expressions.fences import is_fenced, report_fences
from grounded_builder.domains.n8n.expressions.fields import FieldReader
from grounded_builder.domains.n8n.expressions.order import report_early_reads
from grounded_builder.domains.n8n.expressions.plain_forms import is_plain
from grounded_builder.domains.n8n.expressions.python import find_syntax_error
from grounded_builder.domains.n8n.expressions.references import (
    Reference,
    find_references,
    may_refer,
    report_unknown_nodes,
    uses_n8n_dollar,
)
from grounded_builder.domains.n8n.expressions.returns import report_results
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.syntax import (
    Snippet,
    begin_syntax,
    report_broken_code,
)
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.domains.n8n.expressions.unavailable_members import (
    ENVIRONMENT,
    report_environment,
    report_missing_arguments,
)
from grounded_builder.domains.n8n.expressions.unknown_members import (
    report_called_values,
    report_unknown_members,
)
from grounded_builder.domains.n8n.expressions.variables import (
    find_lone_name,
    report_bare_names,
    report_unavailable_in_python,
    report_unknown_variables,
    report_unquoted_nodes,
)
from grounded_builder.domains.n8n.parameters.account_values import takes_own_text
from grounded_builder.domains.n8n.parameters.findings import Subject, report_own_value
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

Pieces = list[tuple[str, int]]


@dataclass(slots=True)
class _ReadText:
    """A text with its pieces of code and the results that depend on nothing else, cached per node.

    ``findings`` do not depend on other nodes; ``references`` are those of each piece.
    """

    text: Text
    pieces: Pieces
    findings: tuple[Diagnostic, ...] | None = None
    references: list[tuple[str, int, list[Reference]]] = field(default_factory=list)


def check_expressions(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports code that n8n's parser rejects, unknown names, and braces that stay plain text.

    Parameters without effect are skipped; another rule reports them as hidden.
    """
    for finding in _check_texts(resolved, registry):
        if finding.rule == ENVIRONMENT and options.policy.allow_environment:
            continue
        bound = resolved.by_name.get(finding.node or "")
        if bound is None or is_used(bound, finding.at):
            yield finding


def _check_texts(resolved: ResolvedGraph, registry: Registry) -> Iterator[Diagnostic]:
    names = NodeNames(resolved.by_name)
    flow = ExecutionOrder(resolved)
    fields = FieldReader(resolved, flow)
    read_texts, doubtful = _collect_texts(resolved)
    # V8 compiles the doubtful snippets while the other checks run.
    syntax = begin_syntax(doubtful)
    open_texts: list[Text] = []
    for bound, read_text in read_texts:
        if read_text.findings is None:
            _check_text(read_text, bound)
        yield from read_text.findings or ()
        text = read_text.text
        if not _is_javascript(text):
            continue
        if text.use == "code":
            if uses_n8n_dollar(text.value):
                yield from report_unquoted_nodes(text, resolved.by_name)
        elif has_unclosed_braces(text.value):
            open_texts.append(text)
        yield from fields.report(text, read_text.pieces)
        all_references = [
            reference for _, _, of_piece in read_text.references for reference in of_piece
        ]
        if not all_references:
            continue
        yield from report_unknown_nodes(text, all_references, names, resolved.by_name)
        for code, start, of_piece in read_text.references:
            if of_piece:
                yield from report_early_reads(text, bound, code, start, of_piece, flow, resolved)
    for bound in resolved.nodes:
        yield from fields.report_defaults(bound)
    broken_at: set[Route] = set()
    for finding in syntax():
        broken_at.add(finding.at)
        yield finding
    for text in open_texts:
        if text.at not in broken_at:
            yield report_unclosed_braces(text)
    reported_names: dict[Route, set[str]] = {}
    for text, form, code in doubtful:
        if form == "expression" and text.at not in broken_at:
            received = fields.find_received_shape(text.node)
            bound = resolved.by_name[text.node]
            stand_in = _find_stand_in(text, bound, received, registry)
            if stand_in is not None:
                yield stand_in
                continue
            of_text = reported_names.setdefault(text.at, set())
            yield from report_bare_names(text, code, of_text, received)


def _find_stand_in(
    text: Text, bound: ResolvedNode, received: Shape | None, registry: Registry
) -> Diagnostic | None:
    """Returns the finding for ``{{ chat_id }}`` where no data can have that field.

    The parameter must take a value of the user; others get the text of another field.
    """
    name = find_lone_name(text.value)
    if name is None or received is None or received.is_open or name in received.fields:
        return None
    route = text.at[len(bound.node.at) + 1 :]
    if len(route) > 1 and route[-1] == "value":
        route = route[:-1]
    if len(route) != 1 or not isinstance(bound.spec, NodeSpec):
        return None
    declared = bound.spec.declarations.root.by_name.get(str(route[0]), ())
    own = next((prop for prop in declared if takes_own_text(prop)), None)
    if own is None:
        return None
    subject = Subject(bound.node, bound.spec, registry)
    return report_own_value(subject, own, route, text.value.removeprefix("=").strip())


def _collect_texts(
    resolved: ResolvedGraph,
) -> tuple[list[tuple[ResolvedNode, _ReadText]], list[Snippet]]:
    """Returns the texts of the enabled nodes, and the snippets that may not parse."""
    doubtful: list[Snippet] = []
    read_texts: list[tuple[ResolvedNode, _ReadText]] = []
    for bound in resolved.nodes:
        if bound.spec is None or bound.node.disabled or is_note(bound):
            continue
        of_node, snippets = _read_node(bound)
        read_texts.extend((bound, read_text) for read_text in of_node)
        doubtful.extend(snippets)
    return read_texts, doubtful


def _read_node(bound: ResolvedNode) -> tuple[list[_ReadText], list[Snippet]]:
    """Returns the texts of a node and the snippets that may not parse, cached on the node."""
    known: tuple[list[_ReadText], list[Snippet]] | None = bound.memo.get("read_texts")
    if known is None:
        doubtful: list[Snippet] = []
        of_node = [
            _ReadText(
                text, _split_text(text, doubtful) if text.use in ("expression", "code") else []
            )
            for text in collect_texts(bound)
        ]
        known = bound.memo["read_texts"] = of_node, doubtful
    return known


def _check_text(read_text: _ReadText, bound: ResolvedNode) -> None:
    """Determines the references of a text and the findings that do not depend on other nodes."""
    text = read_text.text
    if not _is_javascript(text):
        is_script = text.use in ("code", "python") and is_fenced(text.value)
        read_text.findings = (
            (report_fences(text),) if is_script else tuple(_check_other_text(text, bound))
        )
        return
    if may_refer(text.value) and (text.use != "code" or uses_n8n_dollar(text.value)):
        read_text.references = [
            (code, start, list(find_references(code, start))) for code, start in read_text.pieces
        ]
    results = tuple(report_results(text, bound)) if text.use == "code" else ()
    # Set last, so that an interrupted run is repeated.
    findings = _check_names(text, read_text.pieces, bound)
    read_text.findings = (*results, *findings)


def _is_javascript(text: Text) -> bool:
    return text.use == "expression" or (text.use == "code" and not is_fenced(text.value))


def _split_text(text: Text, doubtful: list[Snippet]) -> Pieces:
    """Returns the pieces of code in a text with their positions; adds doubtful ones to the list."""
    if text.use == "code":
        if not is_fenced(text.value):
            doubtful.append((text, "body", text.value))
        return [(text.value, 0)]
    pieces = [(piece.code, piece.start + 1) for piece in split(text.value[1:])]
    # A piece that ends in braces had an escaped pair, which n8n's parser accepts at the end.
    doubtful.extend(
        (text, "expression", code)
        for code in dict.fromkeys(code for code, _ in pieces)
        if not is_plain(code) and not code.endswith("}}")
    )
    return pieces


def _check_names(text: Text, pieces: Pieces, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Reports n8n's variables, members and arguments in pieces of code that do not exist."""
    # A text may contain the same piece thousands of times.
    if len(pieces) > 1:
        pieces = list(dict(reversed(pieces)).items())[::-1]
    reported: set[str] = set()
    for code, start in pieces:
        if "$" in code:
            yield from report_unknown_variables(text, code, start, reported)
            yield from report_called_values(text, code)
        yield from report_unknown_members(text, code, is_body=text.use == "code")
        yield from report_environment(text, code)
        if text.use == "expression":
            yield from report_missing_arguments(text, code, is_made_tool=_is_made_tool(bound))


def _is_made_tool(bound: ResolvedNode) -> bool:
    """Returns whether n8n generated the tool from an ordinary node (n8n-core, createNodeAsTool)."""
    return bool(bound.spec.variant.get("traits", {}).get("generated") == "ai_tool")


def _check_other_text(text: Text, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Reports faults of Python code and of texts that are not expressions."""
    if text.use == "python":
        reason = find_syntax_error(text.value)
        if reason is not None:
            yield report_broken_code(text, "body", text.value, reason)
            return
        yield from report_results(text, bound)
        if not _has_old_python(bound):
            yield from report_unavailable_in_python(text, is_each=_runs_per_item(bound))
        return
    finding = report_literal_braces(text) if text.use == "plain" else report_missing_braces(text)
    if finding is not None:
        yield finding


def _has_old_python(bound: ResolvedNode) -> bool:
    """Returns whether the node offers the Python of n8n 1, which has all names of JavaScript."""
    language = bound.node.params.get("language")
    return any(
        isinstance(option, dict) and option.get("value") == language == "python"
        for parameter in bound.spec.variant.get("parameters", ())
        if parameter.get("name") == "language"
        for option in parameter.get("options") or ()
    )


def _runs_per_item(bound: ResolvedNode) -> bool | None:
    """Returns whether code runs once for each item, None if unknown."""
    mode = bound.node.params.get("mode", "runOnceForAllItems")
    return {"runOnceForAllItems": False, "runOnceForEachItem": True}.get(str(mode))
