"""Checks the arguments of every call against the schema of its tool."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.tools.catalog.argument_schema import UnusableSchemaError
from grounded_builder.domains.tools.catalog.compile_tool import ToolSpec
from grounded_builder.domains.tools.check.coerce import UNCHANGED, coerce_value
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.parameters import (
    MISNAMED_PARAMETER,
    OUT_OF_RANGE,
    TYPE_MISMATCH,
    UNKNOWN_OPTION,
    UNMATCHED_PATTERN,
)
from grounded_builder.routing.references import replace_references

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
_MOST_LISTED = 12
_LONGEST_SHOWN = 80


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds unknown, missing, mistyped and out-of-range arguments.

    References to the results of other calls are not checked, since their values are not known yet.
    """
    del registry, options
    ids = frozenset(node.name for node in resolved.graph.nodes)
    for bound in resolved.nodes:
        if isinstance(bound.spec, ToolSpec):
            yield from _CallCheck(bound, bound.spec).findings(ids)


class _CallCheck:
    """Checks the arguments of one call."""

    def __init__(self, bound: ResolvedNode, spec: ToolSpec) -> None:
        self._node = bound.node
        self._spec = spec
        self._at: Route = (*bound.node.at, "arguments")

    def findings(self, ids: Collection[str]) -> Iterator[Diagnostic]:
        """Yields the findings for all arguments of the call."""
        arguments = replace_references(self._node.params, ids)
        stray = self._find_undeclared(arguments)
        if self._spec.validator is None:
            if self._spec.unchecked_reason:
                yield self._report_unchecked(self._spec.unchecked_reason)
            yield from stray.values()
            return
        try:
            errors = self._spec.validator.find_errors(arguments)
        except UnusableSchemaError as error:
            yield self._report_unchecked(str(error))
            yield from stray.values()
            return
        for fault in errors:
            yield from self._report_error(fault, stray)
        yield from stray.values()

    def _find_undeclared(self, arguments: Mapping[str, Any]) -> dict[str, Diagnostic]:
        """Returns a finding for each argument that the tool does not declare, by name."""
        names = self._spec.names
        if names is None:
            return {}
        return {
            key: self._report_unknown(key, names, (), arguments)
            for key in arguments
            if key not in names
        }

    def _report_error(
        self, error: ValidationError, stray: dict[str, Diagnostic]
    ) -> Iterator[Diagnostic]:
        path = tuple(error.absolute_path)
        keyword = str(error.validator)
        if keyword == "required":
            yield from self._report_missing(error, path)
        elif keyword in ("additionalProperties", "unevaluatedProperties"):
            yield from self._report_undeclared(error, path, stray)
        elif keyword in ("anyOf", "oneOf") and error.context:
            yield from self._report_best_alternative(error, path, stray)
        elif keyword == "type":
            yield self._report_type(_list_types(error.validator_value), error.instance, path)
        elif keyword in ("enum", "const"):
            values = error.validator_value if keyword == "enum" else [error.validator_value]
            yield self._report_option(values, error.instance, path)
        elif keyword in _RANGES:
            shown = _format_value(error.instance)
            message = f"{self._format_place(path)} is {shown}, out of range: "
            rule = f"{keyword} {error.validator_value}"
            yield self._new_diagnostic(
                OUT_OF_RANGE, path, message + rule, f"stay within the limit: {rule}", error.instance
            )
        elif keyword == "pattern":
            shown = _format_value(error.instance)
            message = f"{self._format_place(path)} is {shown}, which does not match its pattern"
            form = f"write a text that matches {error.validator_value}"
            yield self._new_diagnostic(UNMATCHED_PATTERN, path, message, form, error.instance)
        else:
            message = (
                f"{self._format_place(path)} does not fit its definition: {error.message[:200]}"
            )
            yield self._new_diagnostic(
                MISMATCHED_ARGUMENT, path, message, f'see "{keyword}" in the schema of the tool'
            )

    def _report_missing(self, error: ValidationError, path: Route) -> Iterator[Diagnostic]:
        arguments = error.instance if isinstance(error.instance, dict) else {}
        required: Any = error.validator_value
        for name in required:
            if name in arguments or f"{name!r} " not in error.message:
                continue
            where = f" in {self._format_place(path)}" if path else ""
            message = f'{self._spec.id} needs the argument "{name}"{where}, which is missing'
            kind = _format_type(self._spec.properties.get(name, {})) if not path else ""
            hint = f'give "{name}"{f", {kind}" if kind else ""}'
            yield self._new_diagnostic(MISSING_ARGUMENT, path, message, hint)

    def _report_undeclared(
        self, error: ValidationError, path: Route, stray: Mapping[str, Diagnostic]
    ) -> Iterator[Diagnostic]:
        if not path and stray:
            return
        schema: Any = error.schema
        given: Any = error.instance
        names = list(schema.get("properties", {}))
        for key in given:
            if key not in names and f"{key!r}" in error.message:
                yield self._report_unknown(key, names, path, given)

    def _report_best_alternative(
        self, error: ValidationError, path: Route, stray: dict[str, Diagnostic]
    ) -> Iterator[Diagnostic]:
        """Yields the findings for the alternative that a value most resembles."""
        forms: dict[int, list[ValidationError]] = {}
        for validation_error in error.context or ():
            forms.setdefault(int(next(iter(validation_error.relative_schema_path), 0)), []).append(
                validation_error
            )
        of_type = {
            number: [
                error for error in errors if error.validator == "type" and not error.relative_path
            ]
            for number, errors in forms.items()
        }
        candidates = [number for number in forms if not of_type[number]]
        if not candidates:
            values = (
                _list_types(validation_errors[0].validator_value)
                for validation_errors in of_type.values()
            )
            expected = tuple(dict.fromkeys(kind for kinds in values for kind in kinds))
            yield self._report_type(expected, error.instance, path)
        elif len(candidates) == 1:
            for form in forms[candidates[0]]:
                yield from self._report_error(form, stray)
        else:
            shown = _format_value(error.instance)
            message = f"{self._format_place(path)} is {shown}, which matches none of its schemas"
            yield self._new_diagnostic(
                MISMATCHED_ARGUMENT, path, message, "see the schema of the tool"
            )

    def _report_type(self, expected: tuple[str, ...], value: Any, path: Route) -> Diagnostic:
        kinds = " or ".join(expected)
        place, shown = self._format_place(path), _format_value(value)
        message = f"{place} is {shown}, and {self._spec.id} takes {kinds}"
        fitting = coerce_value(value, expected)
        fix = None
        if fitting is not UNCHANGED:
            reason = f"{place}: {shown} is {_format_value(fitting)}"
            fix = Fix(True, (Edit("set", (*self._at, *path), fitting),), reason)
        return self._new_diagnostic(TYPE_MISMATCH, path, message, f"give {kinds}", value, fix=fix)

    def _report_option(self, values: Any, value: Any, path: Route) -> Diagnostic:
        texts = [option if isinstance(option, str) else str(option) for option in values]
        options = ", ".join(texts[:_MOST_LISTED]) + (", ..." if len(texts) > _MOST_LISTED else "")
        message = (
            f"{self._format_place(path)} is {_format_value(value)}, which is not one of {options}"
        )
        same = [text for text in values if isinstance(text, str) and isinstance(value, str)]
        same = [text for text in same if text.casefold().strip() == value.casefold().strip()]
        fix = None
        if len(same) == 1:
            edit = Edit("set", (*self._at, *path), same[0])
            fix = Fix(True, (edit,), f"{_format_value(value)} is written {_format_value(same[0])}")
        near = find_nearest(str(value), texts) or tuple(texts[:_MOST_LISTED])
        return self._new_diagnostic(
            UNKNOWN_OPTION, path, message, f"use one of {options}", value, near, fix
        )

    def _report_unknown(
        self, key: str, names: Collection[str], path: Route, given: Mapping[str, Any]
    ) -> Diagnostic:
        absent = sorted(name for name in names if name not in given)
        spelt = [name for name in absent if fold_name(name) == fold_name(key)]
        near = find_nearest(key, absent)
        where = f" in {self._format_place(path)}" if path else ""
        message = f'{self._spec.id} takes no argument "{key}"{where}'
        allowed = ", ".join(sorted(names)[:_MOST_LISTED]) or "none"
        fix = None
        if len(spelt) == 1:
            route = (*self._at, *path, key)
            fix = Fix(True, (Edit("rename", route, spelt[0]),), f'"{key}" is "{spelt[0]}"')
        rule = MISNAMED_PARAMETER if spelt or near else UNKNOWN_ARGUMENT
        hint = f"use one of its arguments: {allowed}"
        return self._new_diagnostic(rule, (*path, key), message, hint, key, spelt or near, fix)

    def _report_unchecked(self, reason: str) -> Diagnostic:
        message = f'the arguments of "{self._node.name}" were not checked: {reason}'
        return self._new_diagnostic(
            UNCHECKED_ARGUMENTS, (), message, f"correct the definition of {self._spec.id}"
        )

    def _format_place(self, path: Route) -> str:
        if not path:
            return f'the arguments of "{self._node.name}"'
        text = str(path[0]) + "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in path[1:]
        )
        return f'"{text}"'

    def _new_diagnostic(
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
        token = value if isinstance(value, str) and len(value) <= _LONGEST_SHOWN else None
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


def _list_types(value: Any) -> tuple[str, ...]:
    kinds = value if isinstance(value, list) else [value]
    return tuple(kind if isinstance(kind, str) else "another form" for kind in kinds)


def _format_type(schema: Mapping[str, Any]) -> str:
    return " or ".join(_list_types(schema["type"])) if "type" in schema else ""


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value[:_LONGEST_SHOWN]}{"..." if len(value) > _LONGEST_SHOWN else ""}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)[:_LONGEST_SHOWN]
    return name_json_kind(value)
