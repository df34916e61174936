"""Indexes every type of a catalog by the parameters, credentials and edges that it accepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.type_inference.node_features import NodeFeatures

_CREDENTIAL_PARAMETER_TYPES = frozenset({"credentialsSelect", "credentials"})


@dataclass(frozen=True, slots=True)
class TypeVariant:
    """A variant of a type: its parameter names, credential types and kinds of ports.

    ``credentials`` is None if it accepts any type, a side is None if its ports are computed.
    """

    tool: str
    versions: frozenset[float]
    names: frozenset[str]
    credentials: frozenset[str] | None
    inputs: frozenset[str] | None
    outputs: frozenset[str] | None

    def takes(self, signs: NodeFeatures) -> bool:
        """Returns whether the variant accepts everything that a node carries."""
        return (
            (signs.version is None or signs.version in self.versions)
            and signs.params.keys() <= self.names
            and (self.credentials is None or signs.credentials <= self.credentials)
            and (self.outputs is None or signs.leaving <= self.outputs)
            and (self.inputs is None or signs.arriving <= self.inputs)
        )


@dataclass(frozen=True, slots=True)
class TypeIndex:
    """All variants, with the number of types per parameter name and credential type.

    ``declaring`` are the variants that declare a parameter name, in the order of the catalog;
    ``by_default_name`` are the types that give a new node this name.
    """

    forms: tuple[TypeVariant, ...]
    declaring: Mapping[str, tuple[TypeVariant, ...]]
    declared: Mapping[str, int]
    accepted: Mapping[str, int]
    by_default_name: Mapping[str, tuple[str, ...]]

    def find_accepting_types(self, signs: NodeFeatures) -> tuple[str, ...]:
        """Returns the types that accept all that a node carries, in the order of the catalog."""
        few = min((self.declaring.get(param, ()) for param in signs.params), key=len, default=None)
        forms = self.forms if few is None else few
        return tuple(dict.fromkeys(form.tool for form in forms if form.takes(signs)))


_indexes: WeakKeyDictionary[Registry, TypeIndex] = WeakKeyDictionary()


def type_index_of(registry: Registry) -> TypeIndex:
    """Returns the index of a catalog, built once as it decodes every entry."""
    known = _indexes.get(registry)
    if known is None:
        known = _indexes[registry] = _build_index(registry)
    return known


def _build_index(registry: Registry) -> TypeIndex:
    variants: list[TypeVariant] = []
    declared: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    by_default_name: dict[str, tuple[str, ...]] = {}
    for row in registry.tools.values():
        tool = registry.tool(row.id)
        forms = list(_list_variants(tool))
        variants += forms
        declared.update(frozenset().union(*(form.names for form in forms)))
        accepted.update(frozenset().union(*(form.credentials or () for form in forms)))
        for name in dict.fromkeys(_default_names(tool)):
            by_default_name[name] = (*by_default_name.get(name, ()), row.id)
    declaring: dict[str, list[TypeVariant]] = {}
    for form in variants:
        for name in form.names:
            declaring.setdefault(name, []).append(form)
    by_name = {name: tuple(forms) for name, forms in declaring.items()}
    return TypeIndex(tuple(variants), by_name, declared, accepted, by_default_name)


def _list_variants(tool: Mapping[str, Any]) -> Iterator[TypeVariant]:
    for variant in tool["variants"]:
        parameters = variant["parameters"]
        chooses = any(
            parameter.get("type") in _CREDENTIAL_PARAMETER_TYPES for parameter in parameters
        )
        yield TypeVariant(
            tool=tool["id"],
            versions=frozenset(map(float, variant["versions"])),
            names=frozenset(parameter["name"] for parameter in parameters),
            credentials=None
            if chooses
            else frozenset(credential["name"] for credential in variant.get("credentials") or ()),
            inputs=_port_kinds(variant.get("inputs")),
            outputs=_port_kinds(variant.get("outputs")),
        )


def _port_kinds(side: Any) -> frozenset[str] | None:
    return None if isinstance(side, Mapping) else frozenset(port["kind"] for port in side or ())


def _default_names(tool: Mapping[str, Any]) -> Iterator[str]:
    for variant in tool["variants"]:
        name = (variant.get("traits") or {}).get("default_name")
        if isinstance(name, str) and name:
            yield name
