"""Reports node settings among the parameters, and parameters outside of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n import api_schema as api
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_deep_equal

INNER_SETTING = Rule.advice(
    "N8N340", "inner-setting", "UnknownParameter", "A node setting is among the parameters."
)
OUTER_PARAMETER = Rule.wrong(
    "N8N341", "outer-parameter", "InvalidDocument", "A parameter is outside of the parameters."
)

# Keys that are also common names of parameters.
_AMBIGUOUS_KEYS = frozenset({"id", "name", "type", "parameters"})


def is_setting(key: str, value: Any) -> bool:
    """Returns whether a key with this value can only be a node setting."""
    known = api.NODE.get(key)
    return known is not None and key not in _AMBIGUOUS_KEYS and known[0](value)


def report_inner_setting(node: Mapping[str, Any], at: Route, name: str, key: str) -> Diagnostic:
    """Builds the diagnostic for a node setting among the parameters, which n8n drops.

    `at` is the route of the node.
    """
    value, here = node["parameters"][key], (*at, "parameters", key)
    own = node.get(key)
    edits: tuple[Edit, ...] = (Edit("remove", here),)
    if own is None:
        edits = (Edit("set", (*at, key), value), *edits)
    is_safe = own is None or is_deep_equal(own, value)
    return new_diagnostic(
        INNER_SETTING,
        here,
        f'"{key}" is a node setting, not a parameter of "{name}"; n8n drops it',
        help=f'write "{key}" on the node, next to "parameters"',
        node=name,
        token=key,
        fix=Fix(is_safe, edits, f'"{key}" belongs on the node "{name}"'),
    )


def report_outer_parameter(node: Mapping[str, Any], at: Route, name: str, key: str) -> Diagnostic:
    """Builds the diagnostic for a parameter on the node itself, which n8n rejects at creation."""
    value, here = node[key], (*at, key)
    params = node.get("parameters", {})
    own = params.get(key) if isinstance(params, dict) else None
    edits: tuple[Edit, ...] = (Edit("remove", here),)
    if own is None:
        edits = (Edit("set", (*at, "parameters", key), value), *edits)
    is_safe = isinstance(params, dict) and (own is None or is_deep_equal(own, value))
    return new_diagnostic(
        OUTER_PARAMETER,
        here,
        f'"{key}" is a parameter of "{name}" but is on the node itself, where n8n rejects it',
        help=f'write "{key}" inside "parameters"',
        node=name,
        token=key,
        fix=Fix(is_safe, edits, f'"{key}" belongs in the parameters of "{name}"'),
    )
