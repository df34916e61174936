"""The checks of the Simulink domain on lines, names, signals and networks, in order."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domain import Check
from grounded_builder.domains.simulink.checks.arithmetic import check_arithmetic
from grounded_builder.domains.simulink.checks.buses import check_buses
from grounded_builder.domains.simulink.checks.calls import check_calls
from grounded_builder.domains.simulink.checks.counted import check_counts
from grounded_builder.domains.simulink.checks.flow import Flow
from grounded_builder.domains.simulink.checks.links import check_links
from grounded_builder.domains.simulink.checks.loops import check_loops
from grounded_builder.domains.simulink.checks.names import check_names
from grounded_builder.domains.simulink.checks.networks import check_networks
from grounded_builder.domains.simulink.checks.parts import check_parts
from grounded_builder.domains.simulink.checks.propagation import carry
from grounded_builder.domains.simulink.checks.rates import check_rates
from grounded_builder.domains.simulink.checks.refusals import check_refusals
from grounded_builder.domains.simulink.checks.releases import check_releases
from grounded_builder.domains.simulink.checks.replaceable import check_replaceable
from grounded_builder.domains.simulink.checks.settings import check_settings
from grounded_builder.domains.simulink.checks.shapes import check_shapes
from grounded_builder.domains.simulink.checks.steps import check_steps
from grounded_builder.domains.simulink.checks.stores import check_stores
from grounded_builder.domains.simulink.checks.tags import check_tags
from grounded_builder.domains.simulink.checks.view import view
from grounded_builder.domains.simulink.checks.wiring import check_wiring
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Check a model as a whole; blocks that are not known are left out of what follows."""
    del registry, setting
    model = view(resolved)
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
    signals = carry(flow)
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
