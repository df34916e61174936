"""Finds the first input that a condition of an If block uses and the block does not have."""

from __future__ import annotations

import re

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.values import number, read_count

_INPUT = re.compile(r"(?<![\w.])u(\d+)(?!\w)")
_EXPRESSIONS = (("IfExpression", "u1 > 0"), ("ElseIfExpressions", ""))


def find_missing_input(item: BlockView) -> tuple[str, str] | None:
    """Returns the first input that a condition uses and the block lacks, with the parameter."""
    count = read_count(number(item, "NumInputs", "1"))
    if count is None:
        return None
    for name, otherwise in _EXPRESSIONS:
        for match in _INPUT.finditer(item.value(name, otherwise) or ""):
            if int(match[1]) > count:
                has = f"there {'is' if count == 1 else 'are'} {count} input{'s' * (count != 1)}"
                return f"{name} names {match[0]}, and {has}", name
    return None
