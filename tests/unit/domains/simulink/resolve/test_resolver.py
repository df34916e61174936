"""Names of blocks resolve exactly or lead to a question, never to a merely similar block."""

from __future__ import annotations

import pytest

from evals.bench.simulink_intended_names import NAMES, grade_name, read_entries
from evals.bench.simulink_names import read_spoken_names
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.resolve import resolve
from grounded_builder.ir.resolution import NameContext
from grounded_builder.ir.target import Target
from grounded_builder.resolve.query import answer_query
from tests.support.simulink import simulink_registry

MEANT = {
    "sin wave": "simulink/Sources/Sine Wave",
    "sinusoid source": "simulink/Sources/Sine Wave",
    "oscillator": "simulink/Sources/Sine Wave",
    "multiply block": "simulink/Math Operations/Gain",
    "gain block": "simulink/Math Operations/Gain",
    "Graph Plot": "simulink/Sinks/Scope",
    "ScopeX": "simulink/Sinks/Scope",
    "Scope3": "simulink/Sinks/Scope",
    "scopes": "simulink/Sinks/Scope",
    "Intergrator": "simulink/Continuous/Integrator",
    "Product": "simulink/Math Operations/Product",
    "Pi": "simulink/Quick Insert/Sources/Pi",
    "pi": "simulink/Quick Insert/Sources/Pi",
    "PI controller": "simulink/Continuous/PID Controller",
    "Sqrt": "simulink/Math Operations/Sqrt",
    "Math Function": "simulink/Math Operations/Math Function",
    "Integrator, Second-Order": "simulink/Continuous/Integrator, Second-Order",
    "Integrator": "simulink/Continuous/Integrator",
    "Reciprocal": "simulink/Quick Insert/Math Operations/Reciprocal",
    "simulink/Sources/FromWorkspace": "simulink/Sources/From Workspace",
    "simulink/Math\nOperations/Gain": "simulink/Math Operations/Gain",
    "simulink/Math Operations/Mux": "simulink/Signal Routing/Mux",
    "built-in/Transfer Fcn": "simulink/Continuous/Transfer Fcn",
    "built-in/TransferFcn": "simulink/Continuous/Transfer Fcn",
    "simulink/Stateflow/Chart": "sflib/Chart",
    "Simscape/Foundation Library/Electrical/Electrical Elements/Resistor": (
        "fl_lib/Electrical/Electrical Elements/Resistor"
    ),
    "simulink/Lookup Tables/Lookup Table (n-D)": "simulink/Lookup Tables/n-D Lookup Table",
    "Trigonometry": "simulink/Math Operations/Trigonometric Function",
}
ASKED = {
    "Sine": "simulink/Sources/Sine Wave",
    "Sin": "simulink/Sources/Sine Wave",
    "Multiply": "simulink/Math Operations/Product",
    "Resistor": "fl_lib/Electrical/Electrical Elements/Resistor",
    "PI": "simulink/Continuous/PID Controller",
    "HighPassFilter": "pattern/High-Pass Filter",
    "simulink/Sources/Signal From Workspace": "simulink/Sources/From Workspace",
}
NEVER = ["Servo Motor", "Servo Controller", "ServomotorBlock", "Universal Servo Block", "Bit Get"]


@pytest.mark.parametrize(("name", "path"), MEANT.items())
def test_a_name_of_one_block_is_that_block(name: str, path: str) -> None:
    """Paths, names, types, old and colloquial names stand for the one block that is meant."""
    assert resolve(name, simulink_registry()).tool == path


@pytest.mark.parametrize(("name", "path"), ASKED.items())
def test_a_name_of_several_is_a_question(name: str, path: str) -> None:
    """A name that several blocks may have offers all of them."""
    answer = resolve(name, simulink_registry())
    assert answer.status == "ambiguous"
    assert path in [candidate.tool for candidate in answer.candidates]


@pytest.mark.parametrize("name", NEVER)
def test_invented_block_is_unknown(name: str) -> None:
    """An invented block is unknown, whatever it resembles."""
    assert resolve(name, simulink_registry()).tool is None


def test_a_pattern_is_offered_first_for_what_has_no_block() -> None:
    """A servo is no block: the pattern that makes one is offered."""
    answer = resolve("Servo Motor", simulink_registry())
    assert answer.candidates[0].tool == "pattern/Servo Position Loop"


def test_a_preset_brings_its_parameters() -> None:
    """A name for a block with an operator presets the operator."""
    answer = resolve("Log10", simulink_registry())
    assert answer.params == {"Operator": "log10"}


def test_constraints_leave_candidates_out() -> None:
    """Libraries, products and blocked blocks decide what may be meant."""
    registry = simulink_registry()
    electrical = NameContext(allowed_packages=frozenset({"ee_lib"}))
    assert resolve("Resistor", registry, electrical).tool == "ee_lib/Passive/Resistor"
    denied = NameContext(denied=("simulink/Sinks/*",))
    assert resolve("Scope", registry, denied).tool != "simulink/Sinks/Scope"


@pytest.mark.parametrize(
    ("name", "tool", "parameter"),
    [
        ("cutoff", "dsparch4/Analog Filter Design", "Wlo"),
        ("kp", "simulink/Continuous/PID Controller", "P"),
        ("numerator", "simulink/Continuous/Transfer Fcn", "Numerator"),
        ("step time", "simulink/Sources/Step", "Time"),
        ("upper limit", "simulink/Discontinuities/Saturation", "UpperLimit"),
        ("frequency", "simulink/Sources/Sine Wave", "Frequency"),
    ],
)
def test_parameters_resolve_by_what_people_call_them(name: str, tool: str, parameter: str) -> None:
    """A spoken name is the parameter of that block."""
    context = {"kind": "parameter", "tool": tool}
    resolution = answer_query(name, context, simulink_registry(), resolving=SIMULINK.resolving)
    assert resolution.params == {"parameter": parameter}


def test_a_release_leaves_out_what_came_later() -> None:
    """A block that is known to be newer than the release at hand is not meant."""
    registry = simulink_registry()
    old = resolve("CSV Reader", registry, NameContext(target=Target.of({"release": "R2014a"})))
    assert old.tool is None
    new = resolve("CSV Reader", registry, NameContext(target=Target.of({"release": "R2021b"})))
    assert new.tool == "simulink/Sources/From Spreadsheet"


def test_products_decide_between_twins() -> None:
    """A product that is not there has no blocks."""
    context = {"products": ["Simulink", "Simscape"]}
    answered = answer_query("Resistor", context, simulink_registry(), resolving=SIMULINK.resolving)
    assert answered.tool == "fl_lib/Electrical/Electrical Elements/Resistor"


def test_the_company_of_a_step_decides_between_twins() -> None:
    """Beside blocks of the foundation library its own resistor is chosen."""
    around = NameContext(neighbours=("fl_lib/Electrical/Electrical Elements/Capacitor",))
    answer = resolve("Resistor", simulink_registry(), around)
    assert answer.tool == "fl_lib/Electrical/Electrical Elements/Resistor"


def test_request_for_internals_gets_no_composite_block() -> None:
    """A request to build a controller gets no ready-made one."""
    wanted = NameContext(goal="show the internals of a PID controller with primitive blocks")
    assert resolve("PID", simulink_registry(), wanted).tool is None
    assert resolve("PID", simulink_registry(), NameContext()).tool is not None


def test_names_from_models_are_never_resolved_wrongly() -> None:
    """No name as models write it resolves to another block, and most resolve correctly."""
    registry = simulink_registry()
    answers = [
        (text, path, resolve(text, registry)) for _, text, path in read_spoken_names("right")
    ]
    wrong = [
        (text, answer.tool)
        for text, path, answer in answers
        if answer.tool not in (None, path)
        and path not in registry.tools[str(answer.tool)].equivalent_to
    ]
    assert wrong == []
    assert sum(answer.tool is not None for _, _, answer in answers) > 0.85 * len(answers)
    for _, text, _ in read_spoken_names(""):
        assert resolve(text, registry).tool is None, text


def test_a_number_that_makes_another_function_is_no_copys() -> None:
    """Log2 is not the second Log: MATLAB has a function of that name."""
    registry = simulink_registry()
    assert resolve("Log2", registry).tool is None
    assert resolve("Atan2", registry).tool == "simulink/Quick Insert/Math Operations/Atan2"
    assert resolve("Abs2", registry).tool == "simulink/Math Operations/Abs"
    assert resolve("Tank (IL)1", registry).tool == resolve("Tank (IL)", registry).tool


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Simulink > Sources > Sine Wave", "simulink/Sources/Sine Wave"),
        ("simulink\\Continuous\\Derivative", "simulink/Continuous/Derivative"),
        ("simulink::Math Operations::Abs", "simulink/Math Operations/Abs"),
        ("simulink.Sources.Clock", "simulink/Sources/Clock"),
        ("simulink//Sources//Step", "simulink/Sources/Step"),
        ("/simulink/Sources/Step/", "simulink/Sources/Step"),
        ("dsp/Sources/Sine Wave", "dspsrcs4/Sine Wave"),
        (
            "foundation.electrical.elements.resistor",
            "fl_lib/Electrical/Electrical Elements/Resistor",
        ),
    ],
)
def test_paths_may_be_written_with_other_marks(text: str, path: str) -> None:
    """Other marks between the parts of a path, and the beginning of a library's name, are read."""
    assert resolve(text, simulink_registry()).tool == path


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("fl_lib/Thermal/Thermal Elements/Mass", "fl_lib/Thermal/Thermal Elements/Thermal Mass"),
        ("LPF", "pattern/Low-Pass Filter"),
        ("DiscretePulseGenerator", "simulink/Sources/Pulse Generator"),
        ("Add, Subtract", "simulink/Math Operations/Subtract"),
        ("Counter", "simulink/Sources/Counter Limited"),
    ],
)
def test_name_with_two_meanings_is_ambiguous(text: str, among: str) -> None:
    """A block of another domain, a BlockType that is also a title, and a list are ambiguous."""
    answer = resolve(text, simulink_registry())
    assert answer.tool is None
    assert among in [candidate.tool for candidate in answer.candidates]


def test_a_longer_word_is_no_slip() -> None:
    """An ending makes another word, and a letter more does not."""
    assert resolve("Interruptor", simulink_registry()).tool is None
    assert resolve("Intergrator", simulink_registry()).tool == "simulink/Continuous/Integrator"


def test_collected_names_are_never_resolved_wrongly() -> None:
    """No name as people and models write it resolves to another block."""
    registry = simulink_registry()
    results = [
        (entry["text"], *grade_name(entry, registry)) for entry in read_entries(NAMES, "seen")
    ]
    assert [item for item in results if item[1] == "wrong"] == []
    assert sum(state == "missed" for _, state, _ in results) <= len(results) // 20


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("Voltage Source", "fl_lib/Electrical/Electrical Sources/DC Voltage Source"),
        ("Subsystem12", "simulink/Ports & Subsystems/Subsystem"),
        ("Variable Delay", "simulink/Continuous/Variable Transport Delay"),
    ],
)
def test_a_namesake_of_another_library_is_asked_about(text: str, among: str) -> None:
    """A name of several kinds of a block, or without its number, offers both."""
    answer = resolve(text, simulink_registry())
    assert answer.tool is None
    assert among in [candidate.tool for candidate in answer.candidates]
