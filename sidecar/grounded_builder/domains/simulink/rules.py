"""Lists the rules of the Simulink domain, collected from the modules that define them."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule, rules_in
from grounded_builder.domains.simulink.analysis import tags
from grounded_builder.domains.simulink.check import (
    algebraic_loops,
    arithmetic,
    block_values,
    buses,
    data_stores,
    function_calls,
    library_links,
    model_settings,
    names,
    networks,
    parameter_values,
    releases,
    replaceable,
    sample_times,
    signal_compatibility,
    signal_shapes,
    triggered_rates,
    wiring,
)
from grounded_builder.domains.simulink.lower import patterns, undefined_ports
from grounded_builder.domains.simulink.matlab import build_report
from grounded_builder.domains.simulink.read import model, section, shape, systems

RULES: tuple[Rule, ...] = rules_in(
    algebraic_loops,
    arithmetic,
    block_values,
    build_report,
    buses,
    data_stores,
    function_calls,
    library_links,
    model,
    model_settings,
    names,
    networks,
    parameter_values,
    patterns,
    releases,
    replaceable,
    sample_times,
    section,
    shape,
    signal_compatibility,
    signal_shapes,
    systems,
    tags,
    triggered_rates,
    undefined_ports,
    wiring,
)
