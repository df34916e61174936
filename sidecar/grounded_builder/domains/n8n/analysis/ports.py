"""Determines a node's ports, its effective parameters, and the parameter that adds a port."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from grounded_builder.domains.n8n.javascript.evaluate import evaluate_each
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.ir.graph import ResolvedNode

Side = Literal["inputs", "outputs"]

MAIN = "main"

_CACHE_SIZE = 4096
# The value of a parameter that is an expression: known only at run time, equal to nothing.
_UNKNOWN_VALUE = object()


@dataclass(frozen=True, slots=True)
class Port:
    """A port; its index counts among those of its kind, in declared order."""

    kind: str
    name: str = ""
    required: bool = False
    max: int | None = None
    accepts: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of both sides by kind; a side is None if it is unknown."""

    inputs: Mapping[str, tuple[Port, ...]] | None
    outputs: Mapping[str, tuple[Port, ...]] | None


UNKNOWN = Ports(None, None)


def ports_of(bound: ResolvedNode) -> Ports:
    """Returns the ports of a node; those of an unresolved node are unknown."""
    spec = bound.spec
    if spec is None:
        return UNKNOWN
    splits = bound.node.source.get("onError") == "continueErrorOutput"
    fixed = _fixed_ports(spec, splits=splits)
    return fixed or _build_ports(
        _ports_of_side(bound, "inputs"), _ports_of_side(bound, "outputs"), splits=splits
    )


@lru_cache(_CACHE_SIZE)
def _fixed_ports(spec: Any, *, splits: bool) -> Ports | None:
    """Returns the ports of a type if its parameters do not change them, otherwise None."""
    inputs, outputs = _compile_side(spec, "inputs"), _compile_side(spec, "outputs")
    if isinstance(inputs, _ComputedSide) or isinstance(outputs, _ComputedSide):
        return None
    return _build_ports(inputs, outputs, splits=splits)


def _build_ports(
    inputs: tuple[Port, ...] | None, outputs: tuple[Port, ...] | None, *, splits: bool
) -> Ports:
    if outputs is not None and splits:
        # n8n appends one main output for failures after all declared ones.
        outputs = (*outputs, Port(MAIN, "Error", is_error=True))
    return Ports(_by_kind(inputs), _by_kind(outputs))


def parameter_enabling_port(
    bound: ResolvedNode, side: Side, kind: str, index: int
) -> tuple[str, Any] | None:
    """Returns the only parameter, by path and value, that would add a missing port to a node.

    Among several the one with the fewest ports wins; None if it is not unique.
    """
    compiled = _compile_side(bound.spec, side)
    if isinstance(compiled, tuple):
        return None
    values = _read_values(compiled, bound, effective_parameters(bound))
    candidates: dict[tuple[str, str], tuple[int, str, Any]] = {}
    for when, ports in compiled.rows:
        other = [(path, wanted) for path, wanted in when if not _is_equal(values[path], wanted)]
        if len(other) != 1 or sum(port.kind == kind for port in ports) <= index:
            continue
        path, wanted = other[0]
        if path != "@version" and wanted is not None:
            known = candidates.setdefault((path, json.dumps(wanted)), (len(ports), path, wanted))
            if len(ports) < known[0]:
                candidates[path, json.dumps(wanted)] = (len(ports), path, wanted)
    least = min((size for size, _, _ in candidates.values()), default=0)
    best = [(path, wanted) for size, path, wanted in candidates.values() if size == least]
    return best[0] if len(best) == 1 else None


def output_expression(bound: ResolvedNode) -> tuple[str, tuple[str, ...]] | None:
    """Returns the code that computes the outputs of a node, and the paths of the parameters that
    it reads; None if they are fixed.
    """
    if bound.spec is None:
        return None
    compiled = _compile_side(bound.spec, "outputs")
    return None if isinstance(compiled, tuple) else (compiled.source, compiled.reads)


def effective_parameters(bound: ResolvedNode) -> Mapping[str, Any]:
    """Returns the parameters of a node as n8n sees them: with defaults, without hidden values."""
    return filled_parameters(bound).full


def _ports_of_side(bound: ResolvedNode, side: Side) -> tuple[Port, ...] | None:
    compiled = _compile_side(bound.spec, side)
    if isinstance(compiled, tuple):
        return compiled
    parameters = effective_parameters(bound)
    values = _read_values(compiled, bound, parameters)
    for when, ports in compiled.rows:
        if all(_is_equal(values[path], wanted) for path, wanted in when):
            return ports
    if _UNKNOWN_VALUE in values.values():
        return None
    return _evaluate_ports(compiled.source, parameters, bound.spec.version)


def _read_values(
    compiled: _ComputedSide, bound: ResolvedNode, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the values on which the ports depend by path; those of expressions are unknown."""
    values: dict[str, Any] = {}
    for path in compiled.reads:
        value = bound.spec.version if path == "@version" else _look_up(parameters, path)
        values[path] = _UNKNOWN_VALUE if _is_expression(value) else value
    return values


@dataclass(frozen=True, slots=True)
class _ComputedSide:
    source: str
    reads: tuple[str, ...]
    rows: tuple[tuple[tuple[tuple[str, Any], ...], tuple[Port, ...]], ...]


@lru_cache(_CACHE_SIZE)
def _compile_side(spec: Any, side: Side) -> tuple[Port, ...] | _ComputedSide:
    """Compiles a side of a node type, cached."""
    declared = spec.variant.get(side) or []
    if isinstance(declared, Mapping):
        rows = tuple(
            (tuple(row["when"].items()), tuple(_compile_port(port) for port in row["ports"]))
            for row in declared.get("table", ())
        )
        read = [*declared.get("reads", ()), *(path for when, _ in rows for path, _ in when)]
        return _ComputedSide(_strip_braces(declared["source"]), tuple(dict.fromkeys(read)), rows)
    return tuple(_compile_port(port) for port in declared)


def _compile_port(port: Mapping[str, Any]) -> Port:
    return Port(
        kind=port["kind"],
        name=port.get("name", ""),
        required=port.get("required", False),
        max=port.get("max"),
        accepts=tuple(port.get("accepts", ())),
        refuses=tuple(port.get("refuses", ())),
        is_error=port.get("role") == "error",
    )


def _evaluate_ports(
    source: str, parameters: Mapping[str, Any], version: float
) -> tuple[Port, ...] | None:
    """Evaluates the declared expression; None if a nested expression decides the kinds of ports."""
    try:
        key = json.dumps([source, version, parameters], sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return None
    return _evaluate_json(key)


@lru_cache(_CACHE_SIZE)
def _evaluate_json(key: str) -> tuple[Port, ...] | None:
    source, version, parameters = json.loads(key)
    parameter_sets: list[Any] = [parameters]
    if '"=' in key:
        parameter_sets.append(_without_expressions(parameters))
    try:
        results = [_ports_from(value) for value in evaluate_each(source, parameter_sets, version)]
    except UnknownAnswerError:
        results = [None]
    ports = results[0]
    if ports is not None and any(_kinds(item) != _kinds(ports) for item in results):
        return None
    return ports


def _ports_from(value: Any) -> tuple[Port, ...] | None:
    if not isinstance(value, list):
        return None
    ports = tuple(_read_declared(value))
    return ports if len(ports) == len(value) else None


def _kinds(ports: tuple[Port, ...] | None) -> list[str] | None:
    return None if ports is None else [port.kind for port in ports]


def _read_declared(value: list[Any]) -> Iterator[Port]:
    """Yields ports from n8n's own notation: a kind, or an object with its type and limits."""
    for port in value:
        if isinstance(port, str):
            yield Port(port)
        elif isinstance(port, dict) and isinstance(port.get("type"), str):
            chosen = port.get("filter") if isinstance(port.get("filter"), dict) else {}
            most = port.get("maxConnections")
            yield Port(
                kind=port["type"],
                name=str(port.get("displayName") or ""),
                required=port.get("required") is True,
                max=most if isinstance(most, int) else None,
                accepts=_filter_names(chosen, "nodes"),
                refuses=_filter_names(chosen, "excludedNodes"),
                is_error=port.get("category") == "error",
            )


def _filter_names(chosen: Any, key: str) -> tuple[str, ...]:
    names = chosen.get(key)
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _by_kind(ports: tuple[Port, ...] | None) -> Mapping[str, tuple[Port, ...]] | None:
    if ports is None:
        return None
    kinds: dict[str, tuple[Port, ...]] = {}
    for port in ports:
        kinds[port.kind] = (*kinds.get(port.kind, ()), port)
    return kinds


def _strip_braces(source: str) -> str:
    """Returns the code inside ``={{ ... }}``."""
    text = source.strip().removeprefix("=").strip()
    if text.startswith("{{") and text.endswith("}}"):
        text = text[2:-2]
    return text.strip().rstrip(";")


def _look_up(parameters: Mapping[str, Any], path: str) -> Any:
    value: Any = parameters
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def _is_expression(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")


def _is_equal(value: Any, wanted: Any) -> bool:
    """Returns whether two JSON values are equal; true is not 1."""
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _without_expressions(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_expressions(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_expressions(item) for item in value]
    return None if _is_expression(value) else value
