"""Every type of a catalog by what it takes, so that a node can be held against all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.type_inference.node_features import NodeFeatures

_CHOOSERS = frozenset({"credentialsSelect", "credentials"})


@dataclass(frozen=True, slots=True)
class Form:
    """One implementation of a type: names it declares, credential types, kinds of its ports.

    ``None`` for credentials where it takes any type, for a side where ports are computed.
    """

    tool: str
    versions: frozenset[float]
    names: frozenset[str]
    credentials: frozenset[str] | None
    inputs: frozenset[str] | None
    outputs: frozenset[str] | None

    def takes(self, signs: NodeFeatures) -> bool:
        """Returns whether all that a node carries has a place here."""
        return (
            (signs.version is None or signs.version in self.versions)
            and signs.params.keys() <= self.names
            and (self.credentials is None or signs.credentials <= self.credentials)
            and (self.outputs is None or signs.leaving <= self.outputs)
            and (self.inputs is None or signs.arriving <= self.inputs)
        )


@dataclass(frozen=True, slots=True)
class Shelf:
    """All forms, how many types declare a parameter name or take a credential type.

    ``declaring`` are the forms that declare a parameter name, in the order of the catalog;
    ``by_default_name`` are the types that give a new node this name.
    """

    forms: tuple[Form, ...]
    declaring: Mapping[str, tuple[Form, ...]]
    by_tool: Mapping[str, tuple[Form, ...]]
    declared: Mapping[str, int]
    accepted: Mapping[str, int]
    by_default_name: Mapping[str, tuple[str, ...]]

    def taking(self, signs: NodeFeatures) -> tuple[str, ...]:
        """Returns the types that take everything a node carries, in the order of the catalog."""
        few = min((self.declaring.get(param, ()) for param in signs.params), key=len, default=None)
        forms = self.forms if few is None else few
        return tuple(dict.fromkeys(form.tool for form in forms if form.takes(signs)))


_shelves: WeakKeyDictionary[Registry, Shelf] = WeakKeyDictionary()


def shelf_of(registry: Registry) -> Shelf:
    """Returns the shelf of a catalog; read once, as it decodes every entry."""
    known = _shelves.get(registry)
    if known is None:
        known = _shelves[registry] = _shelf(registry)
    return known


def _shelf(registry: Registry) -> Shelf:
    by_tool: dict[str, tuple[Form, ...]] = {}
    called: dict[str, tuple[str, ...]] = {}
    for row in registry.tools.values():
        tool = registry.tool(row.id)
        by_tool[row.id] = tuple(_forms(tool))
        for name in dict.fromkeys(_default_names(tool)):
            called[name] = (*called.get(name, ()), row.id)
    declared: dict[str, int] = {}
    accepted: dict[str, int] = {}
    for forms in by_tool.values():
        for name in frozenset().union(*(form.names for form in forms)):
            declared[name] = declared.get(name, 0) + 1
        for kind in frozenset().union(*(form.credentials or frozenset() for form in forms)):
            accepted[kind] = accepted.get(kind, 0) + 1
    every = tuple(form for forms in by_tool.values() for form in forms)
    declaring: dict[str, list[Form]] = {}
    for form in every:
        for name in form.names:
            declaring.setdefault(name, []).append(form)
    by_name = {name: tuple(forms) for name, forms in declaring.items()}
    return Shelf(every, by_name, by_tool, declared, accepted, called)


def _forms(tool: Mapping[str, Any]) -> Iterator[Form]:
    for variant in tool["variants"]:
        parameters = variant["parameters"]
        chooses = any(parameter.get("type") in _CHOOSERS for parameter in parameters)
        yield Form(
            tool=tool["id"],
            versions=frozenset(map(float, variant["versions"])),
            names=frozenset(parameter["name"] for parameter in parameters),
            credentials=None
            if chooses
            else frozenset(credential["name"] for credential in variant.get("credentials") or ()),
            inputs=_kinds(variant.get("inputs")),
            outputs=_kinds(variant.get("outputs")),
        )


def _kinds(side: Any) -> frozenset[str] | None:
    return None if isinstance(side, Mapping) else frozenset(port["kind"] for port in side or ())


def _default_names(tool: Mapping[str, Any]) -> Iterator[str]:
    for variant in tool["variants"]:
        name = (variant.get("traits") or {}).get("default_name")
        if isinstance(name, str) and name:
            yield name
