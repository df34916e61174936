"""Checks the expressions and code in parameters with the rules of n8n's own parser."""

from grounded_builder.domains.n8n.expressions.check import check_expressions
from grounded_builder.domains.n8n.expressions.split_code import split

__all__ = ["check_expressions", "split"]
