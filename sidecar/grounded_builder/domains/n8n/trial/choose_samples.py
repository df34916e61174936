"""Chooses or generates sample items for nodes that a trial does not run, and schema examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.trial.expected_fields import Shape, read_shapes
from grounded_builder.domains.n8n.trial.samples import Sample
from grounded_builder.domains.n8n.trial.trigger_fields import declare_fields
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# Returns n8n's JSON schema of a node's output: type, version, then resource and operation.
Ask = Callable[..., Mapping[str, Any] | None]
Given = Mapping[str, Sequence[Mapping[str, Any]]]

_MOST_ITEMS = 50
_DEEPEST = 8
_NOON = 12
_PLAIN = {"string": "sample", "integer": 1, "number": 1.5, "boolean": True, "null": None}
_EMPTY = frozenset({"n8n-nodes-base.manualTrigger"})
_CLOCKS = frozenset(
    {"n8n-nodes-base.scheduleTrigger", "n8n-nodes-base.cron", "n8n-nodes-base.interval"}
)


def samples_of(
    resolved: ResolvedGraph,
    names: frozenset[str],
    given: Given,
    ask: Ask,
    moment: datetime | None = None,
) -> dict[str, Sample]:
    """Returns a sample for each named node: given, pinned, known, or as likely as possible.

    ``moment`` is the time at which schedules start, None for now.
    """
    pinned = resolved.graph.document.get("pinData")
    pinned_items = pinned if isinstance(pinned, Mapping) else {}
    shapes = read_shapes(resolved, names)
    out: dict[str, Sample] = {}
    for name in sorted(names):
        bound = resolved.by_name[name]
        for origin, samples in (("given", given.get(name)), ("pinned", pinned_items.get(name))):
            content = _items(samples)
            if content:
                out[name] = Sample(content, "given" if origin == "given" else "pinned")
                break
        else:
            out[name] = _constant_sample(bound, _localize(moment, resolved)) or _likely(
                bound, shapes[name], ask
            )
    return out


def _items(items: Any) -> tuple[Mapping[str, Any], ...]:
    """Returns items in n8n's form, from objects with or without ``json`` around them."""
    listed = (
        [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    )
    wrapped = [
        item if isinstance(item.get("json"), Mapping) else {"json": dict(item)} for item in listed
    ]
    results = ("json", "binary")
    return tuple({k: v for k, v in item.items() if k in results} for item in wrapped[:_MOST_ITEMS])


def _localize(moment: datetime | None, resolved: ResolvedGraph) -> datetime:
    """Returns a moment in the time zone of the workflow, UTC without one."""
    settings = resolved.graph.document.get("settings")
    named = settings.get("timezone") if isinstance(settings, Mapping) else None
    try:
        zone: tzinfo = ZoneInfo(named) if isinstance(named, str) else UTC
    except (ValueError, KeyError, OSError):
        zone = UTC
    return (moment or datetime.now(UTC)).astimezone(zone)


def _constant_sample(bound: ResolvedNode, moment: datetime) -> Sample | None:
    """Returns the constant output of a node: n8n's own triggers without data."""
    if bound.node.tool in _EMPTY:
        return Sample(({"json": {}},), "known")
    if bound.node.tool in _CLOCKS:
        return Sample(({"json": _describe_moment(moment)},), "known")
    return None


def _describe_moment(moment: datetime) -> dict[str, str]:
    """Returns the fields of a Schedule Trigger's item, as n8n 2.41 names and formats them."""
    time = f"{moment.hour % 12 or 12}:{moment:%M:%S} {'am' if moment.hour < _NOON else 'pm'}"
    offset = f"{moment:%z}"
    zone = f"{moment.tzinfo} (UTC{offset[:3]}:{offset[3:5]})"
    return {
        "timestamp": moment.isoformat(timespec="milliseconds"),
        "Readable date": f"{moment:%B} {_count_day(moment.day)} {moment:%Y}, {time}",
        "Readable time": time,
        "Day of week": f"{moment:%A}",
        "Year": f"{moment:%Y}",
        "Month": f"{moment:%B}",
        "Day of month": f"{moment:%d}",
        "Hour": f"{moment:%H}",
        "Minute": f"{moment:%M}",
        "Second": f"{moment:%S}",
        "Timezone": zone,
    }


def _count_day(day: int) -> str:
    """Returns the ordinal of a day: 1st, 2nd, 11th."""
    ending = "th" if 11 <= day % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _likely(bound: ResolvedNode, shape: Shape, ask: Ask) -> Sample:
    """Returns an item from n8n's own schema or the node's fields, with the fields that are read."""
    schema = _schema(bound, ask)
    value = example(schema) if schema is not None else declare_fields(bound)
    read = shape.example() if shape.fields else {}
    merged = _merge(value if isinstance(value, Mapping) else {}, read)
    if not merged:
        return Sample(({"json": {"sample": "sample"}},), "plain")
    return Sample(({"json": merged},), "schema" if schema is not None else "read")


def _schema(bound: ResolvedNode, ask: Ask) -> Mapping[str, Any] | None:
    if not isinstance(bound.spec, NodeSpec) or bound.version is None:
        return None
    params = filled_parameters(bound).full
    route = [params.get(key) for key in ("resource", "operation")]
    named = [item for item in route if isinstance(item, str) and item and not item.startswith("=")]
    version = f"{bound.version:g}"
    return ask(bound.spec.id, version, *(named or ["output"]))


def example(schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Returns a value of a JSON schema in n8n's form: properties, items and plain types."""
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    fields = schema.get("properties")
    if kind == "object" or isinstance(fields, Mapping):
        named = fields.items() if isinstance(fields, Mapping) and depth < _DEEPEST else ()
        return {key: example(item, depth + 1) for key, item in named if isinstance(item, Mapping)}
    if kind == "array":
        items = schema.get("items")
        return [example(items, depth + 1)] if isinstance(items, Mapping) else []
    return _PLAIN.get(str(kind), "sample")


def _merge(first: Any, second: Any) -> Any:
    """Returns both values merged; the first takes precedence, but a text yields to fields."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        added = {key: value for key, value in second.items() if key not in first}
        return {
            **{k: _merge(v, second[k]) if k in second else v for k, v in first.items()},
            **added,
        }
    if isinstance(first, list) and isinstance(second, list):
        return [_merge(first[0], second[0])] if first and second else first or second
    if isinstance(second, Mapping) and not isinstance(first, Mapping | list):
        return second
    return first
