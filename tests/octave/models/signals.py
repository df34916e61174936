"""Models of signals: sources, filters, sampling, tables, sinks."""

from __future__ import annotations

from tests.octave.models.drafts import plan_requests, sentences, steps

SIGNALS_REQUESTS = sentences(
    """
    a sine wave of 50 Hz and amplitude 3 plus white noise, shown on a scope

    low-pass filter with cutoff 100 Hz applied to a 10 Hz sine, input and output on one scope

    sample a 2 Hz sine with a zero-order hold at sample time 0.1 s and quantize it with interval
    0.25, display on a scope

    three sine waves with frequencies 1, 2 and 3 Hz combined by a mux into a scope

    multiply a 1 Hz sine by a ramp with slope 0.5 and save the result to the workspace as y

    moving average over 5 samples of a random number with sample time 0.1 s on a scope

    square wave of 5 Hz with amplitude 2 through a high-pass filter with cutoff 1 Hz to a scope
    """
)
SIGNALS = [
    steps(
        "parts of a vector",
        ("c", "Constant", {"Value": "[1 2 3]"}),
        ("d", "Demux", {"Outputs": "3"}, ["c"]),
        ("a", "Display", {}, [{"from": "d", "output": 1}]),
        ("b", "Terminator", {}, [{"from": "d", "output": 2}]),
        ("e", "Terminator", {}, [{"from": "d", "output": 3}]),
    ),
    steps(
        "table",
        ("r", "Ramp"),
        ("t", "1-D Lookup Table", {"Table": "[0 1 4 9]", "BreakpointsForDimension1": "[0 1 2 3]"}),
        ("v", "Scope"),
    ),
    steps(
        "bus",
        ("a", "Constant", {"Value": "1"}),
        ("b", "Constant", {"Value": "2"}, []),
        ("bus", "Bus Creator", {"Inputs": "2"}, ["a", "b"]),
        ("v", "Terminator", {}, ["bus"]),
    ),
    *plan_requests(SIGNALS_REQUESTS),
]
