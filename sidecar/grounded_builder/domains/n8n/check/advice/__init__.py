"""Advises on workflows that work and could be better; advice fails no workflow."""

from grounded_builder.domains.n8n.check.advice.check import check_advice

__all__ = ["check_advice"]
