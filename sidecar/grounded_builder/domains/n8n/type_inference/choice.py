"""Choose among the types that take all a node carries: by what is rare, then by its words."""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.catalog.name_index import id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.n8n.parameters.findings import MISSING_PARAMETER
from grounded_builder.domains.n8n.type_inference.fit import faults_as
from grounded_builder.domains.n8n.type_inference.node_features import NodeFeatures
from grounded_builder.domains.n8n.type_inference.type_index import Shelf, shelf_of
from grounded_builder.ir.domain import Recognition
from grounded_builder.ir.graph import Node
from grounded_builder.resolve import resolve_name

_TRIED = 40
_OFFERED = 5
# A name that so many types declare says little about which one is meant.
_RARE = 12
_SPELLINGS = frozenset({"exact", "case", "name", "prefix"})


def recognise(
    node: Node, signs: NodeFeatures, registry: Registry, among: Sequence[str] = ()
) -> Recognition | None:
    """Hold a node against every type, or some; None when no installed one takes what it carries.

    What is not available here may be what was meant: then nothing is sure.
    """
    recognition = _recognised(node, signs, registry, among)
    if recognition is None:
        return None
    here = tuple(
        tool for tool in recognition.tools if registry.tools[tool].availability == "installed"
    )
    if here == recognition.tools:
        return recognition
    return Recognition(here, is_sure=False) if here else None


def _recognised(
    node: Node, signs: NodeFeatures, registry: Registry, among: Sequence[str]
) -> Recognition | None:
    shelf = shelf_of(registry)
    fitting, faults = _fitting(node, signs, among, shelf, registry)
    if not fitting:
        return None
    results = [name for name in fitting if id_tail(name) in signs.told]
    named = _named(signs, fitting, shelf, registry)
    if (
        named in fitting
        and (not results or named in results)
        and _is_its_own(named, fitting, registry)
    ):
        return _first(
            named, fitting, "its name says so", is_sure=True, mention_count=1 + (named in results)
        )
    if len(results) == 1:
        return _first(results[0], fitting, "its notes say so", is_sure=True, mention_count=1)
    if len(fitting) == 1 and not faults:
        said_otherwise = named is not None and named != fitting[0] and " " in signs.label
        enough = bool(_rare(signs, shelf))
        because = f"no other type takes {', '.join([*signs.params, *sorted(signs.credentials)])}"
        return _first(fitting[0], fitting, because, is_sure=enough and not said_otherwise)
    return Recognition(tuple(fitting[:_OFFERED]), is_sure=False)


def _first(
    tool: str, fitting: list[str], because: str, *, is_sure: bool, mention_count: int = 0
) -> Recognition:
    others = [name for name in fitting if name != tool]
    return Recognition((tool, *others[: _OFFERED - 1]), is_sure, because, mention_count)


def _fitting(
    node: Node, signs: NodeFeatures, among: Sequence[str], shelf: Shelf, registry: Registry
) -> tuple[list[str], int]:
    """The types that take everything and find least fault with its values, and how much it is."""
    taking = [
        name
        for name in shelf.taking(signs)
        if (name in among if among else _has_use(name, signs, registry))
    ]
    if len(taking) > _TRIED or not signs.params:
        return taking, 0
    faults = {name: _faults(node, name, signs, registry) for name in taking}
    least = min(faults.values(), default=0)
    return [name for name in taking if faults[name] == least], least


def _has_use(tool: str, signs: NodeFeatures, registry: Registry) -> bool:
    """Whether a type is more than another one for models to call, or something asks for that."""
    if tool not in registry.names.derived:
        return True
    return signs.asks_model or bool(signs.leaving) or "toolDescription" in signs.params


def _faults(node: Node, tool: str, signs: NodeFeatures, registry: Registry) -> int:
    """Returns how many values of a node a type would drop or not take."""
    version = registry.tools[tool].newest if signs.version is None else signs.version
    faults = faults_as(node, tool, version, registry)
    return faults.total() - faults[MISSING_PARAMETER]


def _named(signs: NodeFeatures, fitting: list[str], shelf: Shelf, registry: Registry) -> str | None:
    """Returns the type that the node's name spells, or that gives its nodes this name."""
    if not signs.label:
        return None
    given = [name for name in shelf.by_default_name.get(signs.label, ()) if name in fitting]
    if len(given) == 1:
        return given[0]
    resolution = resolve_name(signs.label, registry)
    return resolution.tool if resolution.method in _SPELLINGS else None


def _is_its_own(tool: str, fitting: list[str], registry: Registry) -> bool:
    """Returns whether no other fitting type has all words of a type's name in its own."""
    words = set(split_identifier(registry.tools[tool].name))
    derived = registry.names.derived
    return not any(
        words <= set(split_identifier(registry.tools[name].name))
        for name in fitting
        if name != tool and name not in derived
    )


def _rare(signs: NodeFeatures, shelf: Shelf) -> list[str]:
    """Returns what a node carries that few types have a place for."""
    names = [param for param in signs.params if shelf.declared.get(param, 0) <= _RARE]
    kinds = [
        credential
        for credential in sorted(signs.credentials)
        if shelf.accepted.get(credential, 0) <= _RARE
    ]
    return names + kinds
