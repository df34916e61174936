"""What all JSON that is sent and answered has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """JSON of a known shape: a key that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")
