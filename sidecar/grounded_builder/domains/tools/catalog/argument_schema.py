"""Judge arguments by JSON Schema: compiled once a tool, bounded, and blind to what is awaited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import regex
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from grounded_builder.routing.references import Awaited, AwaitedText

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_STEPS = 200_000
_ERRORS = 50
_PATTERN_S = 0.2
_MOST_FOLLOWED = 200
# What can be said of a text into which values will yet be put.
_OF_TEXT = frozenset({"type", "$ref", "allOf", "anyOf", "oneOf", "if", "properties", "required"})
# What a value that is not known yet could turn either way.
_TURNING = frozenset({"not", "oneOf", "if", "uniqueItems", "contains", "const", "enum"})

Keyword: TypeAlias = (
    "Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[ValidationError] | None]"
)


class UnjudgedError(Exception):
    """The schema cannot judge these arguments; the message says why."""


@dataclass(slots=True)
class _Budget:
    """Steps left for one judgement: a schema may be made to branch without end."""

    left: int = _STEPS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise UnjudgedError("its schema takes too long to follow")


class Judge:
    """The schema of one tool's arguments; for one thread at a time."""

    def __init__(self, validator: Validator, budget: _Budget) -> None:
        self._validator = validator
        self._budget = budget

    def errors(self, arguments: Any) -> list[ValidationError]:
        """What is wrong with arguments, a bounded number; UnjudgedError where none can say."""
        self._budget.left = _STEPS
        validation_errors: list[ValidationError] = []
        try:
            for error in self._validator.iter_errors(arguments):
                validation_errors.append(error)
                if len(validation_errors) >= _ERRORS:
                    break
        except RecursionError as error:
            raise UnjudgedError("its schema refers to itself without end") from error
        except Unresolvable as error:
            raise UnjudgedError("its schema refers to what is not there") from error
        except UnjudgedError:
            raise
        except Exception as error:
            # A schema may pass its own check and still be none, such as one of another draft.
            text = f"its schema cannot be followed ({type(error).__name__})"
            raise UnjudgedError(text) from error
        return validation_errors


def compile_judge(schema: Mapping[str, Any] | None) -> tuple[Judge | None, str]:
    """The judge of a schema, or why there is none; nothing is ever fetched."""
    if schema is None:
        return None, ""
    # Loading it takes up to a second, which programs without tools with schemas do not spend.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415
    from jsonschema.validators import extend, validator_for  # noqa: PLC0415

    if not isinstance(schema.get("$schema", ""), str):
        return None, "its schema is not one, at /$schema: a text is expected"
    base = validator_for(schema, default=Draft202012Validator)
    try:
        base.check_schema(dict(schema))
    except SchemaError as error:
        place = "/".join(str(part) for part in error.absolute_path)
        return None, f"its schema is not one, at /{place}: {error.message[:120]}"
    except RecursionError:
        return None, "its schema is nested too deep"
    except Exception as error:  # noqa: BLE001 - the library's own faults on what is no schema
        return None, f"its schema cannot be read ({type(error).__name__})"
    budget = _Budget()
    keywords = {
        name: _watched(name, keyword, budget)
        for name, keyword in {**base.VALIDATORS, "pattern": _pattern}.items()
    }
    watched: Any = extend(base, keywords)  # type: ignore[no-untyped-call] # jsonschema's own
    validator = watched(schema, registry=EMPTY_REGISTRY)
    return Judge(validator, budget), ""


def declared(
    schema: Mapping[str, Any] | None,
) -> tuple[frozenset[str] | None, Mapping[str, Mapping[str, Any]], tuple[str, ...]]:
    """The argument names that a schema declares, with their schemas, and those it requires.

    The names are None where others are taken too, or where that cannot be told.
    """
    properties: dict[str, Mapping[str, Any]] = {}
    required: dict[str, None] = {}
    closed, has_any = True, False
    stack: list[Any] = [schema]
    followed = 0
    while stack and followed < _MOST_FOLLOWED:
        followed += 1
        entries = stack.pop()
        if not isinstance(entries, Mapping):
            closed = closed and entries is not True
            continue
        if isinstance(entries.get("properties"), Mapping):
            has_any = True
            for name, inner in entries["properties"].items():
                properties.setdefault(name, inner if isinstance(inner, Mapping) else {})
        if (
            entries.get("patternProperties")
            or entries.get("additionalProperties", False) is not False
        ):
            closed = False
        if entries.get("unevaluatedProperties", False) is not False:
            closed = False
        is_root = entries is schema
        if is_root and isinstance(entries.get("required"), list):
            required |= dict.fromkeys(name for name in entries["required"] if isinstance(name, str))
        for key in ("allOf", "anyOf", "oneOf"):
            stack += entries[key] if isinstance(entries.get(key), list) else []
        for key in ("if", "then", "else"):
            stack += [entries[key]] if key in entries else []
        for inner in _values(entries.get("dependentSchemas")):
            stack.append(inner)
        reference = entries.get("$ref", entries.get("$dynamicRef"))
        if reference is not None:
            target = _local(schema, reference)
            closed = closed and target is not None
            stack += [] if target is None else [target]
    known = closed and has_any and not stack
    return (frozenset(properties) if known else None), properties, tuple(required)


def _values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else []


def _local(schema: Any, reference: Any) -> Any:
    """What a reference inside the schema points to; None for any other."""
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


def _watched(name: str, keyword: Keyword, budget: _Budget) -> Keyword:
    """A keyword that says nothing of what is awaited, and counts its steps."""

    def judged(
        validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError] | None:
        budget.spend()
        if isinstance(instance, Awaited):
            return None
        if isinstance(instance, AwaitedText) and name not in _OF_TEXT:
            return None
        if name in _TURNING and _awaits(instance):
            return None
        return keyword(validator, value, instance, schema)

    return judged


def _awaits(instance: Any) -> bool:
    stack = [instance]
    while stack:
        value = stack.pop()
        if isinstance(value, Awaited | AwaitedText):
            return True
        if isinstance(value, dict | list):
            stack += value.values() if isinstance(value, dict) else value
    return False


def _pattern(
    _validator: Any, pattern: Any, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """A pattern is of JavaScript: one that cannot be read here, or takes long, says nothing."""
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    try:
        matched = regex.search(pattern, instance, timeout=_PATTERN_S)
    except (regex.error, TimeoutError):
        return
    if matched is None:
        from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see compile_judge

        yield ValidationError(f"{instance!r} does not match {pattern!r}")
