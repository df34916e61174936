"""Advice on workflows that work and could be better; it never fails a workflow."""

from grounded_builder.domains.n8n.check.advice.check import check_advice

__all__ = ["check_advice"]
