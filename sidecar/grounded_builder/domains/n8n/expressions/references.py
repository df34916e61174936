"""Finds references to nodes in code, such as ``$('X')``, and reports names that no node has."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.referenced_nodes import NodeNames
from grounded_builder.domains.n8n.expressions.mask_literals import (
    find_try_spans,
    is_caught,
    mask_literals,
)
from grounded_builder.domains.n8n.expressions.texts import Text

UNKNOWN_REFERENCE = Rule.wrong(
    "N8N322", "unknown-reference", "ExpressionError", "An expression refers to an unknown node."
)
UNORDERED_NODE = Rule.advice(
    "N8N329", "unordered-node", "EmptyData", "A node is read that may not have run."
)

# In an outline, the contents of a string are blank.
_NAME = r"(?P<{0}>(?P<{0}_quote>['\"`])\s*(?P={0}_quote))"
_CALL = r"\s*(?:\?\.\s*)?\(\s*"
_TOKEN = re.compile(
    rf"""(?<![\w$])(?:\${_CALL}{_NAME.format("call")}\s*[,)]
      |\$items{_CALL}{_NAME.format("items")}\s*[,)]
      # n8n's old syntax to select an item; its result has all names of an expression.
      |(?:\$item\s*\(\s*(?:[\w$.]+|(?P<q>['"])\s*(?P=q))\s*\)\s*\??\.\s*)?\$node
        (?:\s*(?:\?\.\s*)?\[\s*{_NAME.format("index")}\s*\]
        |\s*\??\.\s*(?P<member>[^\W\d][\w$]*|\$[\w$]*)))""",
    re.VERBOSE,
)
_MAY_REFER = re.compile(r"\$(?:node|items|\s*(?:\(|\?\.|/[/*]))")
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_READS = re.compile(r"\s*\??\.\s*([A-Za-z_$][\w$]*)")
_FORMS = {"call": "$()", "index": "$node", "member": "$node", "items": "$items"}
# Code that defines its own ``$``, such as an HTML parser.
_OWN_DOLLAR = re.compile(
    r"(?:const|let|var)\s+\$\s*[=,;]|function\s+\$\s*\(|[(,]\s*\$\s*[,)]|(?<![\w$])\$\s*=>"
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a node in code; ``start`` and ``end`` bound its name without quotes.

    ``form`` is the syntax (``$()``, ``$node``, ``$items``), ``reads`` the member that is read.
    """

    name: str
    start: int
    end: int
    quote: str
    form: str = ""
    reads: str = ""


def may_refer(text: str) -> bool:
    """Returns whether a text can contain a reference; a cheap test that most texts fail."""
    return "$" in text and _MAY_REFER.search(text) is not None


def uses_n8n_dollar(code: str) -> bool:
    """Returns whether ``$`` in code is n8n's; a definition inside a string does not count."""
    return _OWN_DOLLAR.search(code) is None or _OWN_DOLLAR.search(mask_literals(code)) is None


def find_references(code: str, offset: int = 0) -> Iterator[Reference]:
    """Yields the references of JavaScript code to nodes by a constant name."""
    outline = mask_literals(code)
    for match in _TOKEN.finditer(outline):
        if not is_member(outline, match.start()):
            yield _read_reference(code, match, offset)


def is_member(outline: str, start: int) -> bool:
    """Returns whether a name is that of a member; after a spread it is not."""
    while start and outline[start - 1].isspace():
        start -= 1
    before = outline[max(0, start - 3) : start]
    return before.endswith(".") and before != "..."


def _read_reference(code: str, match: re.Match[str], offset: int) -> Reference:
    form = next(group for group in _FORMS if match[group] is not None)
    start, end = match.span(form)
    read = _READS.match(match.string, match.end())
    reads = read[1] if read else ""
    if form == "member":
        name = code[start:end]
        return Reference(name, start + offset, end + offset, "", _FORMS[form], reads)
    name = _unescape(code[start + 1 : end - 1])
    return Reference(name, start + 1 + offset, end - 1 + offset, code[start], _FORMS[form], reads)


def escape_name(name: str, quote: str) -> str:
    """Returns the inside of a JavaScript string with this value; it cannot end an expression."""
    escaped = name.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\n", "\\n")
    escaped = escaped.replace("}}", "}\\u007d")
    return escaped.replace("${", "\\${") if quote == "`" else escaped


def report_unknown_nodes(
    text: Text, all_references: list[Reference], names: NodeNames, known: Container[str]
) -> Iterator[Diagnostic]:
    """Reports each referenced name that no node has; ``known`` are the names of the nodes.

    The fix corrects all names of the text that differ only in case or spaces.
    """
    absent = [reference for reference in all_references if reference.name not in known]
    if not absent:
        return
    fix = _fix_spelling(text, absent, names)
    caught = _caught_names(text, absent)
    for name in dict.fromkeys(reference.name for reference in absent):
        value = names.match_spelling(name)
        if name in caught:
            yield new_diagnostic(
                UNORDERED_NODE,
                text.at,
                f'"{text.node}" refers to "{name}", which is not a node of the workflow, and '
                "catches the failure",
                help="correct the name, or remove the reference",
                node=text.node,
                token=name,
                alternatives=(value,) if value else names.near(name),
                fix=fix if value else None,
            )
            continue
        yield new_diagnostic(
            UNKNOWN_REFERENCE,
            text.at,
            f'"{text.node}" refers to "{name}", which is not a node of the workflow',
            help="correct the name, or add the node; case and spaces of names count",
            node=text.node,
            token=name,
            alternatives=(value,) if value else names.near(name),
            fix=fix if value else None,
        )


def _caught_names(text: Text, absent: list[Reference]) -> set[str]:
    """Returns the names that code refers to only where it catches the failure."""
    if text.use != "code" or "catch" not in text.value:
        return set()
    spans = find_try_spans(mask_literals(text.value))
    return {reference.name for reference in absent} - {
        reference.name for reference in absent if not is_caught(spans, reference.start)
    }


def _fix_spelling(text: Text, absent: list[Reference], names: NodeNames) -> Fix | None:
    value = text.value
    reasons: dict[str, None] = {}
    for reference in sorted(absent, key=lambda item: -item.start):
        result = names.match_spelling(reference.name)
        if result is None or not reference.quote:
            continue
        written = escape_name(result, reference.quote)
        value = value[: reference.start] + written + value[reference.end :]
        reasons[f'"{reference.name}" is the node "{result}"'] = None
    if value == text.value:
        return None
    return Fix(True, (Edit("set", text.at, value),), "; ".join(reversed(reasons)))


def _unescape(written: str) -> str:
    """Returns the value of a JavaScript string; surrogate pairs become a single character."""
    if "\\" not in written:
        return written
    text = _ESCAPE.sub(_unescape_match, written)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescape_match(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] in "ux" and len(escape) > 1:
        code = int(escape[1:].strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else match[0]
    return _CONTROL.get(escape, escape)
