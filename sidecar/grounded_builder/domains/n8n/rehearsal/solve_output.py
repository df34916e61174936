"""Finds the values of items with which a decision gives items at an output."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.domains.n8n.rehearsal.coverage import Coverage
from grounded_builder.domains.n8n.rehearsal.decisions import Condition, Rule, read_decision
from grounded_builder.domains.n8n.rehearsal.fitting_values import find_value, is_solvable
from grounded_builder.domains.n8n.rehearsal.item_sources import (
    ItemSources,
    ReadField,
    plain_condition,
)
from grounded_builder.domains.n8n.rehearsal.variants import WantedValue
from grounded_builder.ir.graph import ResolvedGraph


def solve_output(
    resolved: ResolvedGraph, coverage: Coverage, givers: frozenset[str], node: str, output: int
) -> tuple[WantedValue, ...]:
    """Returns values for items of ``givers`` by which the node chooses the output."""
    decision = read_decision(resolved.by_name[node])
    if decision is None:
        return ()
    sources = ItemSources(resolved, coverage.wiring, givers)
    demands: dict[tuple[ReadField, ...], list[tuple[Condition, bool]]] = {}
    for rule, wanted in decision.list_demands(output):
        for condition, must_hold in _choose_conditions(rule, wanted):
            plain = plain_condition(condition)
            if plain is None or not is_solvable(plain[0]):
                continue
            fields = tuple(sources.trace(node, plain[1], plain[2]))
            if fields:
                demands.setdefault(fields, []).append((plain[0], must_hold))
    return tuple(_write_values(demands))


def _choose_conditions(rule: Rule, wanted: bool) -> Iterator[tuple[Condition, bool]]:
    """Yields conditions that suffice for a rule to hold, or not to."""
    if rule.is_any is not wanted:
        yield from ((condition, wanted) for condition in rule.conditions)
        return
    solvable = [condition for condition in rule.conditions if plain_condition(condition)]
    yield from ((condition, wanted) for condition in solvable[:1])


def _write_values(
    demands: dict[tuple[ReadField, ...], list[tuple[Condition, bool]]],
) -> Iterator[WantedValue]:
    for fields, listed in demands.items():
        value = find_value(listed)
        if value is not None:
            yield from (WantedValue(field.node, field.path, value) for field in fields)
