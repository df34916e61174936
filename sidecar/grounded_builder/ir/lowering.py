"""Defines the input and result of lowering: resolved steps, and the native document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.plan import Step
from grounded_builder.ir.resolution import Resolution


@dataclass(frozen=True, slots=True)
class StepResolution:
    """A step with the tool that its name resolved to; without ``tool`` it is unresolved.

    ``preset`` are the parameters that the name itself sets, such as an operation.
    """

    step: Step
    resolution: Resolution
    tool: ToolRow | None = None
    version: float | None = None
    spec: Any = None
    preset: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResolvedPlan:
    """A plan after resolution, in the published shape."""

    nodes: tuple[Mapping[str, Any], ...]
    connections: tuple[Mapping[str, str], ...]
    metadata: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Returns the plan as JSON."""
        return {
            "nodes": [dict(node) for node in self.nodes],
            "connections": [dict(edge) for edge in self.connections],
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True, slots=True)
class Lowered:
    """A native document made from a plan; ``origin`` maps routes in it to routes in the plan.

    ``names`` has the node of each step by its id.
    """

    document: Mapping[str, Any]
    origin: Mapping[Route, Route]
    diagnostics: tuple[Diagnostic, ...]
    plan: ResolvedPlan
    names: Mapping[str, str] = field(default_factory=dict)

    def map_to_plan(self, route: Route) -> Route:
        """Returns the route in the plan that a route in the document came from."""
        for cut in range(len(route), -1, -1):
            known = self.origin.get(route[:cut])
            if known is not None:
                return known
        return ()
