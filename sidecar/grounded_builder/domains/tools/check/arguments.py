"""Check the arguments of every call against the schema of its tool."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import (
    Diagnostic,
    Edit,
    Fix,
    Route,
    Rule,
    find_nearest,
    new_diagnostic,
)
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.tools.catalog.argument_schema import UnjudgedError
from grounded_builder.domains.tools.catalog.compile_tool import ToolSpec
from grounded_builder.domains.tools.check.coerce import UNCHANGED, coerced
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.parameters import (
    MISNAMED_PARAMETER,
    OUT_OF_RANGE,
    TYPE_MISMATCH,
    UNKNOWN_OPTION,
    UNMATCHED_PATTERN,
)
from grounded_builder.routing.references import awaiting

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MISSING_ARGUMENT = Rule.wrong(
    "TLS301", "missing-argument", "MissingParameter", "A required argument is missing."
)
UNKNOWN_ARGUMENT = Rule.wrong(
    "TLS302", "unknown-argument", "UnknownParameter", "The tool has no such argument."
)
UNCHECKED_ARGUMENTS = Rule.advice(
    "TLS303", "unchecked-arguments", "TypeMismatch", "The schema cannot be used to check arguments."
)
MISMATCHED_ARGUMENT = Rule.wrong(
    "TLS304", "mismatched-argument", "TypeMismatch", "A value violates a rule of its schema."
)

_RANGES = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
        "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
_LISTED = 12
_SHOWN = 80


def check(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Unknown, missing, mistyped and out-of-range arguments; what is awaited is not judged yet."""
    del registry, setting
    ids = frozenset(node.name for node in resolved.graph.nodes)
    for bound in resolved.nodes:
        if isinstance(bound.spec, ToolSpec):
            yield from _Call(bound, bound.spec).findings(ids)


class _Call:
    """One call under judgement."""

    def __init__(self, bound: ResolvedNode, spec: ToolSpec) -> None:
        self._node = bound.node
        self._spec = spec
        self._at: Route = (*bound.node.at, "arguments")

    def findings(self, ids: Collection[str]) -> Iterator[Diagnostic]:
        """Everything wrong with the arguments."""
        arguments = awaiting(self._node.params, ids)
        stray = self._stray(arguments)
        if self._spec.judge is None:
            if self._spec.unjudged:
                yield self._unjudged(self._spec.unjudged)
            yield from stray.values()
            return
        try:
            errors = self._spec.judge.errors(arguments)
        except UnjudgedError as error:
            yield self._unjudged(str(error))
            yield from stray.values()
            return
        for fault in errors:
            yield from self._told(fault, stray)
        yield from stray.values()

    def _stray(self, arguments: Mapping[str, Any]) -> dict[str, Diagnostic]:
        """The arguments that the tool does not declare, by name."""
        names = self._spec.names
        if names is None:
            return {}
        return {
            key: self._unknown(key, names, (), arguments) for key in arguments if key not in names
        }

    def _told(self, error: ValidationError, stray: dict[str, Diagnostic]) -> Iterator[Diagnostic]:
        path = tuple(error.absolute_path)
        keyword = str(error.validator)
        if keyword == "required":
            yield from self._missing(error, path)
        elif keyword in ("additionalProperties", "unevaluatedProperties"):
            yield from self._undeclared(error, path, stray)
        elif keyword in ("anyOf", "oneOf") and error.context:
            yield from self._of_forms(error, path, stray)
        elif keyword == "type":
            yield self._mistyped(_types(error.validator_value), error.instance, path)
        elif keyword in ("enum", "const"):
            values = error.validator_value if keyword == "enum" else [error.validator_value]
            yield self._outside(values, error.instance, path)
        elif keyword in _RANGES:
            message = f"{self._place(path)} is {_shown(error.instance)}, out of range: "
            rule = f"{keyword} {error.validator_value}"
            yield self._say(OUT_OF_RANGE, path, message + rule, f"keep to {rule}", error.instance)
        elif keyword == "pattern":
            message = f"{self._place(path)} is {_shown(error.instance)}, which lacks its form"
            form = f"it has to match {error.validator_value}"
            yield self._say(UNMATCHED_PATTERN, path, message, form, error.instance)
        else:
            message = f"{self._place(path)} does not fit its definition: {error.message[:200]}"
            yield self._say(
                MISMATCHED_ARGUMENT, path, message, f'see "{keyword}" in the schema of the tool'
            )

    def _missing(self, error: ValidationError, path: Route) -> Iterator[Diagnostic]:
        given = error.instance if isinstance(error.instance, dict) else {}
        required: Any = error.validator_value
        for name in required:
            if name in given or f"{name!r} " not in error.message:
                continue
            where = f" in {self._place(path)}" if path else ""
            message = f'{self._spec.id} needs the argument "{name}"{where}, which is absent'
            kind = _kind_of(self._spec.properties.get(name, {})) if not path else ""
            hint = f'give "{name}"{f", {kind}" if kind else ""}'
            yield self._say(MISSING_ARGUMENT, path, message, hint)

    def _undeclared(
        self, error: ValidationError, path: Route, stray: Mapping[str, Diagnostic]
    ) -> Iterator[Diagnostic]:
        if not path and stray:
            return
        schema: Any = error.schema
        given: Any = error.instance
        names = list(schema.get("properties", {}))
        for key in given:
            if key not in names and f"{key!r}" in error.message:
                yield self._unknown(key, names, path, given)

    def _of_forms(
        self, error: ValidationError, path: Route, stray: dict[str, Diagnostic]
    ) -> Iterator[Diagnostic]:
        """A value that fits none of several forms: told of the one form that it is meant as."""
        forms: dict[int, list[ValidationError]] = {}
        for validation_error in error.context or ():
            forms.setdefault(int(next(iter(validation_error.relative_schema_path), 0)), []).append(
                validation_error
            )
        of_type = {
            number: [item for item in errors if item.validator == "type" and not item.relative_path]
            for number, errors in forms.items()
        }
        results = [number for number in forms if not of_type[number]]
        if not results:
            values = (
                _types(validation_errors[0].validator_value)
                for validation_errors in of_type.values()
            )
            expected = tuple(dict.fromkeys(kind for kinds in values for kind in kinds))
            yield self._mistyped(expected, error.instance, path)
        elif len(results) == 1:
            for form in forms[results[0]]:
                yield from self._told(form, stray)
        else:
            message = f"{self._place(path)} is {_shown(error.instance)}, which fits no allowed form"
            yield self._say(MISMATCHED_ARGUMENT, path, message, "see the schema of the tool")

    def _mistyped(self, expected: tuple[str, ...], value: Any, path: Route) -> Diagnostic:
        kinds = " or ".join(expected)
        message = f"{self._place(path)} is {_shown(value)}, and {self._spec.id} takes {kinds}"
        fitting = coerced(value, expected)
        fix = None
        if fitting is not UNCHANGED:
            reason = f"{self._place(path)}: {_shown(value)} is {_shown(fitting)}"
            fix = Fix(True, (Edit("set", (*self._at, *path), fitting),), reason)
        return self._say(TYPE_MISMATCH, path, message, f"give {kinds}", value, fix=fix)

    def _outside(self, values: Any, value: Any, path: Route) -> Diagnostic:
        texts = [item if isinstance(item, str) else str(item) for item in values]
        named = ", ".join(texts[:_LISTED]) + (", ..." if len(texts) > _LISTED else "")
        message = f"{self._place(path)} is {_shown(value)}, which is not one of {named}"
        same = [item for item in values if isinstance(item, str) and isinstance(value, str)]
        same = [item for item in same if item.casefold().strip() == value.casefold().strip()]
        fix = None
        if len(same) == 1:
            edit = Edit("set", (*self._at, *path), same[0])
            fix = Fix(True, (edit,), f"{_shown(value)} is written {_shown(same[0])}")
        near = find_nearest(str(value), texts) or tuple(texts[:_LISTED])
        return self._say(UNKNOWN_OPTION, path, message, f"use one of {named}", value, near, fix)

    def _unknown(
        self, key: str, names: Collection[str], path: Route, given: Mapping[str, Any]
    ) -> Diagnostic:
        absent = sorted(name for name in names if name not in given)
        spelt = [name for name in absent if fold_name(name) == fold_name(key)]
        near = find_nearest(key, absent)
        where = f" in {self._place(path)}" if path else ""
        message = f'{self._spec.id} takes no argument "{key}"{where}'
        known = ", ".join(sorted(names)[:_LISTED]) or "none"
        fix = None
        if len(spelt) == 1:
            route = (*self._at, *path, key)
            fix = Fix(True, (Edit("rename", route, spelt[0]),), f'"{key}" is "{spelt[0]}"')
        rule = MISNAMED_PARAMETER if spelt or near else UNKNOWN_ARGUMENT
        hint = f"arguments that it takes: {known}"
        return self._say(rule, (*path, key), message, hint, key, spelt or near, fix)

    def _unjudged(self, reason: str) -> Diagnostic:
        message = f'the arguments of "{self._node.name}" were not checked: {reason}'
        return self._say(
            UNCHECKED_ARGUMENTS, (), message, f"correct the definition of {self._spec.id}"
        )

    def _place(self, path: Route) -> str:
        if not path:
            return f'the arguments of "{self._node.name}"'
        text = str(path[0]) + "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in path[1:]
        )
        return f'"{text}"'

    def _say(
        self,
        rule: Rule,
        path: Route,
        message: str,
        hint: str,
        value: Any = None,
        alternatives: Collection[str] = (),
        fix: Fix | None = None,
    ) -> Diagnostic:
        at = (*self._at, *path) if "arguments" in self._node.source else self._node.at
        token = value if isinstance(value, str) and len(value) <= _SHOWN else None
        return new_diagnostic(
            rule,
            at,
            message,
            help=hint,
            node=self._node.name,
            token=token,
            alternatives=alternatives,
            fix=fix,
        )


def _types(value: Any) -> tuple[str, ...]:
    kinds = value if isinstance(value, list) else [value]
    return tuple(kind if isinstance(kind, str) else "another form" for kind in kinds)


def _kind_of(schema: Mapping[str, Any]) -> str:
    return " or ".join(_types(schema["type"])) if "type" in schema else ""


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value[:_SHOWN]}{"..." if len(value) > _SHOWN else ""}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)[:_SHOWN]
    return name_json_kind(value)
