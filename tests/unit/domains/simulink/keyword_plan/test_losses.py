"""What a request asks for and no block stands for is told, never dropped or mixed."""

from __future__ import annotations

import pytest

from tests.unit.domains.simulink.keyword_plan.test_plan import drawn, step_of


def tools_of(request: str) -> list[str]:
    """The names of the blocks that are drawn for a request."""
    proposal, _ = drawn(request)
    return [one["tool"].rsplit("/", 1)[1] for one in proposal.plan["steps"]]


@pytest.mark.parametrize(
    "said",
    ["saturation -10 to 10", "saturation (-10..10)", "saturation with limits -10...10"],
)
def test_a_range_behind_a_name_bounds_its_block(said: str) -> None:
    """Both ends of a range are limits, however the range is written."""
    proposal, made = drawn(f"a sine wave through a {said} to a scope")
    assert made.verdict == "ok"
    assert not proposal.unplaced
    params = step_of(proposal, "Saturation")["params"]
    assert params == {"LowerLimit": "-10", "UpperLimit": "10"}


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("a sine wave and a 7x9 thing on a scope", "9"),
        ("a sine wave on a scope, cut the air", "cut the air"),
        ("a sine wave on a scope with a log", "log"),
    ],
)
def test_numbers_and_short_words_are_told(request_: str, told: str) -> None:
    """A number that is read as nothing and a word of three letters are not passed over."""
    proposal, _ = drawn(request_)
    assert told in " ".join(proposal.unplaced)


@pytest.mark.parametrize(
    "request_",
    [
        "Convert a temperature from Celsius to Fahrenheit and log it",
        "a sine wave shown on a scope, and log it in variable y",
        "a sine wave is recorded",
    ],
)
def test_what_is_to_be_logged_is_led_to_the_workspace(request_: str) -> None:
    """A request to log a signal is a block that does it, beside a scope, too."""
    proposal, made = drawn(request_)
    assert made.verdict == "ok"
    assert not proposal.unplaced
    assert tools_of(request_).count("To Workspace") == 1


def test_what_keeps_a_signal_is_drawn_once() -> None:
    """A sink that is named is the one that logs; a logarithm logs nothing."""
    assert tools_of("log the sine wave to the workspace").count("To Workspace") == 1
    assert "To Workspace" not in tools_of("take the log of a ramp, show it on a scope")


@pytest.mark.parametrize("name", ["Van der Pol", "Duffing", "relaxation"])
def test_a_system_that_has_a_name_is_no_source(name: str) -> None:
    """An oscillator of its own kind is told, not drawn as a sine wave."""
    proposal, _ = drawn(f"{name} oscillator with mu = 2")
    assert proposal.plan["steps"] == []
    assert f"{name} oscillator" in proposal.unplaced
    assert tools_of("a 2 Hz oscillator on a scope") == ["Sine Wave", "Scope"]


@pytest.mark.parametrize(
    "request_",
    [
        "A cascade control: outer position loop P 5, inner velocity PI Kp 2, Ki 10",
        "A cascade control: outer position loop P 5, inner PI controller Kp 2, Ki 10, plant 1/s",
        "outer P controller with gain 5, inner PI controller with Kp 2 and Ki 10, plant 1/(s+1)",
    ],
)
def test_a_cascade_that_is_not_understood_is_not_mixed(request_: str) -> None:
    """Without two controllers and two plants no controller is drawn, and its numbers are told."""
    proposal, _ = drawn(request_)
    assert "PID Controller" not in tools_of(request_)
    told = " ".join(proposal.unplaced)
    assert all(word in told for word in ("outer", "inner", "5", "2", "10"))


def test_a_cascade_that_is_told_whole_is_drawn() -> None:
    """Two controllers and two plants are a loop within another, with nothing left over."""
    proposal, made = drawn(
        "cascade control with an outer P controller with gain 5 and an inner PI controller with "
        "Kp 2 and Ki 10, inner plant 1/(s+1) and outer plant 1/s, step reference, scope"
    )
    assert made.verdict == "ok"
    assert not proposal.unplaced
    assert (
        sum(
            one["action"] in ("Outer error", "Inner error")
            for one in proposal.plan["steps"]
            if one.get("action")
        )
        == 2
    )


def test_how_many_there_are_is_no_parameter() -> None:
    """A number right before a name in the plural counts blocks, and sets nothing of them."""
    proposal, _ = drawn("a step through 2 integrators to a scope")
    steps = proposal.plan["steps"]
    assert [step["params"] for step in steps if step["tool"].endswith("/Integrator")] == [{}, {}]


def test_what_a_block_has_is_not_done_again() -> None:
    """Limits that a block is told to have are not a second block."""
    assert tools_of("a sine through a saturation with limits 1 and 2").count("Saturation") == 1


def test_what_is_shown_and_kept_is_both() -> None:
    """A request to show a signal is no less one where it is logged or stops the run as well."""
    assert tools_of("show a sine wave and log it") == ["Sine Wave", "Scope", "To Workspace"]
    both = tools_of("count edges of a pulse, show it, and stop the simulation at 10")
    assert {"Scope", "Stop Simulation"} <= set(both)


@pytest.mark.parametrize("said", ["the simulation at 10", "the simulation when it reaches 10"])
def test_a_run_that_stops_at_a_count_compares_it(said: str) -> None:
    """The count is led to Stop Simulation by a comparison, and is no time."""
    proposal, made = drawn(f"Count rising edges of a pulse generator and stop {said}")
    assert made.verdict == "ok"
    compared = step_of(proposal, "Compare To Constant")
    assert compared["params"] == {"relop": ">=", "const": "10"}
    assert compared["inputs"] == [step_of(proposal, "Edge Counter")["id"]]
    assert step_of(proposal, "Stop Simulation")["inputs"] == [compared["id"]]
    assert "model" not in proposal.plan


def test_a_time_at_which_a_run_stops_is_no_block() -> None:
    """Nothing is led to Stop Simulation where only the time is told."""
    proposal, _ = drawn("a sine wave to a scope, stop the simulation at 10 s")
    assert tools_of("a sine wave to a scope, stop the simulation at 10 s") == ["Sine Wave", "Scope"]
    assert proposal.plan["model"] == {"settings": {"StopTime": "10"}}


def test_a_run_that_stops_at_once_is_told() -> None:
    """What is led into Stop Simulation without a comparison is said to stop it when not zero."""
    proposal, _ = drawn("a ramp into a Stop Simulation block")
    assert any("it stops once Ramp is not zero" in one for one in proposal.open)


def test_whatever_begins_is_a_beginning() -> None:
    """The first state begins with the initial value of whatever it is called."""
    proposal, _ = drawn("dN/dt = -0.1*N with initial population 50, show N on a scope")
    assert step_of(proposal, "Integrator")["params"] == {"InitialCondition": "50"}
    proposal, _ = drawn("dN/dt = -0.1*N with initial mass 50, show N on a scope")
    assert step_of(proposal, "Integrator")["params"] == {"InitialCondition": "50"}
