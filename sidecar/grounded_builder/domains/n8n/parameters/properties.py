"""Compiles parameter declarations once per version: when each is shown, and how it is filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domains.n8n.parameters.declaration_shape import without_malformed_parts
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, is_expression
from grounded_builder.domains.n8n.parameters.placeholders import is_lone_placeholder
from grounded_builder.domains.n8n.parameters.visibility import (
    Condition,
    Facts,
    compile_condition,
)

LOCATORS = frozenset({"resourceLocator", "workflowSelector", "agentSelector"})
REQUIRABLE = LOCATORS | {"string", "options", "multiOptions", "dateTime"}
CONTAINERS = frozenset({"collection", "fixedCollection"})

_NO_OPTIONS: Mapping[str, Any] = {}
_FILTER_OPTIONS: Mapping[str, Any] = {
    "caseSensitive": True,
    "leftValue": "",
    "typeValidation": "strict",
    "version": 1,
}


@dataclass(frozen=True, slots=True)
class Property:
    """A declaration; several may share a name and differ in when they are shown.

    ``condition`` is True if it is always shown, False if it never is at this version. ``multiple``
    is ``typeOptions.multipleValues``, None if absent.
    """

    name: str
    type: str
    raw: Mapping[str, Any]
    condition: Condition | bool
    options: Mapping[str, Any]
    default: Any
    multiple: Any
    filled: Callable[[Any], Any]

    def is_shown(self, level: Any, root: Any) -> bool:
        """Returns whether n8n shows the parameter with these values."""
        condition = self.condition
        return condition if condition.__class__ is bool else condition.holds(level, root)  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Level:
    """The declarations of a level, with the order in which n8n fills them.

    ``order`` holds every step of that order, some declarations twice; ``duplicated`` are the names
    that several declarations share, ``suspects`` the declarations for which n8n can report issues;
    without ``conditional`` everything is always shown.
    """

    properties: tuple[Property, ...]
    by_name: Mapping[str, tuple[Property, ...]]
    duplicated: frozenset[str]
    order: tuple[Property, ...]
    suspects: tuple[Property, ...]
    conditional: bool


@dataclass(frozen=True, slots=True)
class Declarations:
    """All declarations of a tool at a version; nested levels are compiled on first use.

    ``plans`` caches the visibility plans by the choices of resource, operation and the like.
    """

    facts: Facts
    root: Level
    plans: dict[Any, Any] = field(default_factory=dict)
    _below: dict[int, tuple[Any, Level]] = field(default_factory=dict)

    def level(self, raw: Any) -> Level:
        """Returns the compiled form of a list of declarations of this tool's variant."""
        known = self._below.get(id(raw))
        if known is None:
            known = self._below[id(raw)] = (raw, compile_level(raw, self.facts))
        return known[1]

    def group(self, owner: Property, name: str) -> Level | None:
        """Returns the declarations of a group of a fixed collection, None without such a group."""
        for entry in owner.raw.get("options") or ():
            if isinstance(entry, dict) and entry.get("name") == name:
                return self.level(entry.get("values") or [])
        return None

    def children(self, owner: Property) -> Level:
        """Returns the declarations inside a collection."""
        return self.level(owner.raw.get("options") or [])


def compile_declarations(parameters: Any, facts: Facts) -> Declarations:
    """Compiles the parameters of a variant for one version."""
    return Declarations(facts, compile_level(parameters, facts))


def compile_level(raws: Any, facts: Facts) -> Level:
    """Compiles a list of declarations; skips entries that are not declarations."""
    properties = tuple(
        _compile_property(without_malformed_parts(raw), facts)
        for raw in only_dicts(raws)
        if "name" in raw
    )
    by_name: dict[str, tuple[Property, ...]] = {}
    for prop in properties:
        by_name[prop.name] = (*by_name.get(prop.name, ()), prop)
    duplicated = frozenset(name for name, item in by_name.items() if len(item) > 1)
    order = properties if not duplicated else tuple(properties[i] for i in _fill_order(properties))
    suspects = tuple(item for item in properties if _may_fail(item.raw))
    conditional = any(item.condition is not True for item in properties)
    return Level(properties, by_name, duplicated, order, suspects, conditional)


def _may_fail(raw: Mapping[str, Any]) -> bool:
    """Returns whether n8n can ever report an issue for this declaration or a nested one."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        return False
    if (raw.get("required") is True and kind in REQUIRABLE) or raw.get("validateType"):
        return True
    if kind in ("resourceMapper", "filter") or (kind in LOCATORS and raw.get("modes")):
        return True
    if kind == "collection":
        return any(_may_fail(child) for child in only_dicts(raw.get("options")))
    if kind == "fixedCollection":
        options = raw.get("typeOptions")
        counted = isinstance(options, dict) and (
            "minRequiredFields" in options or "maxAllowedFields" in options
        )
        return counted or any(
            _may_fail(child)
            for group in only_dicts(raw.get("options"))
            for child in only_dicts(group.get("values"))
        )
    return False


def only_dicts(entries: Any) -> list[dict[str, Any]]:
    """Returns the objects of a list, none if the value is not a list."""
    return (
        [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )


def _compile_property(raw: Mapping[str, Any], facts: Facts) -> Property:
    kind = str(raw.get("type", ""))
    options = raw.get("typeOptions")
    if not isinstance(options, dict):
        options = _NO_OPTIONS
    shown = raw.get("displayOptions")
    default = raw.get("default", MISSING)
    filled = _make_filler(kind, default)
    return Property(
        name=str(raw["name"]),
        type=kind,
        raw=raw,
        condition=True if shown is None else compile_condition(shown, facts),
        options=options,
        default=default,
        multiple=options.get("multipleValues"),
        filled=_strip_prefix(filled) if raw.get("noDataExpression") else filled,
    )


def _make_filler(kind: str, default: Any) -> Callable[[Any], Any]:
    """Returns the function by which n8n fills a value of this type; MISSING yields the default."""
    if kind in ("boolean", "number", "options"):
        return lambda value: default if value is MISSING else value
    if kind == "resourceLocator" and (default is None or isinstance(default, dict)):
        located = {"__rl": True, **(default or {})}
        return lambda value: located if value is MISSING else value
    if kind == "filter":
        return lambda value: (
            _complete_filter(value)
            if isinstance(value, dict)
            else default
            if value is None or value is MISSING
            else value
        )
    return lambda value: default if value is None or value is MISSING else value


def _complete_filter(value: dict[str, Any]) -> dict[str, Any]:
    """Adds the options that n8n's editor adds to a filter."""
    options = value.get("options")
    combinator = value.get("combinator")
    return {
        **value,
        "combinator": "and" if combinator is None else combinator,
        "options": {**_FILTER_OPTIONS, **_spread_object(options)},
    }


def _spread_object(value: Any) -> Mapping[str, Any]:
    """Returns the result of JavaScript's ``{...value}``: texts and lists by index, others empty."""
    if isinstance(value, dict):
        return value
    parts = value if isinstance(value, str | list) else ()
    return {str(index): part for index, part in enumerate(parts)}


def _strip_prefix(filled: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Removes the ``=`` where the parameter takes no expression, except for ``$fromAI``."""

    def plain(value: Any) -> Any:
        result = filled(value)
        if is_expression(result) and not is_lone_placeholder(result):
            return result[1:]
        return result

    return plain


def _fill_order(properties: tuple[Property, ...]) -> list[int]:
    """Returns the order in which n8n fills declarations: after those that their conditions name.

    A declaration that depends on a name not filled yet is filled at once and queued again, once for
    each such name (NodeHelpers.getParameterResolveOrder).
    """
    needs: dict[str, list[str]] = {}
    for prop in properties:
        wanted = needs.setdefault(prop.name, [])
        for tests in (prop.raw.get("displayOptions") or {}).values():
            if isinstance(tests, dict):
                wanted += [key for key in tests if key[:1] != "@" and key not in wanted]
    queue = list(range(len(properties)))
    order: list[int] = []
    done: set[str] = set()
    position = 0
    limit = len(properties) * 20 + 100
    while position < len(queue) and len(order) < limit:
        index = queue[position]
        position += 1
        name = properties[index].name
        queue += [index for need in needs[name] if need not in done and need in needs]
        order.append(index)
        done.add(name)
    return order
