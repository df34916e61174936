"""What all JSON that is sent and answered has in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

# What pydantic writes before the words of a check of ours.
_PREFIXES = {"value_error": "Value error, ", "assertion_error": "Assertion failed, "}
_LONGEST_CONSTRAINTS = 100_000
# Listing the faults takes far longer than counting them.
_MOST_FAULTS = 1_000


class Shape(BaseModel):
    """JSON of a known shape: a key that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")


def whole_text(value: Any) -> Any:
    """Returns a text in which halves of surrogate pairs, which no text may have, are replaced."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _brief(value: dict[str, Any]) -> dict[str, Any]:
    size = len(json.dumps(value))
    if size > _LONGEST_CONSTRAINTS:
        raise ValueError(f"has {size:,} characters as JSON, the limit is {_LONGEST_CONSTRAINTS:,}")
    return value


Constraints = Annotated[dict[str, Any], AfterValidator(_brief)]
"""What a request is drafted under; models are told of it as it is."""


def first_fault(error: ValidationError) -> Mapping[str, Any]:
    """Returns the first fault of a value that is not of its shape: ``type``, ``loc``, ``msg``.

    Of very many faults it is one that counts them, at the value itself.
    """
    count = error.error_count()
    if count > _MOST_FAULTS:
        return {"type": "too_many_faults", "loc": (), "msg": f"{count:,} values in it are wrong"}
    return error.errors(include_input=False, include_url=False)[0]


def said_of(fault: Mapping[str, Any]) -> str:
    """Returns what is wrong by the words of a shape's fault, as the check itself says it."""
    return str(fault["msg"]).removeprefix(_PREFIXES.get(fault["type"], ""))
