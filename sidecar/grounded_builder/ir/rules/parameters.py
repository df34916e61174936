"""The rules about parameters that several domains share."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

MISNAMED_PARAMETER = Rule.wrong(
    "GB302", "misnamed-parameter", "UnknownParameter", "A parameter has a near-miss name."
)
UNKNOWN_PARAMETER = Rule.advice(
    "GB303", "unknown-parameter", "UnknownParameter", "The tool has no such parameter."
)
TYPE_MISMATCH = Rule.wrong(
    "GB304", "type-mismatch", "TypeMismatch", "A value has a type the tool cannot take."
)
UNKNOWN_OPTION = Rule.wrong(
    "GB305", "unknown-option", "UnknownOption", "A value is not among a closed list."
)
OUT_OF_RANGE = Rule.wrong(
    "GB307", "out-of-range", "TypeMismatch", "A number lies outside its bounds."
)
UNPLACED_VALUE = Rule.incomplete(
    "GB308", "unplaced-value", "UnknownParameter", "A drafted value has no place."
)
RENAMED_PARAMETER = Rule.info(
    "GB309", "renamed-parameter", "A loosely named parameter was given its real name."
)
UNMATCHED_PATTERN = Rule.wrong(
    "GB329", "unmatched-pattern", "TypeMismatch", "A value lacks the form it must have."
)
