"""The parameters of a node, computed as n8n computes them at the exact version."""

from grounded_builder.domains.n8n.parameters.check import check_parameters

__all__ = ["check_parameters"]
