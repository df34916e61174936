"""Lists the checks of the Simulink domain, and runs those of the whole model in their order."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.analysis.model_view import build_view
from grounded_builder.domains.simulink.analysis.propagation import propagate_signals
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from grounded_builder.domains.simulink.analysis.tags import check_tags
from grounded_builder.domains.simulink.check.algebraic_loops import check_loops
from grounded_builder.domains.simulink.check.arithmetic import check_arithmetic
from grounded_builder.domains.simulink.check.block_values import check_parts
from grounded_builder.domains.simulink.check.buses import check_buses
from grounded_builder.domains.simulink.check.data_stores import check_stores
from grounded_builder.domains.simulink.check.function_calls import check_calls
from grounded_builder.domains.simulink.check.library_links import check_links
from grounded_builder.domains.simulink.check.model_settings import check_settings
from grounded_builder.domains.simulink.check.names import check_names
from grounded_builder.domains.simulink.check.networks import check_networks
from grounded_builder.domains.simulink.check.port_numbers import check_counts
from grounded_builder.domains.simulink.check.releases import check_releases
from grounded_builder.domains.simulink.check.replaceable import check_replaceable
from grounded_builder.domains.simulink.check.sample_times import check_steps
from grounded_builder.domains.simulink.check.signal_compatibility import check_refusals
from grounded_builder.domains.simulink.check.signal_shapes import check_shapes
from grounded_builder.domains.simulink.check.triggered_rates import check_rates
from grounded_builder.domains.simulink.check.wiring import check_wiring
from grounded_builder.ir.domain import Check
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Checks a model as a whole; unknown blocks do not lead to further findings."""
    del registry, options
    model = build_view(resolved)
    flow = Flow(model)
    yield from check_names(model)
    yield from check_links(model)
    yield from check_wiring(model)
    yield from check_calls(model)
    yield from check_tags(model)
    yield from check_stores(model)
    yield from check_buses(flow)
    yield from check_networks(model)
    yield from check_loops(flow)
    signals = propagate_signals(flow)
    yield from check_shapes(signals)
    yield from check_rates(model)
    yield from check_parts(model)
    yield from check_counts(model)
    yield from check_refusals(signals)
    yield from check_arithmetic(flow, signals)
    yield from check_steps(model, signals)
    yield from check_settings(model)
    yield from check_replaceable(flow)


CHECKS: tuple[Check, ...] = (check, check_releases)
