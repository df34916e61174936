"""What all JSON that is sent and answered has in common."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """JSON of a known shape: a key that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")


def whole_text(value: Any) -> Any:
    """A text in which halves of surrogate pairs, which no text may have, are replaced."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
