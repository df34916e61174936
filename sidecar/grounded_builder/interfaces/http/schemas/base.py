"""Defines the base class of JSON shapes, checks bodies against it, and describes their faults."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, create_model

# The prefixes that pydantic adds to the messages of our validators.
_PREFIXES = {"value_error": "Value error, ", "assertion_error": "Assertion failed, "}
_LONGEST_CONSTRAINTS = 100_000
# Listing faults takes far longer than counting them.
_MOST_FAULTS = 1_000


class Shape(BaseModel):
    """JSON of a known shape; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


_AnyShape = TypeVar("_AnyShape", bound=Shape)


def with_fields_of(source: type) -> Callable[[type[_AnyShape]], type[_AnyShape]]:
    """Returns a decorator that adds the fields of a data class to the shape of an answer.

    All of them are required, since an answer always has them. A field that the shape declares
    itself stays as it is declared there.
    """

    def add_fields(shape: type[_AnyShape]) -> type[_AnyShape]:
        types = get_type_hints(source)
        names = [field.name for field in dataclasses.fields(source)]
        fields: Any = {name: (types[name], ...) for name in names if name not in shape.model_fields}
        return create_model(
            shape.__name__,
            __base__=shape,
            __doc__=shape.__doc__,
            __module__=shape.__module__,
            **fields,
        )

    return add_fields


def with_whole_texts(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a body with lone halves of surrogate pairs replaced in its own texts."""
    return {
        key: value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(value, str)
        else value
        for key, value in body.items()
    }


def _brief(value: dict[str, Any]) -> dict[str, Any]:
    size = len(json.dumps(value))
    if size > _LONGEST_CONSTRAINTS:
        raise ValueError(f"has {size:,} characters as JSON, the limit is {_LONGEST_CONSTRAINTS:,}")
    return value


Constraints = Annotated[dict[str, Any], AfterValidator(_brief)]
"""The constraints of a draft; models receive them unchanged."""


def first_fault(error: ValidationError) -> Mapping[str, Any]:
    """Returns the first fault of a value that does not match its shape: ``type``, ``loc``, ``msg``.

    Where there are very many faults it is a summary that counts them, at the value itself.
    """
    count = error.error_count()
    if count > _MOST_FAULTS:
        return {"type": "too_many_faults", "loc": (), "msg": f"{count:,} of its values are wrong"}
    return error.errors(include_input=False, include_url=False)[0]


def fault_message(fault: Mapping[str, Any]) -> str:
    """Returns the message of a fault as the check itself words it."""
    return str(fault["msg"]).removeprefix(_PREFIXES.get(fault["type"], ""))
