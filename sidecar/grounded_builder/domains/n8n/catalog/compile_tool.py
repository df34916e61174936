"""Compiles a catalog entry at one version into the NodeSpec that the checks read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.domains.n8n.parameters.properties import Property, compile_declarations
from grounded_builder.domains.n8n.parameters.spec import CredentialRule, NodeSpec
from grounded_builder.domains.n8n.parameters.visibility import (
    Facts,
    compile_accepted_values,
    compile_condition,
)

__all__ = ["NodeSpec", "compile_tool"]

# What the JSON Schema of a node calls a parameter by which it takes a whole workflow: its type is
# json, and its name or label says so (n8n-nodes-base 2.41: Execute Workflow, Call n8n Workflow
# Tool and Workflow Retriever "workflowJson", n8n "workflowObject").
_CARRIER = "workflow"


def compile_tool(tool: Mapping[str, Any], version: float) -> NodeSpec:
    """Compiles the variant of a tool for this version; raises KeyError when there is none."""
    for variant in tool["variants"]:
        if version in variant["versions"]:
            traits = variant.get("traits", {})
            facts = Facts(
                version=float(version),
                is_tool=tool["id"].endswith("Tool"),
                features=_features(traits.get("features"), float(version)),
            )
            declarations = compile_declarations(variant["parameters"], facts)
            rules = _credential_rules(variant.get("credentials") or (), facts)
            carriers = _workflow_carriers(declarations.root.properties)
            return NodeSpec(tool["id"], version, variant, traits, declarations, rules, carriers)
    raise KeyError((tool["id"], version))


def _features(declared: Any, version: float) -> tuple[str, ...]:
    """Returns the features enabled at a version; each is declared by conditions on ``@version``."""
    if not isinstance(declared, Mapping):
        return ()
    return tuple(
        name
        for name, condition in declared.items()
        if isinstance(condition, Mapping)
        and compile_accepted_values(condition.get("@version") or ()).met_by([version])
    )


def _workflow_carriers(properties: Iterable[Property]) -> frozenset[str]:
    return frozenset(
        prop.name
        for prop in properties
        if prop.type == "json"
        and _CARRIER in f"{prop.name} {prop.raw.get('displayName', '')}".casefold()
    )


def _credential_rules(declared: Iterable[Any], facts: Facts) -> tuple[CredentialRule, ...]:
    return tuple(
        CredentialRule(
            type=rule["name"],
            label=str(rule.get("displayName") or rule["name"]),
            required=bool(rule.get("required")),
            condition=compile_condition(rule.get("displayOptions"), facts),
        )
        for rule in declared
    )
