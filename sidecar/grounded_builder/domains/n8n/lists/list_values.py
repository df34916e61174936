"""Finds the shown parameters of a node that n8n's editor fills from a list, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.lists.list_client import ListKind
from grounded_builder.domains.n8n.parameters.defaults import fill, fill_simple_values
from grounded_builder.domains.n8n.parameters.properties import Level, Property, only_dicts
from grounded_builder.domains.n8n.parameters.spec import NodeSpec

_LIST = "list"
_OPTIONS = frozenset({"options", "multiOptions"})


@dataclass(frozen=True, slots=True)
class ListValue:
    """A parameter with a list: its route in the node's parameters, its value, and n8n's method.

    Without ``method`` n8n finds the request in the declaration. ``is_searched`` is whether n8n can
    search the list, ``needs_search`` whether it gives nothing without a text.
    """

    route: Route
    declared: Property
    kind: ListKind
    method: str
    value: Any
    is_searched: bool = False
    needs_search: bool = False

    @property
    def path(self) -> str:
        """The route as n8n writes it: ``parameters.rules.values[0].key``."""
        parts = ("parameters", *self.route)
        return "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts
        ).removeprefix(".")

    @property
    def label(self) -> str:
        """The name of the parameter in the editor."""
        return str(self.declared.raw.get("displayName") or self.declared.name)

    @property
    def takes_names(self) -> bool:
        """Whether the written mode of a locator takes names, as n8n passes them to the service."""
        mode = self.value.get("mode") if isinstance(self.value, dict) else None
        is_by_id = isinstance(mode, str) and mode.casefold().endswith("id")
        return isinstance(mode, str) and mode not in ("", _LIST, "url") and not is_by_id

    @property
    def needed(self) -> tuple[str, ...]:
        """The parameters at the root that the list depends on."""
        paths = self.declared.options.get("loadOptionsDependsOn")
        named = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
        return tuple(path.partition(".")[0] for path in named if not path.startswith("&"))


@dataclass(frozen=True, slots=True)
class ShownValues:
    """The parameters of a node with defaults, and those with a list in order of declaration.

    ``required`` are the names of the root's parameters that n8n requires.
    """

    full: Mapping[str, Any]
    values: tuple[ListValue, ...]
    required: frozenset[str]


def find_list_values(spec: NodeSpec, params: Mapping[str, Any]) -> ShownValues:
    """Returns the values of a node with a list; hidden parameters are left out."""
    simple, full = fill(spec.declarations, params)
    root = spec.declarations.root
    required = frozenset(
        prop.name
        for prop in root.properties
        if prop.raw.get("required") is True and prop.is_shown(simple, simple)
    )
    return ShownValues(full, tuple(_walk(spec, root, params, simple, simple, ())), required)


def _walk(
    spec: NodeSpec,
    level: Level,
    given: Any,
    simple: Mapping[str, Any],
    root: Mapping[str, Any],
    route: Route,
) -> Iterator[ListValue]:
    values = given if isinstance(given, dict) else {}
    for prop in level.properties:
        if not prop.is_shown(simple, root):
            continue
        value = values.get(prop.name)
        here = (*route, prop.name)
        if prop.type == "collection" and prop.multiple is not True:
            inner = spec.declarations.children(prop)
            filled = fill_simple_values(inner, value, root, in_collection=True)
            present = {key: filled[key] for key in filled if isinstance(value, dict)}
            shown = value if isinstance(value, dict) else {}
            for found in _walk(spec, inner, shown, present, root, here):
                if found.declared.name in shown:
                    yield found
        elif prop.type == "fixedCollection":
            yield from _walk_groups(spec, prop, value, root, here)
        else:
            listed = _as_list_value(prop, here, value)
            if listed is not None:
                yield listed


def _walk_groups(
    spec: NodeSpec, prop: Property, value: Any, root: Mapping[str, Any], route: Route
) -> Iterator[ListValue]:
    for name, entry in value.items() if isinstance(value, dict) else ():
        level = spec.declarations.group(prop, name)
        if level is None:
            continue
        items = list(enumerate(entry)) if isinstance(entry, list) else [(None, entry)]
        for index, item in items:
            here = (*route, name) if index is None else (*route, name, index)
            simple = fill_simple_values(level, item, root, in_collection=False)
            yield from _walk(spec, level, item, simple, root, here)


def _as_list_value(prop: Property, route: Route, value: Any) -> ListValue | None:
    """Returns a parameter with the list that n8n offers for it, None without one."""
    if prop.type == "resourceLocator":
        for mode in only_dicts(prop.raw.get("modes")):
            options = mode.get("typeOptions")
            if mode.get("name") == _LIST and isinstance(options, dict):
                method = options.get("searchListMethod")
                if isinstance(method, str):
                    return ListValue(
                        route,
                        prop,
                        "locator",
                        method,
                        value,
                        is_searched=options.get("searchable") is True,
                        needs_search=options.get("searchFilterRequired") is True,
                    )
    elif prop.type in _OPTIONS:
        method = prop.options.get("loadOptionsMethod")
        if isinstance(method, str) or prop.options.get("loadOptions"):
            return ListValue(
                route, prop, "options", method if isinstance(method, str) else "", value
            )
    elif prop.type == "resourceMapper":
        options = prop.options.get("resourceMapper")
        method = options.get("resourceMapperMethod") if isinstance(options, dict) else None
        if isinstance(method, str):
            return ListValue(route, prop, "columns", method, value)
    return None
