"""Expressions and code among a node's parameters, judged as n8n's own parser judges them."""

from grounded_builder.domains.n8n.expressions.check import check_expressions
from grounded_builder.domains.n8n.expressions.split_code import split

__all__ = ["check_expressions", "split"]
