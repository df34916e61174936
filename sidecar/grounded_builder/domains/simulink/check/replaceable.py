"""Reports expressions, functions and gate networks that one block of the base library replaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from grounded_builder.domains.simulink.check.equivalent_blocks import (
    EquivalentBlock,
    block_of_expression,
    block_of_function,
    find_equivalent,
)

REPLACEABLE_BLOCK = Rule.advice(
    "SLX337", "replaceable-block", "SuboptimalTool", "One block can replace this."
)

_GATES = {"AND": "NAND", "OR": "NOR", "XOR": "NXOR", "NAND": "AND", "NOR": "OR", "NXOR": "XOR"}
# The operator of a gate whose two inputs are gates over the same two signals.
_PAIRS = {
    ("AND", frozenset({"OR", "NAND"})): "XOR",
    ("OR", frozenset({"AND", "NOR"})): "NXOR",
}


def check_replaceable(flow: Flow) -> Iterator[Diagnostic]:
    """Finds blocks whose work one installed block does."""
    for diagram in flow.view.checked_diagrams():
        for item in diagram.of("Fcn"):
            text = item.value("Expr") or ""
            yield from _advise(item, f'the expression "{text}"', block_of_expression(text))
        for item in diagram.of("MATLABFcn"):
            text = (item.value("MATLABFcn") or "").strip()
            yield from _advise(item, f'the MATLAB function "{text}"', block_of_function(text))
        for item in diagram.of("SubSystem"):
            script = _script(item, flow)
            block = (
                find_equivalent(script, item.block.get("ports", {}).get("in")) if script else None
            )
            yield from _advise(item, "the MATLAB Function", block)
        for item in diagram.of("Logic"):
            if item.active:
                yield from _gates(item, flow)


def _script(item: BlockView, flow: Flow) -> str | None:
    """Returns the code of a MATLAB Function; None where the file does not contain it."""
    scripts: Mapping[str, str] = flow.view.model.get("functions") or {}
    if item.opaque != "function" or not scripts:
        return None
    return scripts.get(" ".join(item.name.split()))


def _advise(item: BlockView, what: str, block: EquivalentBlock | None) -> Iterator[Diagnostic]:
    if not item.active or block is None:
        return
    label = f"{block.block} ({block.how})" if block.how else block.block
    yield new_diagnostic(
        REPLACEABLE_BLOCK,
        item.at,
        f'{what} of "{item.name}" equals the block {label}',
        help=f"use {label}: it runs and generates code without an interpreter",
        node=item.name,
        alternatives=[block.block],
    )


def _gates(item: BlockView, flow: Flow) -> Iterator[Diagnostic]:
    """Finds gates followed by a negation, and the gates of an exclusive or."""
    operator = item.value("Operator", "AND")
    if operator == "NOT":
        gate = _gate(item, 1, flow)
        if gate is not None and _GATES.get(_operator(gate)):
            yield _one_gate(item, [gate], _GATES[_operator(gate)])
    elif operator == "OR":
        sides = [_gate(item, index, flow) for index in (1, 2)]
        if all(side is not None and _operator(side) == "AND" for side in sides):
            plain = [_halves(side, flow) for side in sides if side is not None]
            if None not in plain and plain[0] is not None and plain[1] is not None:
                (a, not_b), (b, not_a) = plain[0], plain[1]
                if a == not_a and b == not_b:
                    yield _one_gate(item, [side for side in sides if side is not None], "XOR")
    pair = _find_gate_pair(item, flow)
    made = _PAIRS.get((_operator(item), _operators(pair))) if pair is not None else None
    if pair is not None and made is not None:
        yield _one_gate(item, list(pair), made)


def _gate(item: BlockView, index: int, flow: Flow) -> BlockView | None:
    before = flow.before(item, index)
    return before[0] if before is not None and before[0].type == "Logic" else None


def _operator(item: BlockView) -> str:
    return item.value("Operator", "AND") or "AND"


def _operators(gates: tuple[BlockView, BlockView]) -> frozenset[str]:
    return frozenset(map(_operator, gates))


def _find_gate_pair(item: BlockView, flow: Flow) -> tuple[BlockView, BlockView] | None:
    """Returns the two gates before this one that have the same two inputs; None otherwise."""
    block_view, two = (_gate(item, index, flow) for index in (1, 2))
    if block_view is None or two is None or flow.before(item, 3) is not None:
        return None
    inputs = [{flow.before(gate, index) for index in (1, 2)} for gate in (block_view, two)]
    more = any(flow.before(gate, 3) is not None for gate in (block_view, two))
    same = inputs[0] == inputs[1] and None not in inputs[0] and len(inputs[0]) == 2
    return (block_view, two) if same and not more else None


def _halves(item: BlockView, flow: Flow) -> tuple[object, object] | None:
    """Returns the direct and the negated input of an AND; None for any other gate."""
    plain: object = None
    negated: object = None
    for index in (1, 2):
        gate = _gate(item, index, flow)
        if gate is not None and _operator(gate) == "NOT":
            negated = flow.before(gate, 1)
        else:
            plain = flow.before(item, index)
    return (plain, negated) if plain is not None and negated is not None else None


def _one_gate(item: BlockView, gates: list[BlockView], operator: str) -> Diagnostic:
    return new_diagnostic(
        REPLACEABLE_BLOCK,
        item.at,
        f'"{item.name}" and the gates before it are one {operator}',
        help=f"use simulink/Logic and Bit Operations/Logical Operator with Operator {operator}",
        node=item.name,
        alternatives=["simulink/Logic and Bit Operations/Logical Operator"],
        related=[Related(gate.at, "a gate before it") for gate in gates],
    )
