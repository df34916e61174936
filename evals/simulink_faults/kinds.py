"""Lists the first set of kinds of fault, fixed before the checks were measured."""

from __future__ import annotations

from evals.simulink_faults import names, physical, signals, structure, wiring
from evals.simulink_faults.fault import Kind

KINDS: tuple[Kind, ...] = (
    Kind("misspelt-type", names.misspell_type),
    Kind("misspelt-path", names.misspell_path),
    Kind("same-name", names.duplicate_name),
    Kind("operator-outside", names.set_unknown_operator),
    Kind("broken-value", names.break_value),
    Kind("undefined-variable", names.use_undefined_variable, "open"),
    Kind("other-gain", names.change_gain, "open"),
    Kind("input-twice", wiring.drive_input_twice),
    Kind("input-beyond", wiring.exceed_inputs),
    Kind("output-beyond", wiring.exceed_outputs),
    Kind("line-to-nothing", wiring.connect_to_nothing),
    Kind("line-into-output", wiring.connect_to_output),
    Kind("unconnected-input", wiring.leave_input_open, "reported"),
    Kind("algebraic-loop", wiring.close_algebraic_loop, "reported"),
    Kind("absent-bus-signal", wiring.select_missing_in_bus),
    Kind("lengths-differ", signals.add_different_lengths),
    Kind("types-differ", signals.add_different_types),
    Kind("rate-in-triggered", signals.set_rate_in_triggered),
    Kind("from-without-goto", signals.read_unwritten_tag, "reported"),
    Kind("goto-twice", signals.duplicate_goto),
    Kind("port-number-twice", structure.duplicate_port_number),
    Kind("inport-taken-out", structure.remove_inport),
    Kind("outport-taken-out", structure.remove_outport),
    Kind("enable-twice", structure.add_second_enable),
    Kind("enable-taken-out", structure.remove_enable),
    Kind("signal-to-action", structure.connect_signal_to_action),
    Kind("signal-to-physical", physical.connect_signal_to_physical),
    Kind("domains-joined", physical.join_domains),
    Kind("no-solver", physical.remove_solver),
    Kind("no-reference", physical.remove_reference, "reported"),
)
