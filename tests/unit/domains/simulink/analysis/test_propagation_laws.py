"""Laws of signal propagation: only proven properties, in any order, in bounded time."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounded_builder.domains.simulink.analysis.model_view import build_view
from grounded_builder.domains.simulink.analysis.propagation import Signal, propagate_signals
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from tests.support.simulink_models import block, check_model, model, resolve_model, signals_of

_KINDS: tuple[tuple[str, int, dict[str, list[str]]], ...] = (
    ("Constant", 0, {"Value": ["1", "[1 2]", "[1 2 3]", "ones(2,3)", "true", "v"]}),
    ("Sin", 0, {"Amplitude": ["1", "[1 2]"], "SampleTime": ["0", "0.1", "0.3", "Ts"]}),
    ("Gain", 1, {"Gain": ["2", "[1 2]", "ones(2,3)", "K"], "Multiplication": ["Matrix(K*u)"]}),
    ("Gain", 1, {"Gain": ["2", "[1 2 3]", "K"]}),
    ("UnitDelay", 1, {"InitialCondition": ["0", "[0 0]", "x0"], "SampleTime": ["-1", "0.1"]}),
    ("Integrator", 1, {"InitialCondition": ["0", "[0 0 0]", "x0"]}),
    ("Sum", 2, {"Inputs": ["++"], "InputSameDT": ["on", "off"]}),
    ("Product", 2, {"Inputs": ["2"], "Multiplication": ["Element-wise(.*)", "Matrix(*)"]}),
    ("Mux", 2, {"Inputs": ["2", "[1 2]"]}),
    ("Demux", 1, {"Outputs": ["2", "[1 2]", "n"]}),
    ("Switch", 3, {}),
    ("RelationalOperator", 2, {"InputSameDT": ["on"], "OutDataTypeStr": ["boolean", "int8"]}),
    ("Reshape", 1, {"OutputDimensionality": ["1-D array", "Column vector (2-D)"]}),
    ("DataTypeConversion", 1, {"OutDataTypeStr": ["double", "int16", "T"]}),
    ("StateSpace", 1, {"A": ["-1"], "B": ["1", "[1 2]", "B"], "C": ["1"], "D": ["0"]}),
    ("Selector", 1, {"IndexOptions": ["Index vector (dialog)"], "Indices": ["[1 2]", "3", "n"]}),
)
_DECIDES = ("Value", "Amplitude", "Gain", "InitialCondition", "B", "Indices", "SampleTime")


@st.composite
def _models(draw: st.DrawFn) -> dict[str, Any]:
    """Models of a few blocks, each input fed by any of them, circles included."""
    chosen = draw(st.lists(st.sampled_from(_KINDS), min_size=2, max_size=9))
    blocks, lines = [block("first", "Constant", Value="[1 2]")], []
    names = ["first", *(f"b{n}" for n in range(len(chosen)))]
    for name, (kind, inputs, options) in zip(names[1:], chosen, strict=True):
        picked: dict[str, Any] = {
            key: draw(st.sampled_from(values)) for key, values in options.items()
        }
        blocks.append(block(name, kind, **picked))
        lines += [
            f"{draw(st.sampled_from(names))} -> {name}:{port}" for port in range(1, inputs + 1)
        ]
    return model(blocks, *lines)


def _faults_of(document: Mapping[str, Any]) -> set[tuple[str, str | None]]:
    """What is wrong, by code and block."""
    return {
        (diagnostic.code, diagnostic.node)
        for diagnostic in check_model(document)
        if diagnostic.rule.kind == "wrong"
    }


@settings(max_examples=150, deadline=None)
@given(_models(), st.randoms(use_true_random=False))
def test_hidden_values_prove_nothing_new(document: dict[str, Any], chance: random.Random) -> None:
    """With hidden values no signal changes and no finding is new."""
    hidden = {
        **document,
        "system": {
            **document["system"],
            "blocks": [
                {
                    **item,
                    "parameters": {
                        name: "unknown_" if name in _DECIDES and chance.random() < 0.4 else text
                        for name, text in item.get("parameters", {}).items()
                    },
                }
                for item in document["system"]["blocks"]
            ],
        },
    }
    before, after = signals_of(document), signals_of(hidden)
    for output, signal in after.items():
        whole = before.get(output, Signal())
        for part in ("shape", "type", "rate"):
            assert getattr(signal, part) in (None, getattr(whole, part)), (output, part)
    assert _faults_of(hidden) <= _faults_of(document)


@settings(max_examples=100, deadline=None)
@given(_models(), st.randoms(use_true_random=False))
def test_the_order_of_blocks_and_lines_makes_no_difference(
    document: dict[str, Any], chance: random.Random
) -> None:
    """A model written in another order has the same signals and the same findings."""
    blocks, lines = list(document["system"]["blocks"]), list(document["system"]["lines"])
    chance.shuffle(blocks)
    chance.shuffle(lines)
    other = {**document, "system": {"blocks": blocks, "lines": lines}}
    assert signals_of(other) == signals_of(document)
    assert _faults_of(other) == _faults_of(document)


@settings(max_examples=100, deadline=None)
@given(_models())
def test_element_by_element_nothing_follows_from_what_is_unknown(document: dict[str, Any]) -> None:
    """The dimensions behind a sum, a comparison or a delay are known only with all that arrive."""
    known = signals_of(document)
    arriving: dict[str, list[tuple[str, int]]] = {}
    for line in document["system"]["lines"]:
        start = (line["from"]["block"], line["from"]["index"])
        arriving.setdefault(line["to"]["block"], []).append(start)
    for item in document["system"]["blocks"]:
        name = item["name"]
        if item["type"] not in ("Sum", "RelationalOperator", "UnitDelay", "DataTypeConversion"):
            continue
        if known.get((name, 1), Signal()).shape is not None:
            for source in arriving[name]:
                assert known.get(source, Signal()).shape is not None


@pytest.mark.parametrize("hostile", ["inf", "-inf", "nan", "1e300", "[]", "-1", "0", "[inf 2]"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Demux", "Outputs"),
        ("Mux", "Inputs"),
        ("Selector", "Indices"),
        ("Selector", "InputPortWidth"),
        ("Reshape", "OutputDimensions"),
        ("Gain", "Gain"),
        ("Delay", "DelayLength"),
        ("UnitDelay", "SampleTime"),
        ("UnitDelay", "InitialCondition"),
        ("Concatenate", "ConcatenateDimension"),
        ("StateSpace", "A"),
        ("TransferFcn", "Denominator"),
        ("Lookup_n-D", "NumberOfTableDimensions"),
        ("SignalSpecification", "Dimensions"),
    ],
)
def test_senseless_numbers_are_no_trouble(kind: str, name: str, hostile: str) -> None:
    """Values that no block has are checked or left open, and never end the check."""
    given_: dict[str, Any] = {
        "IndexOptions": "Index vector (dialog)",
        "Indices": "1",
        "OutputDimensionality": "Customize",
        "Mode": "Multidimensional array",
        name: hostile,
    }
    document = model(
        [block("c", "Constant", Value="ones(2,2)"), block("b", kind, **given_)], "c -> b:1"
    )
    for signal in signals_of(document).values():
        assert signal.shape is None or math.prod(signal.shape) >= 1
    check_model(document | {"settings": {"Solver": "FixedStepDiscrete", "FixedStep": hostile}})


@pytest.mark.long
def test_a_wide_circle_takes_time_in_proportion() -> None:
    """Twenty thousand blocks in one circle are carried in a few seconds, and linearly."""

    def seconds(count: int) -> float:
        names = [f"b{n}" for n in range(count)]
        kinds = ("Gain", "UnitDelay", "Abs", "Saturate")
        # Against the order in which they feed each other: the worst one.
        blocks = [block(name, kinds[n % 4]) for n, name in enumerate(reversed(names))]
        ring = [f"{a} -> {b}" for a, b in zip(names, [*names[1:], names[0]], strict=True)]
        flow = Flow(build_view(resolve_model(model(blocks, *ring))))
        begun = process_time()
        propagate_signals(flow)
        return process_time() - begun

    seconds(100)
    small = min(seconds(5_000) for _ in range(2))
    # A busy machine may slow one run, and hardly three in a row.
    assert any(seconds(20_000) < 10 * small + 0.5 for _ in range(3))
