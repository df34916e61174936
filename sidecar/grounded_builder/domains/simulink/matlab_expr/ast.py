"""Defines the syntax tree of MATLAB value expressions, and lists the variables in one."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.domains.simulink.matlab_expr.functions import CONSTANTS


@dataclass(frozen=True, slots=True)
class Term:
    """A part of an expression.

    ``kind`` is number, text, name, call (of ``text``), field, index, unary, binary, range, row
    (elements side by side), matrix or cell (rows), all (a colon alone), end or list.
    """

    kind: str
    text: str = ""
    parts: tuple[Term, ...] = ()


def names_in(term: Term) -> frozenset[str]:
    """Returns the variables that an expression reads."""
    results = {term.text} if term.kind == "name" and term.text not in CONSTANTS else set()
    for part in term.parts:
        results |= names_in(part)
    return frozenset(results)
