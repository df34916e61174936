"""Checks the parameters of nodes with n8n's own rules at the exact version."""

from grounded_builder.domains.n8n.parameters.check import check_parameters

__all__ = ["check_parameters"]
