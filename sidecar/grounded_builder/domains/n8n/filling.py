"""A node's parameters as its expressions see them: defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.graph import Bound

_REMEMBERED = 2048


def filled(bound: Bound) -> Mapping[str, Any]:
    """The parameters of a bound node, with the default of every absent one that has just one."""
    defaults = _defaults(bound.spec)
    if not defaults:
        return bound.node.params
    return {**defaults, **bound.node.params}


_compilations: dict[int, tuple[Any, Mapping[str, Any]]] = {}


def _defaults(spec: Any) -> Mapping[str, Any]:
    known = _compilations.get(id(spec))
    if known is not None:
        return known[1]
    seen: dict[str, list[Any]] = {}
    for prop in spec.variant.get("parameters") or ():
        if "default" in prop and _is_of_version(prop, spec.version):
            values = seen.setdefault(prop["name"], [])
            if prop["default"] not in values:
                values.append(prop["default"])
    defaults = {name: values[0] for name, values in seen.items() if len(values) == 1}
    if len(_compilations) >= _REMEMBERED:
        _compilations.clear()
    _compilations[id(spec)] = (spec, defaults)
    return defaults


def _is_of_version(prop: Mapping[str, Any], version: float) -> bool:
    """Whether plain version lists of displayOptions let a declaration hold at this version."""
    display = prop.get("displayOptions") or {}
    shown = (display.get("show") or {}).get("@version")
    hidden = (display.get("hide") or {}).get("@version")
    plain = (int, float)
    if isinstance(shown, list) and all(isinstance(one, plain) for one in shown):
        return version in shown
    if isinstance(hidden, list) and all(isinstance(one, plain) for one in hidden):
        return version not in hidden
    return True
