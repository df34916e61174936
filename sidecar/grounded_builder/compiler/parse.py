"""Parses a draft into one JSON value, repairs malformed JSON, and limits the number of values."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import json_repair
import orjson

from grounded_builder.compiler.duplicate_keys import find_duplicate_keys
from grounded_builder.compiler.time_limit import TimeLimitExceededError, run_with_timeout
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.ir.options import Limits
from grounded_builder.ir.rules.reading import TOO_DEEP, TOO_LARGE

NO_DOCUMENT = Rule.wrong(
    "GB101", "no-document", "ParseError", "The draft contains no JSON document."
)
REPAIRED_JSON = Rule.info("GB102", "repaired-json", "Malformed JSON in the draft was corrected.")
DOCUMENT_IN_TEXT = Rule.info(
    "GB103", "document-in-text", "The document was extracted from surrounding text."
)
SEVERAL_DOCUMENTS = Rule.wrong(
    "GB116", "several-documents", "ParseError", "The draft contains several different documents."
)
CUT_OFF = Rule.incomplete(
    "GB119", "cut-off", "MissingParameter", "The text of the draft ends before it is complete."
)
IMMENSE_NUMBER = Rule.wrong(
    "GB115", "immense-number", "ParseError", "A number is too large for JSON readers."
)

_FENCE = re.compile(
    r"```[ \t]*+(?:json[c5]?|javascript|js)?[ \t]*+\r?\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE
)
# Models that reason in their reply mark the end of the reasoning; the answer follows.
_REASONED = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
# An unclosed string extends to the end of the text. If each quote were searched again, the time
# would grow with the square of the text.
_BRACKETS = re.compile(r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)
_REPAIR_BYTES = 400_000
# Real drafts take milliseconds; adversarial text takes minutes.
_REPAIR_S = 2.0
_MAX_REPAIRED = 3
_MAX_TRIED = 32
_QUOTED_CHARS = 60
# The keys of the parts of a plan and of a native document.
_DRAFT_KEYS = frozenset({"steps", "nodes"})
# The largest number that JSON readers with floating point, such as JavaScript, can hold.
_LARGEST = int(1.7976931348623157e308)
_COMMA, _LIST, _OBJECT, _QUOTE = b",", b"[", b"{", b'"'
# In a string, each of these characters can be written as an escape.
_ESCAPED = rb"\u00"
_QUOTES_PER_VALUE = 4


def parse(draft: Any, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Returns a draft as one JSON value within the limits, with a note for every correction."""
    if not isinstance(draft, str | bytes | bytearray):
        return draft, _check_depth(draft, limits) or _check_numbers(draft) or _check_single(draft)
    raw = draft.encode("utf-8", "surrogatepass") if isinstance(draft, str) else bytes(draft)
    if len(raw) > limits.draft_bytes:
        message = f"the draft has {len(raw):,} bytes, the limit is {limits.draft_bytes:,}"
        return None, (new_diagnostic(TOO_LARGE, (), message, help="send a smaller document"),)
    text, bad = _decode(raw)
    if bad is not None:
        return None, (bad,)
    try:
        return _parse_text(text.strip(), limits)
    except _TooManyValuesError:
        message = f"the draft has more than {limits.values:,} values: commas, lists and objects"
        return None, (new_diagnostic(TOO_LARGE, (), message, help="split the draft"),)
    except _TooDeepError:
        return None, (_diagnose_depth(limits),)


class _TooManyValuesError(Exception):
    """A text that looks like JSON has more values than the limit."""


class _TooDeepError(Exception):
    """A document in a text is nested deeper than the limit."""


def _parse_text(whole: str, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    value = _parse_strict(whole, limits)
    if value is not None:
        faults = _check_single(value)
        return value, faults or find_duplicate_keys(whole, value)
    if _measure_nesting(whole) > limits.depth:
        return None, (_diagnose_depth(limits),)
    value, notes = _extract_document(_strip_reply(whole), limits)
    faults = _check_depth(value, limits) or _check_numbers(value) or _check_single(value)
    return value, (*notes, *faults)


def decode_text(raw: bytes) -> str:
    """Returns bytes as text for display; invalid bytes become replacement characters."""
    return raw.decode(json.detect_encoding(raw), "replace")


def _decode(raw: bytes) -> tuple[str, Diagnostic | None]:
    """Decodes UTF-8, or UTF-16 and UTF-32 by mark or zero bytes; others are no document."""
    encoding = json.detect_encoding(raw)
    try:
        return raw.decode(encoding), None
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not {encoding}: the draft is not text"
        return "", new_diagnostic(NO_DOCUMENT, (), message, help="send JSON as UTF-8 text")


def _strip_reply(whole: str) -> str:
    """Returns a reply without the reasoning before it, which can contain discarded drafts."""
    rest = _REASONED.sub("", whole, count=1)
    return rest if "{" in rest else whole


def _extract_document(whole: str, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Returns the largest document in a text, repaired if none is valid.

    Several documents of one kind that differ are an error: a reply may correct itself, or offer
    a choice.
    """
    notes: list[Diagnostic] = []
    fenced = [match.group(1).strip() for match in _FENCE.finditer(whole)]
    span = _cut_to_braces(whole)
    if _parse_strict(span, limits) is None:
        outside = _FENCE.sub(" ", whole) if fenced else whole
        texts = [*fenced, *_find_spans(_cut_to_braces(outside))]
        values = ((text, _parse_strict(text, limits)) for text in texts)
        parsed = [(text, value) for text, value in values if value is not None]
        rivals = _find_rivals([value for _, value in parsed])
        if rivals:
            return None, (_diagnose_several(len(rivals)),)
        if len(parsed) > 1 and not fenced:
            text, value = max(parsed, key=lambda item: _count_bytes(item[1]))
            return value, (_note_extracted(), *find_duplicate_keys(text, value))
    candidates = [*fenced, span]
    for candidate in sorted(filter(None, candidates), key=len, reverse=True):
        value = _parse_strict(candidate, limits)
        if value is not None:
            return value, (_note_extracted(), *find_duplicate_keys(candidate, value))
    for candidate in list(filter(None, candidates))[:_MAX_REPAIRED]:
        if len(candidate) > _REPAIR_BYTES:
            continue
        value = _repair_json(candidate)
        if isinstance(value, dict | list) and value:
            if candidate != whole:
                notes.append(_note_extracted())
            repaired = "the JSON was malformed and was repaired"
            notes.append(
                new_diagnostic(
                    REPAIRED_JSON, (), repaired, help="compare the result with the draft"
                )
            )
            cut = _check_end(whole)
            return value, (*notes, *cut, *find_duplicate_keys(candidate, value))
    quoted = " ".join(whole[:_QUOTED_CHARS].split())
    message = (
        f'no JSON document in the draft, which begins "{quoted}"'
        if quoted
        else "the draft is empty"
    )
    return None, (new_diagnostic(NO_DOCUMENT, (), message, help="send one JSON object"),)


def _check_end(text: str) -> tuple[Diagnostic, ...]:
    """Reports a text that ends within a value, such as a reply at the limit of its length.

    Missing brackets alone at its end lose nothing.
    """
    start = max(text.find("{"), 0)
    depth, end = 0, start
    for match in _BRACKETS.finditer(text, start):
        mark = match.group()
        depth += (mark in "[{") - (mark in "]}")
        end = match.end() if mark in "]}" else end
        if depth <= 0:
            return ()
    rest = text[end:].strip(" \t\r\n`")
    is_prose = end > start and not rest.startswith(",")
    if not rest or is_prose or rest.endswith(("}", "]")):
        return ()
    last = " ".join(rest[-_QUOTED_CHARS:].split())
    message = f'the draft ends before it is complete, with "{last}"'
    hint = "send the whole JSON object, shorter if it exceeds the length of a reply"
    return (new_diagnostic(CUT_OFF, (), message, help=hint),)


def _find_spans(text: str) -> list[str]:
    """Returns the texts in brackets that follow each other in a text, with others in between."""
    spans: list[str] = []
    depth = start = 0
    for match in _BRACKETS.finditer(text):
        mark = match.group()
        if mark in "[{":
            start = match.start() if depth == 0 else start
            depth += 1
        elif mark in "]}" and depth:
            depth -= 1
            if depth == 0:
                spans.append(text[start : match.end()])
    return spans[:_MAX_TRIED]


def _find_rivals(values: Sequence[Any]) -> list[Any]:
    """Returns the different documents of which each could be the draft; none for one document.

    These have lists of objects under a common key, or lists of steps or nodes.
    """
    listing = [value for value in values if isinstance(value, dict) and _list_keys(value)]
    different = list({_write_sorted(value): value for value in listing}.values())
    listed = [_list_keys(value) for value in different]
    counts = Counter(key for keys in listed for key in keys)
    rivals = [
        value
        for value, keys in zip(different, listed, strict=True)
        if any(counts[key] > 1 or key in _DRAFT_KEYS for key in keys)
    ]
    return rivals if len(rivals) > 1 else []


def _write_sorted(value: Any) -> bytes | str:
    """Returns a text that is the same for equal documents."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True)


def _list_keys(value: Any) -> set[str]:
    """Returns the keys of an object whose values are lists of objects."""
    return {key for key, entry in value.items() if _is_object_list(entry)}


def _is_object_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _check_single(value: Any) -> tuple[Diagnostic, ...]:
    """Reports a list of documents, and one object that is both a plan and a native document."""
    if isinstance(value, list) and len(_find_rivals(value)) > 1:
        return (_diagnose_several(len(value)),)
    if isinstance(value, dict) and _list_keys(value) >= _DRAFT_KEYS:
        message = 'the draft has both "steps" and "nodes": a plan and a workflow'
        return (new_diagnostic(SEVERAL_DOCUMENTS, (), message, help="send one of them"),)
    return ()


def _count_bytes(value: Any) -> int:
    return len(json.dumps(value))


def _diagnose_several(count: int) -> Diagnostic:
    message = f"the draft contains {count} different documents"
    return new_diagnostic(SEVERAL_DOCUMENTS, (), message, help="send one JSON object")


def _parse_strict(text: str, limits: Limits) -> Any:
    """Returns the list or object in a text that is exactly JSON, else None."""
    if not text or text[0] not in "{[":
        return None
    if holds_more_values(text.encode("utf-8", "surrogatepass"), limits.values):
        raise _TooManyValuesError
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        return None
    if _check_depth(value, limits):
        raise _TooDeepError
    return value


def _repair_json(text: str) -> Any:
    """Returns a text as repaired by json-repair, None if it fails or takes too long."""
    try:
        return run_with_timeout(_REPAIR_S, lambda: json_repair.loads(text, skip_json_loads=True))
    except (ValueError, RecursionError, TimeLimitExceededError):
        return None


def _note_extracted() -> Diagnostic:
    return new_diagnostic(DOCUMENT_IN_TEXT, (), "the document was extracted from surrounding text")


def _cut_to_braces(text: str) -> str:
    """Returns the span from the first brace to the last, or to the end if none closes."""
    start = text.find("{")
    if start < 0:
        return ""
    end = text.rfind("}")
    return text[start : end + 1] if end > start else text[start:]


def _measure_nesting(text: str) -> int:
    """Returns the deepest nesting of brackets outside of strings."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth = max(0, depth - 1)
    return deepest


def _diagnose_depth(limits: Limits) -> Diagnostic:
    message = f"the draft is nested deeper than {limits.depth} levels"
    return new_diagnostic(TOO_DEEP, (), message, help="flatten the document")


def _check_numbers(value: Any) -> tuple[Diagnostic, ...]:
    """Reports the first whole number that exceeds every floating-point number.

    A value that can be written with 64-bit numbers has none; only others are searched.
    """
    try:
        orjson.dumps(value)
    except TypeError:
        return _find_immense(value)
    return ()


def _find_immense(value: Any) -> tuple[Diagnostic, ...]:
    pending: list[tuple[Any, Route]] = [(value, ())] if isinstance(value, dict | list) else []
    while pending:
        holder, route = pending.pop()
        for key, child in holder.items() if holder.__class__ is dict else enumerate(holder):
            if child.__class__ is dict or child.__class__ is list:
                pending.append((child, (*route, key)))
            elif child.__class__ is int and not -_LARGEST <= child <= _LARGEST:
                message = "JSON readers cannot hold a whole number of more than 308 digits"
                help_text = "write a smaller number, or a text in quotes"
                return (new_diagnostic(IMMENSE_NUMBER, (*route, key), message, help=help_text),)
    return ()


def _check_depth(value: Any, limits: Limits) -> tuple[Diagnostic, ...]:
    """Reports a value nested beyond the limit; works level by level, without recursion."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limits.depth):
        if not level:
            return ()
        level = [
            child
            for parent in level
            for child in (parent.values() if parent.__class__ is dict else parent)
            if child.__class__ is dict or child.__class__ is list
        ]
    return (_diagnose_depth(limits),) if level else ()


def holds_more_values(raw: bytes, most: int) -> bool:
    """Returns whether a JSON text has more than ``most`` commas, lists and objects in all.

    Characters inside strings do not count. Time and memory are linear in the text, and small
    compared with decoding it: 8 MB take about 10 ms.
    """
    if count_marks(raw) <= most:
        return False
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    # Each value has at most two quotes, and its key two more.
    if unescaped.count(_QUOTE) > _QUOTES_PER_VALUE * (most + 1):
        return True
    return count_marks(b"".join(unescaped.split(_QUOTE)[::2])) > most


def count_marks(raw: bytes) -> int:
    """Returns an upper bound of the commas and opening brackets in a text, with strings."""
    marks = raw.count(_COMMA) + raw.count(_LIST) + raw.count(_OBJECT)
    return marks + raw.count(_ESCAPED)
