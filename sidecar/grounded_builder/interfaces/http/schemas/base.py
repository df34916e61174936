"""What all JSON that is sent and answered has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

# What pydantic writes before the words of a check of ours.
_PREFIXES = {"value_error": "Value error, ", "assertion_error": "Assertion failed, "}


class Shape(BaseModel):
    """JSON of a known shape: a key that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")


def whole_text(value: Any) -> Any:
    """A text in which halves of surrogate pairs, which no text may have, are replaced."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def said_of(fault: Mapping[str, Any]) -> str:
    """What is wrong by the words of a shape's fault, as the check itself says it."""
    return str(fault["msg"]).removeprefix(_PREFIXES.get(fault["type"], ""))
