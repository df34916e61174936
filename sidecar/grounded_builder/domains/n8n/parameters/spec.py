"""Defines NodeSpec, a node type at one version: declarations, credential rules, ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.parameters.properties import Declarations
from grounded_builder.domains.n8n.parameters.visibility import Condition


@dataclass(frozen=True, slots=True)
class CredentialRule:
    """A credential type that a node declares, and the condition under which it is used."""

    type: str
    label: str
    required: bool
    condition: Condition | bool


@dataclass(frozen=True, slots=True, eq=False)
class NodeSpec:
    """The facts of a node type that the checks read.

    ``variant`` is the catalog's own entry (with the ports), ``traits`` its facts, ``declarations``
    its parameters, ``credentials`` its credential rules, ``workflow_carriers`` the names of the
    parameters that take a whole workflow.
    """

    id: str
    version: float
    variant: Mapping[str, Any]
    traits: Mapping[str, Any]
    declarations: Declarations
    credentials: tuple[CredentialRule, ...] = ()
    workflow_carriers: frozenset[str] = frozenset()
