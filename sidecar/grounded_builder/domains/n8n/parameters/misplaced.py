"""Settings of a node among its parameters, and parameters beside them on the node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n import api_schema as api
from grounded_builder.domains.n8n.parameters.javascript_semantics import equal

INNER_SETTING = Rule.advice(
    "N8N340", "inner-setting", "UnknownParameter", "A node setting is among the parameters."
)
OUTER_PARAMETER = Rule.wrong(
    "N8N341", "outer-parameter", "InvalidDocument", "A parameter is outside of the parameters."
)

# What parameters are often called as well is no setting in the wrong place.
_COMMON = frozenset({"id", "name", "type", "parameters"})


def is_setting(key: str, value: Any) -> bool:
    """Returns whether a key with this value is a setting of nodes and nothing else."""
    known = api.NODE.get(key)
    return known is not None and key not in _COMMON and known[0](value)


def inner_setting(node: Mapping[str, Any], at: Route, name: str, key: str) -> Diagnostic:
    """A setting that n8n drops, since it stands among the parameters; ``at`` leads to the node."""
    value, here = node["parameters"][key], (*at, "parameters", key)
    own = node.get(key)
    edits: tuple[Edit, ...] = (Edit("remove", here),)
    if own is None:
        edits = (Edit("set", (*at, key), value), *edits)
    settled = own is None or equal(own, value)
    return new_diagnostic(
        INNER_SETTING,
        here,
        f'"{key}" is a setting of nodes, no parameter of "{name}"; n8n drops it',
        help=f'write "{key}" on the node, beside "parameters"',
        node=name,
        token=key,
        fix=Fix(settled, edits, f'"{key}" belongs on the node "{name}"'),
    )


def outer_parameter(node: Mapping[str, Any], at: Route, name: str, key: str) -> Diagnostic:
    """Returns a parameter on the node itself, for which n8n refuses the workflow at create."""
    value, here = node[key], (*at, key)
    params = node.get("parameters", {})
    own = params.get(key) if isinstance(params, dict) else None
    edits: tuple[Edit, ...] = (Edit("remove", here),)
    if own is None:
        edits = (Edit("set", (*at, "parameters", key), value), *edits)
    settled = isinstance(params, dict) and (own is None or equal(own, value))
    return new_diagnostic(
        OUTER_PARAMETER,
        here,
        f'"{key}" is a parameter of "{name}" and stands on the node, where n8n refuses it',
        help=f'write "{key}" inside "parameters"',
        node=name,
        token=key,
        fix=Fix(settled, edits, f'"{key}" belongs into the parameters of "{name}"'),
    )
