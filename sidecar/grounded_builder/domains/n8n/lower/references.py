"""Rewrites node references in expressions: step ids to node names, or old names to new."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.n8n.expressions import split
from grounded_builder.domains.n8n.expressions.bare_names import KNOWN_NAMES
from grounded_builder.domains.n8n.expressions.computed_references import find_passed_names
from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.expressions.references import (
    Reference,
    escape_name,
    find_references,
    is_member,
    may_refer,
    uses_n8n_dollar,
)

_ROOT = re.compile(r"(?<![\w$])([^\W\d]\w*)(?=\s*(?:\?\.|\.(?!\.)|\[))")
_NAME = re.compile(r"(?<![\w$])[^\W\d][\w$]*")
_BINDS = re.compile(r"=>|(?<![\w$.])(?:const|let|var|function|class|catch)(?![\w$])")

# A replacement of code: start, end and the new text.
_Change = tuple[int, int, str]


def rewrite_references(value: Any, names: Mapping[str, str]) -> Any:
    """Returns a parameter value in which every reference to a step or named output names its node.

    ``names`` maps step ids and output names to node names.
    """
    if isinstance(value, str):
        return _rewrite(value, names, with_roots=True)
    if isinstance(value, dict):
        return {key: rewrite_references(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [rewrite_references(item, names) for item in value]
    return value


def rename_references(text: str, names: Mapping[str, str]) -> str:
    """Returns an expression, or code, in which every reference to a node of ``names`` has its new
    name.
    """
    return _rewrite(text, names, with_roots=False)


def find_unrenamed(code: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the names of steps in code that may reach a computed reference but have other uses.

    ``names`` maps step ids and output names to node names.
    """
    if not may_refer(code) or not uses_n8n_dollar(code):
        return ()
    pieces = [piece for piece, _ in _pieces(code)] if code.startswith("=") else [code]
    passed_names = (passed for piece in pieces for passed in find_passed_names(piece, names))
    texts = [passed.text for passed in passed_names if not passed.is_passed]
    return tuple(text for text in dict.fromkeys(texts) if names[text] != text)


def _rewrite(text: str, names: Mapping[str, str], *, with_roots: bool) -> str:
    """Returns a text with the references in its expressions; text without ``=`` is also code."""
    changes: set[_Change] = set()
    is_expression = text.startswith("=")
    if not is_expression:
        changes.update(_renamings(text, 0, names))
    for code, start in _pieces(text) if is_expression or "{{" in text else ():
        changes.update(_renamings(code, start, names))
        if with_roots and is_expression:
            changes.update(_readings(code, start, names))
    parts: list[str] = []
    place = 0
    for start, end, written in sorted(changes):
        parts += [text[place:start], written]
        place = end
    return "".join((*parts, text[place:]))


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Yields the code between braces as it is written, with its positions in the text."""
    for chunk in split(text):
        end = chunk.start + len(chunk.code)
        # Of escaped braces the code has one character less than the text.
        end += text[chunk.start : end] != chunk.code
        yield text[chunk.start : end], chunk.start


def _renamings(code: str, offset: int, names: Mapping[str, str]) -> Iterator[_Change]:
    if not may_refer(code) or not uses_n8n_dollar(code):
        return
    for reference in find_references(code):
        target = names.get(reference.name)
        if target is None or target == reference.name:
            continue
        if reference.quote:
            written = escape_name(target, reference.quote)
            yield reference.start + offset, reference.end + offset, written
        else:
            yield _as_index(code, reference, target, offset)
    for passed in find_passed_names(code, names):
        if passed.is_passed and names[passed.text] != passed.text:
            written = escape_name(names[passed.text], passed.quote)
            yield passed.start + offset, passed.end + offset, written


def _as_index(code: str, reference: Reference, target: str, offset: int) -> _Change:
    """Returns ``$node.save`` as an index, because a node name need not be an identifier."""
    start = code.rindex("$node", 0, reference.start) + len("$node")
    optional = "?." if "?" in code[start : reference.start] else ""
    return start + offset, reference.end + offset, f'{optional}["{escape_name(target, chr(34))}"]'


def _readings(code: str, offset: int, names: Mapping[str, str]) -> Iterator[_Change]:
    """Yields the bare step ids and outputs before a dot, which read that step's item.

    A name that the code binds itself, or that n8n passes to every expression, is no step.
    """
    roots = {name for name in _ROOT.findall(code) if name in names} - KNOWN_NAMES
    if not roots:
        return
    outline = mask_literals(code)
    if _BINDS.search(outline):
        roots -= _bare_names(outline)
    for match in _ROOT.finditer(outline):
        if match[1] in roots and not is_member(outline, match.start()):
            quoted = escape_name(names[match[1]], "'")
            yield match.start() + offset, match.end() + offset, f"$('{quoted}').item.json"


def _bare_names(outline: str) -> set[str]:
    """Returns the names that stand somewhere without reading a member: those may be bound."""
    reading = {match.start() for match in _ROOT.finditer(outline)}
    return {match.group() for match in _NAME.finditer(outline) if match.start() not in reading}
