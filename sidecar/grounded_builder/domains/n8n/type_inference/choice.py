"""Chooses the node type that accepts a node's parameters, credentials and edges, or several."""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.catalog.name_index import id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.n8n.parameters.findings import MISSING_PARAMETER
from grounded_builder.domains.n8n.type_inference.fit import count_faults
from grounded_builder.domains.n8n.type_inference.node_features import NodeFeatures
from grounded_builder.domains.n8n.type_inference.type_index import TypeIndex, type_index_of
from grounded_builder.ir.domain import Recognition
from grounded_builder.ir.graph import Node
from grounded_builder.resolve import resolve_name

_MAX_CHECKED = 40
_MAX_CANDIDATES = 5
# Number of types up to which a parameter name or credential type is rare.
_MAX_TYPES_OF_RARE = 12
_SPELLINGS = frozenset({"exact", "case", "name", "prefix"})


def choose_type(
    node: Node, signs: NodeFeatures, registry: Registry, among: Sequence[str] = ()
) -> Recognition | None:
    """Compares a node with every type, or some; returns None if no installed type accepts it.

    If an unavailable type fits as well, the result is not certain.
    """
    recognition = _choose_from_catalog(node, signs, registry, among)
    if recognition is None:
        return None
    here = tuple(
        tool for tool in recognition.tools if registry.tools[tool].availability == "installed"
    )
    if here == recognition.tools:
        return recognition
    return Recognition(here, is_sure=False) if here else None


def _choose_from_catalog(
    node: Node, signs: NodeFeatures, registry: Registry, among: Sequence[str]
) -> Recognition | None:
    shelf = type_index_of(registry)
    fitting, faults = _find_fitting(node, signs, among, shelf, registry)
    if not fitting:
        return None
    in_notes = [name for name in fitting if id_tail(name) in signs.noted_ids]
    by_name = _find_by_name(signs, fitting, shelf, registry)
    if (
        by_name in fitting
        and (not in_notes or by_name in in_notes)
        and _has_distinct_name(by_name, fitting, registry)
    ):
        count = 1 + (by_name in in_notes)
        return _recognition(by_name, fitting, "its name fits", is_sure=True, mention_count=count)
    if len(in_notes) == 1:
        return _recognition(
            in_notes[0], fitting, "its notes name it", is_sure=True, mention_count=1
        )
    if len(fitting) == 1 and not faults:
        is_contradicted = by_name is not None and by_name != fitting[0] and " " in signs.label
        enough = bool(_rare_features(signs, shelf))
        because = f"no other type accepts {', '.join([*signs.params, *sorted(signs.credentials)])}"
        return _recognition(fitting[0], fitting, because, is_sure=enough and not is_contradicted)
    return Recognition(tuple(fitting[:_MAX_CANDIDATES]), is_sure=False)


def _recognition(
    tool: str, fitting: list[str], because: str, *, is_sure: bool, mention_count: int = 0
) -> Recognition:
    others = [name for name in fitting if name != tool]
    return Recognition((tool, *others[: _MAX_CANDIDATES - 1]), is_sure, because, mention_count)


def _find_fitting(
    node: Node, signs: NodeFeatures, among: Sequence[str], shelf: TypeIndex, registry: Registry
) -> tuple[list[str], int]:
    """Returns the types that accept everything with the fewest faults, and the number of faults."""
    taking = [
        name
        for name in shelf.find_accepting_types(signs)
        if (name in among if among else _is_plausible(name, signs, registry))
    ]
    if len(taking) > _MAX_CHECKED or not signs.params:
        return taking, 0
    faults = {name: _count_faults(node, name, signs, registry) for name in taking}
    least = min(faults.values(), default=0)
    return [name for name in taking if faults[name] == least], least


def _is_plausible(tool: str, signs: NodeFeatures, registry: Registry) -> bool:
    """Returns whether a type is not a generated tool variant, or the node needs one."""
    if tool not in registry.names.variants:
        return True
    return signs.asks_model or bool(signs.leaving) or "toolDescription" in signs.params


def _count_faults(node: Node, tool: str, signs: NodeFeatures, registry: Registry) -> int:
    """Returns how many values of a node a type drops or does not accept."""
    version = registry.tools[tool].newest if signs.version is None else signs.version
    faults = count_faults(node, tool, version, registry)
    return faults.total() - faults[MISSING_PARAMETER]


def _find_by_name(
    signs: NodeFeatures, fitting: list[str], shelf: TypeIndex, registry: Registry
) -> str | None:
    """Returns the type that the node's name spells, or that gives its nodes this default name."""
    if not signs.label:
        return None
    given = [name for name in shelf.by_default_name.get(signs.label, ()) if name in fitting]
    if len(given) == 1:
        return given[0]
    resolution = resolve_name(signs.label, registry)
    return resolution.tool if resolution.method in _SPELLINGS else None


def _has_distinct_name(tool: str, fitting: list[str], registry: Registry) -> bool:
    """Returns whether no other fitting type has all words of the type's name in its own."""
    words = set(split_identifier(registry.tools[tool].name))
    derived = registry.names.variants
    return not any(
        words <= set(split_identifier(registry.tools[name].name))
        for name in fitting
        if name != tool and name not in derived
    )


def _rare_features(signs: NodeFeatures, shelf: TypeIndex) -> list[str]:
    """Returns the parameters and credentials of a node that few types declare."""
    names = [param for param in signs.params if shelf.declared.get(param, 0) <= _MAX_TYPES_OF_RARE]
    kinds = [
        credential
        for credential in sorted(signs.credentials)
        if shelf.accepted.get(credential, 0) <= _MAX_TYPES_OF_RARE
    ]
    return names + kinds
