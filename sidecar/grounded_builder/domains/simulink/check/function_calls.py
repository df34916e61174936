"""Reports function calls and actions at data ports, data at their ports, and excluded ports."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import (
    Arrival,
    BlockView,
    Diagram,
    ModelView,
)
from grounded_builder.domains.simulink.check.wiring import COMPUTING, SPOKEN
from grounded_builder.domains.simulink.read.document import tool_of
from grounded_builder.ir.rules.edges import MISMATCHED_EDGE

EXCLUDED_PORT = Rule.wrong(
    "SLX345", "excluded-port", "InvalidConnection", "Ports of a subsystem exclude each other."
)

_DECIDING = frozenset({"If", "SwitchCase"})
_CALLING = "Function-Call Generator"
# Ports that a diagram with an action port must not have.
_BESIDE = ("EnablePort", "TriggerPort", "ResetPort")


def check_calls(view: ModelView) -> Iterator[Diagnostic]:
    """Finds actions and function calls at data ports, and data signals at their ports."""
    for diagram in view.checked_diagrams():
        for net in diagram.nets:
            source = net.source
            if source is None or net.physical or net.start is None or net.start["kind"] != "out":
                continue
            for arrival in net.arrivals:
                if arrival.item is not None and arrival.end is not None:
                    yield from _check_arrival(source, arrival)
        yield from _check_exclusive_ports(diagram)


def _check_arrival(source: BlockView, arrival: Arrival) -> Iterator[Diagnostic]:
    item, end = arrival.item, arrival.end
    if item is None or end is None:
        return
    kind = end["kind"]
    if source.type in _DECIDING:
        wrong = kind in ("enable", "trigger", "reset") or (kind == "in" and item.type in COMPUTING)
        what, where = "an action", "an action port"
    elif _is_caller(source):
        wrong = kind in ("enable", "reset") or (kind == "in" and item.type in COMPUTING)
        what, where = "a call", "a function-call port"
    elif kind == "trigger" and source.type in COMPUTING and _is_called(item):
        wrong, what, where = True, "a plain signal", "an edge-triggered port"
    else:
        return
    if wrong:
        yield new_diagnostic(
            MISMATCHED_EDGE,
            arrival.at,
            f'{what} of "{source.name}" arrives at the {SPOKEN[kind]} of "{item.name}"',
            help=f"connect it to {where}",
            node=item.name,
            token=kind,
            related=[Related(source.at, "the signal begins here"), Related(item.at, "the block")],
        )


def _is_caller(source: BlockView) -> bool:
    return source.type == "FunctionCallGenerator" or (tool_of(source.block) or "").endswith(
        f"/{_CALLING}"
    )


def _is_called(item: BlockView) -> bool:
    """Returns whether the inside of a block runs when it is called."""
    inner = item.inner
    ports = inner.of("TriggerPort") if inner is not None and inner.judged else []
    return len(ports) == 1 and ports[0].value("TriggerType") == "function-call"


def _check_exclusive_ports(diagram: Diagram) -> Iterator[Diagnostic]:
    """Finds other control ports in a diagram with an action port, which alone runs it."""
    actions = (
        []
        if diagram.is_shelf
        else [block_view for block_view in diagram.of("ActionPort") if block_view.active]
    )
    for other in diagram.of(*_BESIDE) if actions else ():
        if other.active:
            owner = diagram.owner
            yield new_diagnostic(
                EXCLUDED_PORT,
                other.at,
                f'"{other.name}" is in the same diagram as the action port "{actions[0].name}"',
                help="remove one of them, or add a subsystem inside the action subsystem",
                node=other.name,
                related=[
                    Related(actions[0].at, "the action port"),
                    *([Related(owner.at, "the subsystem")] if owner is not None else []),
                ],
            )
