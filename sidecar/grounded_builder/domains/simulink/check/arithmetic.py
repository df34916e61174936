"""Reports strings at arithmetic blocks, and floating-point numbers at bitwise blocks."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.analysis.propagation import Signals
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from grounded_builder.domains.simulink.read.document import tool_of

REFUSED_TYPE = Rule.wrong(
    "SLX340", "refused-type", "TypeMismatch", "A block cannot take a signal of this type."
)

# Blocks whose output is a string whatever their parameters are.
_TEXTS = frozenset(
    "ASCIIToString ComposeString StringConcatenate StringConstant Substring ToString".split()
)
# Blocks that compute with numbers only.
_NUMERIC = frozenset(
    """
    Abs Bias DeadZone Derivative DiscreteFilter DiscreteIntegrator DiscreteTransferFcn DotProduct
    Fcn Gain Integrator Logic Math MinMax Product Quantizer RateLimiter Relay Rounding Saturate
    Signum Sqrt StateSpace Sum TransferFcn TransportDelay Trigonometry UnaryMinus ZeroPole
    """.split()
)
_BITS = "simulink/Logic and Bit Operations/Bitwise Operator"
_FLOATING = frozenset({"double", "single", "half"})


def check_arithmetic(flow: Flow, signals: Signals) -> Iterator[Diagnostic]:
    """Finds strings at arithmetic blocks and floating-point numbers at bitwise blocks."""
    for item, sources in signals.sources.items():
        for index, source in enumerate(sources, 1) if item.type in _NUMERIC else ():
            if source is not None and source[0].type in _TEXTS:
                yield _report_type(
                    item, index, source[0], "a text", "numbers", "a String to Double"
                )
    for diagram in flow.view.checked_diagrams():
        for item in diagram.items:
            if item.active and tool_of(item.block) == _BITS:
                yield from _check_bits(item, flow, signals)


def _check_bits(item: BlockView, flow: Flow, signals: Signals) -> Iterator[Diagnostic]:
    for index in range(1, (count_ports(item) or {}).get("in", 0) + 1):
        source = flow.find_carrier(item, index)
        kind = signals.of(source).type if source is not None else None
        if source is not None and kind in _FLOATING:
            wanted = "integers and logical values"
            yield _report_type(item, index, source[0], kind, wanted, "a Data Type Conversion")


def _report_type(
    item: BlockView, index: int, source: BlockView, kind: str, wanted: str, converter: str
) -> Diagnostic:
    return new_diagnostic(
        REFUSED_TYPE,
        item.at,
        f'input {index} of "{item.name}" is {kind}, and the block takes only {wanted}',
        help=f"add {converter} before it",
        node=item.name,
        token=kind,
        related=[Related(source.at, "made here")],
    )
