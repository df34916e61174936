"""Read a draft: a JSON value, or text that holds one, clean or slightly broken."""

from __future__ import annotations

import json
import re
from typing import Any

import json_repair
import orjson

from grounded_builder.compiler.time_limit import TimeLimitExceededError, run_with_timeout
from grounded_builder.compiler.value_count import holds_more_values
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
IMMENSE_NUMBER = Rule.wrong(
    "GB115", "immense-number", "ParseError", "A number is too large for JSON readers."
)

_FENCE = re.compile(
    r"```[ \t]*+(?:json[c5]?|javascript|js)?[ \t]*+\r?\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE
)
# Models that reason aloud end their reasoning so; what they answer follows, if anything does.
_REASONED = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
# A string that nothing closes goes to the end: looked for again at each quote, its time grows with
# the square of the text.
_BRACKETS = re.compile(r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)
_REPAIR_BYTES = 400_000
# Real drafts take milliseconds; text made to be hard takes minutes.
_MENDING_S = 2.0
_MOST_MENDED = 3
# The largest number that JSON readers with floating point, JavaScript among them, can hold.
_LARGEST = int(1.7976931348623157e308)


def parse(draft: Any, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Turn a draft into one JSON value within the limits, with a note for every liberty taken."""
    if not isinstance(draft, str | bytes | bytearray):
        return draft, _depth(draft, limits) or _immense(draft)
    raw = draft.encode("utf-8", "surrogatepass") if isinstance(draft, str) else bytes(draft)
    if len(raw) > limits.draft_bytes:
        message = f"the draft has {len(raw):,} bytes, the limit is {limits.draft_bytes:,}"
        return None, (new_diagnostic(TOO_LARGE, (), message, help="send a smaller document"),)
    text, bad = _decode(raw)
    if bad is not None:
        return None, (bad,)
    try:
        return _read(text.strip(), limits)
    except _TooManyValuesError:
        message = f"the draft has more than {limits.values:,} values: commas, lists and objects"
        return None, (new_diagnostic(TOO_LARGE, (), message, help="split the draft"),)


class _TooManyValuesError(Exception):
    """A text is JSON, as it seems, of more values than the limit."""


def _read(whole: str, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    value = _strict(whole, limits)
    if value is not None:
        return value, _depth(value, limits)
    if _nesting(whole) > limits.depth:
        return None, (_too_deep(limits),)
    value, notes = _loose(_strip_reply(whole), limits)
    return value, (*notes, *(_depth(value, limits) or _immense(value)))


def text_of(raw: bytes) -> str:
    """The text that bytes hold, for showing: what is not text becomes replacement characters."""
    return raw.decode(json.detect_encoding(raw), "replace")


def _decode(raw: bytes) -> tuple[str, Diagnostic | None]:
    """Decode UTF-8, or UTF-16 and UTF-32 by mark or zero bytes; others are not a document."""
    encoding = json.detect_encoding(raw)
    try:
        return raw.decode(encoding), None
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not {encoding}: the draft is not text"
        return "", new_diagnostic(NO_DOCUMENT, (), message, help="send JSON as UTF-8 text")


def _strip_reply(whole: str) -> str:
    """A reply without the reasoning before it, which may hold drafts that were given up."""
    rest = _REASONED.sub("", whole, count=1)
    return rest if "{" in rest else whole


def _loose(whole: str, limits: Limits) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Take the largest document out of a text, mending it when nothing in it is clean."""
    notes: list[Diagnostic] = []
    candidates = [*(match.group(1).strip() for match in _FENCE.finditer(whole)), _braced(whole)]
    for candidate in sorted(filter(None, candidates), key=len, reverse=True):
        value = _strict(candidate, limits)
        if value is not None:
            return value, (_in_text(),)
    for candidate in list(filter(None, candidates))[:_MOST_MENDED]:
        if len(candidate) > _REPAIR_BYTES:
            continue
        value = _repair_json(candidate)
        if isinstance(value, dict | list) and value:
            if candidate != whole:
                notes.append(_in_text())
            mended = "the JSON was slightly broken and has been mended"
            notes.append(
                new_diagnostic(REPAIRED_JSON, (), mended, help="compare the result with the draft")
            )
            return value, tuple(notes)
    quoted = " ".join(whole[:60].split())
    message = (
        f'no JSON document in the draft, which begins "{quoted}"'
        if quoted
        else "the draft is empty"
    )
    return None, (new_diagnostic(NO_DOCUMENT, (), message, help="send one JSON object"),)


def _strict(text: str, limits: Limits) -> Any:
    """The container in a text that is exactly JSON, else None; scalars are no documents."""
    if not text or text[0] not in "{[":
        return None
    if holds_more_values(text.encode("utf-8", "surrogatepass"), limits.values):
        raise _TooManyValuesError
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        return None


def _repair_json(text: str) -> Any:
    """What json-repair makes of a text, None where it gives up or takes too long."""
    try:
        return run_with_timeout(_MENDING_S, lambda: json_repair.loads(text, skip_json_loads=True))
    except (ValueError, RecursionError, TimeLimitExceededError):
        return None


def _in_text() -> Diagnostic:
    return new_diagnostic(DOCUMENT_IN_TEXT, (), "the document was taken out of surrounding text")


def _braced(text: str) -> str:
    """The span from the first brace to the last, or to the end when it never closes."""
    start = text.find("{")
    if start < 0:
        return ""
    end = text.rfind("}")
    return text[start : end + 1] if end > start else text[start:]


def _nesting(text: str) -> int:
    """The deepest nesting of brackets outside of strings."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth = max(0, depth - 1)
    return deepest


def _too_deep(limits: Limits) -> Diagnostic:
    message = f"the draft is nested deeper than {limits.depth} levels"
    return new_diagnostic(TOO_DEEP, (), message, help="flatten the document")


def _immense(value: Any) -> tuple[Diagnostic, ...]:
    """Refuse the first whole number that no floating-point number can come near.

    What can be written with numbers of 64 bits holds none; the few others are walked.
    """
    try:
        orjson.dumps(value)
    except TypeError:
        return _first_immense(value)
    return ()


def _first_immense(value: Any) -> tuple[Diagnostic, ...]:
    open_ones: list[tuple[Any, Route]] = [(value, ())] if isinstance(value, dict | list) else []
    while open_ones:
        holder, route = open_ones.pop()
        for key, child in holder.items() if holder.__class__ is dict else enumerate(holder):
            if child.__class__ is dict or child.__class__ is list:
                open_ones.append((child, (*route, key)))
            elif child.__class__ is int and not -_LARGEST <= child <= _LARGEST:
                message = "a whole number of more than 308 digits is beyond what JSON readers hold"
                help_text = "write a smaller number, or a text in quotes"
                return (new_diagnostic(IMMENSE_NUMBER, (*route, key), message, help=help_text),)
    return ()


def _depth(value: Any, limits: Limits) -> tuple[Diagnostic, ...]:
    """Refuse a value nested beyond the limit; level by level, without recursion."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limits.depth):
        if not level:
            return ()
        level = [
            child
            for item in level
            for child in (item.values() if item.__class__ is dict else item)
            if child.__class__ is dict or child.__class__ is list
        ]
    return (_too_deep(limits),) if level else ()
