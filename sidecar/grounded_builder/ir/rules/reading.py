"""Defines the rule constants about reading a draft that parser and readers share."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

TOO_LARGE = Rule.wrong("GB104", "too-large", "ParseError", "The draft is larger than the limit.")
TOO_DEEP = Rule.wrong(
    "GB105", "too-deep", "ParseError", "The draft is nested deeper than the limit."
)
WRONG_DOCUMENT = Rule.wrong(
    "GB106", "wrong-document", "ParseError", "The document has the wrong shape for the domain."
)
LOOSE_SHAPE = Rule.info(
    "GB110", "loose-shape", "The plan has an unusual shape that was recognised."
)
MALFORMED_STEP = Rule.wrong(
    "GB111", "malformed-step", "ParseError", "A step of the plan is malformed."
)
DUPLICATE_STEP = Rule.wrong(
    "GB112", "duplicate-step", "DuplicateName", "Two steps have the same id."
)
UNREAD_KEY = Rule.incomplete(
    "GB117", "unread-key", "UnknownParameter", "A key of the draft has a value that nothing uses."
)
