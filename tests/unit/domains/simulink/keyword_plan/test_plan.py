"""Requests become plans of blocks, and unread parts are listed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.conversation import Outcome
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import no_reference_catalogs
from runtime import paths
from tests.support.simulink import simulink_registry


@pytest.fixture(scope="module")
def registry() -> Registry:
    return simulink_registry()


def plan_request(request: str, registry: Registry) -> Outcome:
    return plan_without_model(request, SIMULINK, registry, CompileOptions(), no_reference_catalogs)


def steps(outcome: Outcome) -> list[tuple[str, dict[str, Any], list[Any]]]:
    """The blocks of a plan by their names, with parameters and the names of what enters them."""
    assert outcome.plan is not None
    names = {step["id"]: step["tool"].rsplit("/", 1)[1] for step in outcome.plan["steps"]}
    return [
        (
            names[step["id"]],
            step["params"],
            [names[s if isinstance(s, str) else s["from"]] for s in step.get("inputs", ())],
        )
        for step in outcome.plan["steps"]
    ]


READABLE = {
    "a sine wave with amplitude 2 and frequency 10 Hz into a gain of 5, shown on a scope": [
        ("Sine Wave", {"Amplitude": "2", "Frequency": "2*pi*10"}, []),
        ("Gain", {"Gain": "5"}, ["Sine Wave"]),
        ("Scope", {}, ["Gain"]),
    ],
    "Step -> Saturation between -1 and 1 -> Display": [
        ("Step", {}, []),
        ("Saturation", {"LowerLimit": "-1", "UpperLimit": "1"}, ["Step"]),
        ("Display", {}, ["Saturation"]),
    ],
    "a step and a constant of 2 into a sum, then to a scope": [
        ("Step", {}, []),
        ("Constant", {"Value": "2"}, []),
        ("Sum", {}, ["Step", "Constant"]),
        ("Scope", {}, ["Sum"]),
    ],
    "integrate a ramp, saturate it between 0 and 5, and plot the result on a scope": [
        ("Ramp", {}, []),
        ("Integrator", {}, ["Ramp"]),
        ("Saturation", {"LowerLimit": "0", "UpperLimit": "5"}, ["Integrator"]),
        ("Scope", {}, ["Saturation"]),
    ],
    "a constant of 3 goes through a gain of 2, then display it": [
        ("Constant", {"Value": "3"}, []),
        ("Gain", {"Gain": "2"}, ["Constant"]),
        ("Display", {}, ["Gain"]),
    ],
    "closed loop with a PI controller with P = 2 and I = 0.5, the plant 1/(s^2+3s), a step of 3 as "
    "reference and a scope on the output": [
        ("Step", {"After": "3"}, []),
        ("Sum", {"Inputs": "|+-"}, ["Step", "Transfer Fcn"]),
        ("PID Controller", {"Controller": "PI", "P": "2", "I": "0.5"}, ["Sum"]),
        ("Transfer Fcn", {"Numerator": "[1]", "Denominator": "[1 3 0]"}, ["PID Controller"]),
        ("Scope", {}, ["Transfer Fcn"]),
    ],
}
NETWORK = (
    "an RC low-pass with R = 1 kOhm and C = 100 nF driven by a 5 V DC source, "
    "capacitor voltage on a scope"
)


@pytest.mark.parametrize("request_", READABLE)
def test_plan_draws_stated_blocks_and_numbers(request_: str, registry: Registry) -> None:
    """Blocks are in the stated order, and numbers in the parameters that a name or unit states."""
    outcome = plan_request(request_, registry)
    assert outcome.outcome == "built", outcome.summary
    assert steps(outcome) == READABLE[request_]


def test_a_network_is_drawn_with_what_it_needs(registry: Registry) -> None:
    """An RC network has its reference, its solver, and a converter to the scope."""
    outcome = plan_request(NETWORK, registry)
    assert outcome.outcome == "built", outcome.summary
    drawn = {name: params for name, params, _ in steps(outcome)}
    assert drawn["Resistor"] == {"R": "1e3"}
    assert drawn["Capacitor"] == {"c": "100e-9"}
    assert drawn["DC Voltage Source"] == {"v0": "5"}
    assert {"Electrical Reference", "Solver Configuration", "Voltage Sensor"} < drawn.keys()


@pytest.mark.parametrize("request_", [*READABLE, NETWORK])
@pytest.mark.parametrize("word", ["frobnicated", "not", "7", "or", "except"])
def test_no_word_is_passed_over(request_: str, word: str, registry: Registry) -> None:
    """A word that nothing stands for, wherever it is, keeps a request from being built."""
    words = request_.split()
    for at in range(0, len(words) + 1, 3):
        changed = " ".join([*words[:at], word, *words[at:]])
        outcome = plan_request(changed, registry)
        if outcome.outcome == "built":
            # A number may have become the value of a block that has one.
            assert word == "7", changed
            assert "7" in str(outcome.plan), changed


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("a sine wave into a scope without a gain", "without a gain"),
        ("do not use a scope. a sine wave into a display", "do not use a scope"),
        ("a sine wave to a scope via a gain", "what enters Gain is not stated"),
        ("a sine wave and a gain of 2 and a scope", "how Sine Wave and Gain are joined"),
        ("a gain of 20 dB behind a step", '"dB behind"'),
        ("an integrator with bounds 0 and 10", '"bounds 0", "10"'),
        ("two gains of 2 and 3 behind a step", '"two gains"'),
        ("a step is delayed by 1 s and shown on a scope", '"delayed"'),
        ("add a scope to a sine wave", "add"),
        ("a sine wave minus a constant of 1 to a scope", '"minus"'),
        ("closed loop of PID controller and transfer function with positive feedback",
         '"positive feedback"'),
        ("a step into a first order transfer function 1/(4s+1), then to a scope", '"first order"'),
        ("PI controller for the plant 1/(s+1), a step as reference, a scope on the output",
         "in a closed loop is supposed"),
        ("open loop: PI controller for the plant 1/(s+1), no feedback",
         '"open loop'),
        ("a step and a ramp, subtract the first from the second",
         "subtract the first from the second"),
        ("- a step\n- a scope", "where the signal of Step leads is not stated"),
        ("a step into a lookup table with breakpoints 0 1 2 and values 0 1 4", "breakpoints 0 1 2"),
        ("a ramp minus a sine wave on a scope", '"minus"'),
        ("a step into a slider", '"slider"'),
        ("a step into (s^2+1)/(s+3), then a scope", "(s^2+1)/(s+3)"),
        ("a step into 1+1/(s+3), then a scope", '"1+1"'),
        ("a sine wave, display the histogram", '"display the histogram"'),
        ("delay a ramp of slope 2 by 1.5 seconds", "1.5 seconds"),
        ("delay a step by 3", "delay a step by 3"),
        ("a step of +/-5 into a scope", '"5"'),
        ("shift a ramp by 3 s, then a scope", "3 s"),
        ("a step into a gain into a scope, no display", "no display"),
        ("closed loop with PI controller, plant 1/(s+1) and a step disturbance at the output",
         "disturbance"),
        ("a PI controller and a heater with P = 3 into a scope", "P = 3"),
        ("a gain into a scope, the motor amplitude is 4, limited to +/-3",
         "the motor amplitude is 4"),
        ("a ramp of slope 2, from then on a constant of 3", '"then"'),
        ("a step at 3 into a scope", '"3"'),
        ("a step of 2 s into a scope", '"2 s"'),
        ("a ramp of 2 s into a scope", '"2 s"'),
        ("Unless the tank is full a step of 2, then a sine wave into a scope",
         "the planner does not read conditions"),
    ],
)  # fmt: skip
def test_plan_lists_unread_parts(request_: str, named: str, registry: Registry) -> None:
    """Negations, verbs of arithmetic, counts and unknown units are open points."""
    outcome = plan_request(request_, registry)
    assert outcome.outcome != "built"
    assert named in " | ".join((outcome.summary, *outcome.todo))


def test_a_name_with_the_refers_to_the_block_before(registry: Registry) -> None:
    """``the gain`` is the gain before; a block of another article is a new one."""
    outcome = plan_request("a sine wave into a gain of 2. the gain goes into a scope", registry)
    assert [name for name, _, _ in steps(outcome)] == ["Sine Wave", "Gain", "Scope"]
    assert outcome.outcome == "built"


def test_a_run_is_a_setting_of_the_model(registry: Registry) -> None:
    """A time for which to simulate stops the model."""
    outcome = plan_request("Ramp -> Derivative -> Scope; simulate for 5 s", registry)
    assert outcome.outcome == "built"
    assert outcome.plan is not None
    assert outcome.plan["model"] == {"settings": {"StopTime": "5"}}


@pytest.mark.parametrize("request_", ["Use a Clock. Use a Scope.", "A Ramp. An Abs. A Display."])
def test_a_line_that_is_not_stated_is_not_drawn(request_: str, registry: Registry) -> None:
    """Blocks that the plan leaves apart stay apart in what is compiled."""
    outcome = plan_request(request_, registry)
    assert outcome.outcome == "incomplete"
    assert all(step["inputs"] == [] for step in (outcome.plan or {})["steps"])
    assert outcome.compilation is not None
    artifact: Any = outcome.compilation.artifact
    assert artifact["model"]["system"]["lines"] == []


def test_a_sentence_is_drawn_whole_or_not_at_all(registry: Registry) -> None:
    """An unread word leaves the blocks of its sentence undrawn, and names the word."""
    request = "a step into a {} transfer function 1/(4s+1), then a scope. A ramp into a display"
    outcome = plan_request(request.format("cubic"), registry)
    assert [(name, entering) for name, _, entering in steps(outcome)] == [
        ("Ramp", []), ("Display", ["Ramp"]),
    ]  # fmt: skip
    assert any('these words were not read: "cubic"' in text for text in outcome.todo)


def test_a_pattern_needs_the_whole_request(registry: Registry) -> None:
    """A part that is not read may change the loop, so its blocks are not joined to one."""
    request = "Closed loop: PI controller, plant 1/(s+1), step reference, {}a scope on the output"
    assert plan_request(request.format(""), registry).outcome == "built"
    changed = plan_request(request.format("clipped actuator, "), registry)
    assert "Sum" not in [name for name, _, _ in steps(changed)]


def test_a_refusal_has_its_reason(registry: Registry) -> None:
    """A request without a known block reports this; a denied block is named as denied."""
    outcome = plan_request("a thermal lens in front of a laser", registry)
    assert outcome.outcome == "refused"
    assert "no block of Simulink's own library was recognized" in outcome.summary
    denied = plan_request("a step into a gain of 2, no scope", registry)
    assert any("draws nothing for what a request denies" in t for t in denied.todo)


def test_a_number_of_another_thing_is_no_value_of_the_block_before(registry: Registry) -> None:
    """Between a block and the name of its value nothing stands that was not read."""
    request = (
        "an integrator into a scope. a PI controller of the tank, the valve with P = 3, I = 4, "
        "its stroke limited to +/-2"
    )
    drawn = {name: params for name, params, _ in steps(plan_request(request, registry))}
    assert drawn.get("PID Controller", {}).keys() <= {"Controller"}


@pytest.mark.parametrize(
    ("request_", "lines"),
    [
        ("a scope fed by a gain of 7 driven by a step", [("Gain", "Scope"), ("Step", "Gain")]),
        ("a step and a ramp into a sum, the sum into a scope",
         [("Step", "Sum"), ("Ramp", "Sum"), ("Sum", "Scope")]),
        ("a gain of 7 fed by a step, then a scope", [("Step", "Gain")]),
    ],
)  # fmt: skip
def test_lines_follow_the_words(
    request_: str, lines: list[tuple[str, str]], registry: Registry
) -> None:
    """``fed by`` leads backwards; what follows it leads on from no block for certain."""
    drawn = [(before, name) for name, _, entering in steps(plan_request(request_, registry))
             for before in entering]  # fmt: skip
    assert sorted(drawn) == sorted(lines)


def test_a_parameter_right_behind_a_block_is_its_own(registry: Registry) -> None:
    """``sine wave amplitude 4`` is a block and its value."""
    outcome = plan_request("sine wave amplitude 4 into a scope", registry)
    assert steps(outcome)[0][:2] == ("Sine Wave", {"Amplitude": "4"})
    assert outcome.outcome == "built"


@pytest.mark.parametrize(
    ("request_", "chain"),
    [
        ("A sine wave into a gain of 3. Show the result on a scope", "Sine Wave, Gain, Scope"),
        ("A ramp. Feed it into an integrator block. Plot the output on a scope",
         "Ramp, Integrator, Scope"),
        ("A constant of 5, a gain of 2 and a display in series", "Constant, Gain, Display"),
        ("a clock logged with a to workspace block", "Clock, To Workspace"),
    ],
)  # fmt: skip
def test_a_sentence_goes_on_with_the_signal_before(
    request_: str, chain: str, registry: Registry
) -> None:
    """A reference to the result, or "in series", joins blocks in the order of the words."""
    outcome = plan_request(request_, registry)
    names = chain.split(", ")
    before = [[], *([name] for name in names)]
    assert [(name, entering) for name, _, entering in steps(outcome)] == [
        *zip(names, before, strict=False)
    ]
    assert outcome.outcome == "built"


@pytest.mark.parametrize(
    "request_",
    [
        "A ramp. Feed the product into a scope",
        "a step into a saturation between 5 and -5, then a scope",
        "Sine wave and step into a gain in series with a scope",
    ],
)
def test_impossible_request_is_not_built(request_: str, registry: Registry) -> None:
    """Results that no block makes, limits in the wrong order and false lists are not built."""
    assert plan_request(request_, registry).outcome != "built"


@pytest.mark.parametrize("lead", ["between 0 and 10", "from 0 to 10"])
def test_limits_of_an_integrator_apply(lead: str, registry: Registry) -> None:
    """The limits have an effect only where they are switched on."""
    outcome = plan_request(f"a step into an integrator {lead}, then a scope", registry)
    assert steps(outcome)[1][1] == {
        "LowerSaturationLimit": "0", "UpperSaturationLimit": "10", "LimitOutput": "on",
    }  # fmt: skip


@pytest.mark.parametrize("page", ["README.md", "docs/simulink.md", "docs/simulink-build.md"])
def test_the_requests_of_the_documentation_are_built(page: str, registry: Registry) -> None:
    """The documented requests are built without a model."""
    text = (paths.ROOT / page).read_text("utf-8")
    requests = re.findall(r'grounded generate --domain simulink "(.+?)"', text)
    requests += re.findall(r"grounded\.build\('(.+?)'", text)
    assert requests
    for request in requests:
        assert plan_request(request, registry).outcome == "built", request
