"""Lists the first set of kinds of fault, fixed before the checks were measured."""

from __future__ import annotations

from evals.simulink_faults import names, physical, signals, structure, wiring
from evals.simulink_faults.fault import Kind

KINDS: tuple[Kind, ...] = (
    Kind("misspelt-type", names.misspelt_type),
    Kind("misspelt-path", names.misspelt_path),
    Kind("same-name", names.same_name),
    Kind("operator-outside", names.operator_outside),
    Kind("broken-value", names.broken_value),
    Kind("undefined-variable", names.undefined_variable, "open"),
    Kind("other-gain", names.other_gain, "open"),
    Kind("input-twice", wiring.input_twice),
    Kind("input-beyond", wiring.input_beyond),
    Kind("output-beyond", wiring.output_beyond),
    Kind("line-to-nothing", wiring.line_to_nothing),
    Kind("line-into-output", wiring.line_into_output),
    Kind("unconnected-input", wiring.unconnected_input, "reported"),
    Kind("algebraic-loop", wiring.algebraic_loop, "reported"),
    Kind("absent-bus-signal", wiring.absent_bus_signal),
    Kind("lengths-differ", signals.lengths_differ),
    Kind("types-differ", signals.types_differ),
    Kind("rate-in-triggered", signals.rate_in_triggered),
    Kind("from-without-goto", signals.from_without_goto, "reported"),
    Kind("goto-twice", signals.goto_twice),
    Kind("port-number-twice", structure.port_number_twice),
    Kind("inport-taken-out", structure.inport_taken_out),
    Kind("outport-taken-out", structure.outport_taken_out),
    Kind("enable-twice", structure.enable_twice),
    Kind("enable-taken-out", structure.enable_taken_out),
    Kind("signal-to-action", structure.signal_to_action),
    Kind("signal-to-physical", physical.signal_to_physical),
    Kind("domains-joined", physical.domains_joined),
    Kind("no-solver", physical.no_solver),
    Kind("no-reference", physical.no_reference, "reported"),
)
