"""Compiles JSON Schemas to bounded validators of arguments, and lists declared arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import regex
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from grounded_builder.routing.references import AwaitedText, AwaitedValue

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_STEPS = 200_000
_ERRORS = 50
_PATTERN_S = 0.2
_MOST_FOLLOWED = 200
# Keywords that hold for a text into which values of other calls are still to be inserted.
_TEXT_KEYWORDS = frozenset(
    {"type", "$ref", "allOf", "anyOf", "oneOf", "if", "properties", "required"}
)
# Keywords whose result could change either way with a value that is not known yet.
_UNDECIDABLE_KEYWORDS = frozenset(
    {"not", "oneOf", "if", "uniqueItems", "contains", "const", "enum"}
)

Keyword: TypeAlias = (
    "Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[ValidationError] | None]"
)


class UnusableSchemaError(Exception):
    """Raised when a schema cannot validate arguments; the message is the reason."""


@dataclass(slots=True)
class _Budget:
    """Counts the steps left for one validation, because a schema can branch without end."""

    left: int = _STEPS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise UnusableSchemaError("its schema takes too long to evaluate")


class ArgumentValidator:
    """Validates the arguments of one tool by its schema; not safe for use by several threads."""

    def __init__(self, validator: Validator, budget: _Budget) -> None:
        self._validator = validator
        self._budget = budget

    def find_errors(self, arguments: Any) -> list[ValidationError]:
        """Returns the schema errors of arguments, at most 50.

        Raises UnjudgedError when the schema cannot be evaluated.
        """
        self._budget.left = _STEPS
        validation_errors: list[ValidationError] = []
        try:
            for error in self._validator.iter_errors(arguments):
                validation_errors.append(error)
                if len(validation_errors) >= _ERRORS:
                    break
        except RecursionError as error:
            raise UnusableSchemaError("its schema refers to itself endlessly") from error
        except Unresolvable as error:
            raise UnusableSchemaError("its schema contains a reference without a target") from error
        except UnusableSchemaError:
            raise
        except Exception as error:
            # A schema may pass its own validation and still be unusable, such as one of another
            # draft.
            text = f"its schema cannot be evaluated ({type(error).__name__})"
            raise UnusableSchemaError(text) from error
        return validation_errors


def compile_validator(schema: Mapping[str, Any] | None) -> tuple[ArgumentValidator | None, str]:
    """Returns the validator of a schema, or the reason why there is none; nothing is fetched."""
    if schema is None:
        return None, ""
    # Loading it takes up to a second, which programs without tools with schemas do not spend.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415
    from jsonschema.validators import extend, validator_for  # noqa: PLC0415

    if not isinstance(schema.get("$schema", ""), str):
        return None, "its schema is not a JSON Schema: /$schema is not a text"
    base = validator_for(schema, default=Draft202012Validator)
    try:
        base.check_schema(dict(schema))
    except SchemaError as error:
        place = "/".join(str(part) for part in error.absolute_path)
        return None, f"its schema is not a JSON Schema, at /{place}: {error.message[:120]}"
    except RecursionError:
        return None, "its schema is nested too deeply"
    except Exception as error:  # noqa: BLE001 - faults of the library on a malformed schema
        return None, f"its schema cannot be read ({type(error).__name__})"
    budget = _Budget()
    keywords = {
        name: _guard_keyword(name, keyword, budget)
        for name, keyword in {**base.VALIDATORS, "pattern": _check_pattern}.items()
    }
    watched: Any = extend(base, keywords)  # type: ignore[no-untyped-call] # jsonschema's own
    validator = watched(schema, registry=EMPTY_REGISTRY)
    return ArgumentValidator(validator, budget), ""


def read_declared_arguments(
    schema: Mapping[str, Any] | None,
) -> tuple[frozenset[str] | None, Mapping[str, Mapping[str, Any]], tuple[str, ...]]:
    """Returns the argument names that a schema declares, their schemas, and the required names.

    The names are None where the schema allows others, or where that cannot be determined.
    """
    properties: dict[str, Mapping[str, Any]] = {}
    required: dict[str, None] = {}
    closed, has_any = True, False
    stack: list[Any] = [schema]
    followed = 0
    while stack and followed < _MOST_FOLLOWED:
        followed += 1
        subschema = stack.pop()
        if not isinstance(subschema, Mapping):
            closed = closed and subschema is not True
            continue
        if isinstance(subschema.get("properties"), Mapping):
            has_any = True
            for name, inner in subschema["properties"].items():
                properties.setdefault(name, inner if isinstance(inner, Mapping) else {})
        if (
            subschema.get("patternProperties")
            or subschema.get("additionalProperties", False) is not False
        ):
            closed = False
        if subschema.get("unevaluatedProperties", False) is not False:
            closed = False
        is_root = subschema is schema
        if is_root and isinstance(subschema.get("required"), list):
            required |= dict.fromkeys(
                name for name in subschema["required"] if isinstance(name, str)
            )
        for key in ("allOf", "anyOf", "oneOf"):
            stack += subschema[key] if isinstance(subschema.get(key), list) else []
        for key in ("if", "then", "else"):
            stack += [subschema[key]] if key in subschema else []
        for inner in _list_values(subschema.get("dependentSchemas")):
            stack.append(inner)
        reference = subschema.get("$ref", subschema.get("$dynamicRef"))
        if reference is not None:
            target = _resolve_local_reference(schema, reference)
            closed = closed and target is not None
            stack += [] if target is None else [target]
    is_complete = closed and has_any and not stack
    return (frozenset(properties) if is_complete else None), properties, tuple(required)


def _list_values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else []


def _resolve_local_reference(schema: Any, reference: Any) -> Any:
    """Returns the target of a reference inside the schema; None for any other reference."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    value = schema
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _guard_keyword(name: str, keyword: Keyword, budget: _Budget) -> Keyword:
    """Returns a keyword that ignores values not known yet, and counts its steps."""

    def check_keyword(
        validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError] | None:
        budget.spend()
        if isinstance(instance, AwaitedValue):
            return None
        if isinstance(instance, AwaitedText) and name not in _TEXT_KEYWORDS:
            return None
        if name in _UNDECIDABLE_KEYWORDS and _awaits(instance):
            return None
        return keyword(validator, value, instance, schema)

    return check_keyword


def _awaits(instance: Any) -> bool:
    """Returns whether a value contains a reference to the result of another call."""
    stack = [instance]
    while stack:
        value = stack.pop()
        if isinstance(value, AwaitedValue | AwaitedText):
            return True
        if isinstance(value, dict | list):
            stack += value.values() if isinstance(value, dict) else value
    return False


def _check_pattern(
    _validator: Any, pattern: Any, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Yields an error where a text does not match a pattern.

    A pattern is a regular expression of JavaScript: one that cannot be compiled here, or that takes
    too long, reports nothing.
    """
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    try:
        matched = regex.search(pattern, instance, timeout=_PATTERN_S)
    except (regex.error, TimeoutError):
        return
    if matched is None:
        from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see compile_judge

        yield ValidationError(f"{instance!r} does not match {pattern!r}")
