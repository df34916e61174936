"""A parameter declaration and the level it stands on, compiled once for a version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domains.n8n.parameters.declaration_shape import in_form
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, is_expression
from grounded_builder.domains.n8n.parameters.placeholders import is_lone_placeholder
from grounded_builder.domains.n8n.parameters.visibility import (
    Condition,
    Facts,
    compile_condition,
)

LOCATORS = frozenset({"resourceLocator", "workflowSelector", "agentSelector"})
REQUIRABLE = LOCATORS | {"string", "options", "multiOptions", "dateTime"}
_COUNTS = frozenset({"minRequiredFields", "maxAllowedFields"})
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
    """One declaration; several may share a name and differ in when they are shown.

    ``condition`` is True where it is always shown, False where it never is at this
    version. ``multiple`` is ``typeOptions.multipleValues``, None when absent.
    """

    name: str
    type: str
    raw: Mapping[str, Any]
    condition: Condition | bool
    options: Mapping[str, Any]
    default: Any
    multiple: Any
    filled: Callable[[Any], Any]

    def shown(self, level: Any, root: Any) -> bool:
        """Returns whether n8n shows it among these values."""
        condition = self.condition
        return condition if condition.__class__ is bool else condition.holds(level, root)  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Level:
    """The declarations that stand beside each other, with the order in which n8n fills them.

    ``order`` holds every step of that order, some declarations twice; ``duplicated``
    are the names that several declarations share, ``suspects`` the declarations that
    n8n can find fault with at all; without ``conditional`` everything is always shown.
    """

    properties: tuple[Property, ...]
    by_name: Mapping[str, tuple[Property, ...]]
    duplicated: frozenset[str]
    order: tuple[Property, ...]
    suspects: tuple[Property, ...]
    conditional: bool


@dataclass(frozen=True, slots=True)
class Declarations:
    """All declarations of a tool at a version; the levels below the root compile on first use.

    ``plans`` keeps what has been worked out for a choice of resource, operation and the like.
    """

    facts: Facts
    root: Level
    plans: dict[Any, Any] = field(default_factory=dict)
    _below: dict[int, tuple[Any, Level]] = field(default_factory=dict)

    def level(self, raw: Any) -> Level:
        """The compiled form of a list of declarations that stands in this tool's variant."""
        known = self._below.get(id(raw))
        if known is None:
            known = self._below[id(raw)] = (raw, compile_level(raw, self.facts))
        return known[1]

    def group(self, owner: Property, name: str) -> Level | None:
        """The declarations of one group of a fixed collection; None when it has no such group."""
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
    """Compiles one list of declarations; what is no declaration is left out."""
    properties = tuple(_property(in_form(raw), facts) for raw in dicts(raws) if "name" in raw)
    by_name: dict[str, tuple[Property, ...]] = {}
    for prop in properties:
        by_name[prop.name] = (*by_name.get(prop.name, ()), prop)
    duplicated = frozenset(name for name, item in by_name.items() if len(item) > 1)
    order = properties if not duplicated else tuple(properties[i] for i in _order(properties))
    suspects = tuple(item for item in properties if _may_fail(item.raw))
    conditional = any(item.condition is not True for item in properties)
    return Level(properties, by_name, duplicated, order, suspects, conditional)


def _may_fail(raw: Mapping[str, Any]) -> bool:
    """Returns whether n8n can ever report this declaration or one below it."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        return False
    if (raw.get("required") is True and kind in REQUIRABLE) or raw.get("validateType"):
        return True
    if kind in ("resourceMapper", "filter") or (kind in LOCATORS and raw.get("modes")):
        return True
    if kind == "collection":
        return any(_may_fail(child) for child in dicts(raw.get("options")))
    if kind == "fixedCollection":
        options = raw.get("typeOptions")
        counted = isinstance(options, dict) and (
            "minRequiredFields" in options or "maxAllowedFields" in options
        )
        return counted or any(
            _may_fail(child)
            for group in dicts(raw.get("options"))
            for child in dicts(group.get("values"))
        )
    return False


def dicts(entries: Any) -> list[dict[str, Any]]:
    """Returns the objects of a list; none of anything else."""
    return (
        [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )


def _property(raw: Mapping[str, Any], facts: Facts) -> Property:
    kind = str(raw.get("type", ""))
    options = raw.get("typeOptions")
    if not isinstance(options, dict):
        options = _NO_OPTIONS
    shown = raw.get("displayOptions")
    default = raw.get("default", MISSING)
    filled = _filled(kind, default)
    return Property(
        name=str(raw["name"]),
        type=kind,
        raw=raw,
        condition=True if shown is None else compile_condition(shown, facts),
        options=options,
        default=default,
        multiple=options.get("multipleValues"),
        filled=_without_prefix(filled) if raw.get("noDataExpression") else filled,
    )


def _filled(kind: str, default: Any) -> Callable[[Any], Any]:
    """Returns how a value of this type comes out of n8n's filling: MISSING in, the default out."""
    if kind in ("boolean", "number", "options"):
        return lambda value: default if value is MISSING else value
    if kind == "resourceLocator" and (default is None or isinstance(default, dict)):
        located = {"__rl": True, **(default or {})}
        return lambda value: located if value is MISSING else value
    if kind == "filter":
        return lambda value: (
            _filter(value)
            if isinstance(value, dict)
            else default
            if value is None or value is MISSING
            else value
        )
    return lambda value: default if value is None or value is MISSING else value


def _filter(value: dict[str, Any]) -> dict[str, Any]:
    """Adds what the editor adds to a filter that somebody wrote by hand."""
    options = value.get("options")
    combinator = value.get("combinator")
    return {
        **value,
        "combinator": "and" if combinator is None else combinator,
        "options": {**_FILTER_OPTIONS, **_spread(options)},
    }


def _spread(value: Any) -> Mapping[str, Any]:
    """What ``{...value}`` gives: a text or a list by its indices, nothing of what has no parts."""
    if isinstance(value, dict):
        return value
    parts = value if isinstance(value, str | list) else ()
    return {str(index): part for index, part in enumerate(parts)}


def _without_prefix(filled: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Takes the ``=`` off where a parameter takes no expressions, but for a lone AI placeholder."""

    def plain(value: Any) -> Any:
        result = filled(value)
        if is_expression(result) and not is_lone_placeholder(result):
            return result[1:]
        return result

    return plain


def _order(properties: tuple[Property, ...]) -> list[int]:
    """Returns the order in which n8n fills declarations: after those that their conditions name.

    A declaration that meets a name not filled yet is both filled at once and queued
    again, once for each such name (NodeHelpers.getParameterResolveOrder).
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
