"""Defines the rule constants about parameters that several domains share."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

MISNAMED_PARAMETER = Rule.wrong(
    "GB302", "misnamed-parameter", "UnknownParameter", "A parameter name is slightly wrong."
)
UNKNOWN_PARAMETER = Rule.advice(
    "GB303", "unknown-parameter", "UnknownParameter", "The tool has no such parameter."
)
TYPE_MISMATCH = Rule.wrong(
    "GB304", "type-mismatch", "TypeMismatch", "The tool cannot use a value of this type."
)
UNKNOWN_OPTION = Rule.wrong(
    "GB305", "unknown-option", "UnknownOption", "A value is not one of the options."
)
OUT_OF_RANGE = Rule.wrong("GB307", "out-of-range", "TypeMismatch", "A number is out of range.")
UNPLACED_VALUE = Rule.incomplete(
    "GB308", "unplaced-value", "UnknownParameter", "A drafted value fits no parameter."
)
RENAMED_PARAMETER = Rule.info(
    "GB309", "renamed-parameter", "A parameter was renamed to its exact name."
)
IGNORED_VALUE = Rule.wrong(
    "GB345", "ignored-value", "UnknownParameter", "A value of a draft would have no effect."
)
UNMATCHED_PATTERN = Rule.wrong(
    "GB329", "unmatched-pattern", "TypeMismatch", "A value does not match the required pattern."
)
