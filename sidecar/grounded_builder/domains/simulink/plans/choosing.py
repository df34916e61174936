"""Which parameter of a block a drafted name means, and which option a drafted value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rapidfuzz.distance import OSA

from grounded_builder.domains.simulink.naming.index import fold
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.registry.words import parts, stem

_SHORTEST_NEAR = 5

# What people write for the parameters of blocks, by the ends of Simulink's own names.
_SPOKEN: Mapping[str, tuple[str, ...]] = {
    "cutoff": (
        "CutoffFreq",
        "CutoffFrequency",
        "PassbandFrequency",
        "PassbandEdgeFrequency",
        "Wlo",
        "Fc",
    ),
    "cutofffrequency": (
        "CutoffFreq",
        "CutoffFrequency",
        "PassbandFrequency",
        "PassbandEdgeFrequency",
        "Wlo",
        "Fc",
    ),
    "order": ("FilterOrder", "Order", "N"),
    "value": ("Value", "constant", "const", "Gain", "Bias"),
    "gain": ("Gain", "gain", "gainval", "P"),
    "factor": ("Gain",),
    "k": ("Gain", "Stiffness", "spr_rate"),
    "m": ("mass", "Mass"),
    "c": ("Damping",),
    "b": ("Damping", "Friction"),
    "j": ("inertia", "Inertia"),
    "tau": ("TimeConstant",),
    "zeta": ("DampingRatio",),
    "wn": ("NaturalFrequency",),
    "multiplier": ("Gain",),
    "kp": ("P",),
    "ki": ("I",),
    "kd": ("D",),
    "proportional": ("P",),
    "integral": ("I",),
    "derivative": ("D",),
    "filtercoefficient": ("N",),
    "steptime": ("Time",),
    "starttime": ("start", "Time"),
    "initialvalue": ("Before", "InitialCondition", "InitialOutput", "X0", "vinit"),
    "finalvalue": ("After",),
    "initial": ("InitialCondition", "Before", "X0", "vinit"),
    "initialcondition": ("InitialCondition", "X0", "vinit", "InitialStates"),
    "ic": ("InitialCondition",),
    "offset": ("Bias", "Offset"),
    "num": ("Numerator",),
    "den": ("Denominator",),
    "numeratorcoefficients": ("Numerator",),
    "denominatorcoefficients": ("Denominator",),
    "delay": ("DelayTime", "DelayLength", "NumDelays", "MaximumDelay"),
    "length": ("DelayLength", "NumDelays"),
    "samples": ("DelayLength", "Samples"),
    "upper": ("UpperLimit", "UpperSaturationLimit", "uplimit"),
    "lower": ("LowerLimit", "LowerSaturationLimit", "lowlimit"),
    "upperlimit": ("UpperLimit", "UpperSaturationLimit", "uplimit"),
    "lowerlimit": ("LowerLimit", "LowerSaturationLimit", "lowlimit"),
    "max": ("UpperLimit", "UpperSaturationLimit", "ymax"),
    "min": ("LowerLimit", "LowerSaturationLimit", "ymin"),
    "ts": ("SampleTime", "Ts", "tsamp", "samptime"),
    "sampletime": ("SampleTime", "Ts", "tsamp", "samptime"),
    "sampleperiod": ("SampleTime", "tsamp"),
    "file": ("FileName", "Filename"),
    "filename": ("FileName", "Filename"),
    "path": ("FileName", "Filename"),
    "variable": ("VariableName",),
    "variablename": ("VariableName",),
    "tag": ("GotoTag",),
    "operation": ("Operator", "logicop", "Function", "relop"),
    "function": ("Operator", "Function", "Expr", "FunctionName"),
    "op": ("Operator", "logicop"),
    "signs": ("Inputs",),
    "inputs": ("Inputs", "NumInputPorts", "NumInputs"),
    "numberofinputs": ("Inputs", "NumInputPorts", "NumInputs"),
    "ports": ("NumInputPorts", "Inputs"),
    "outputs": ("Outputs", "OutputSignals"),
    "numberofoutputs": ("Outputs",),
    "datatype": ("OutDataTypeStr",),
    "outputdatatype": ("OutDataTypeStr",),
    "width": ("PulseWidth",),
    "dutycycle": ("PulseWidth",),
    "breakpoints": ("BreakpointsForDimension1",),
    "table": ("Table",),
    "frequencyhz": ("Frequency",),
    "slope": ("slope", "Slope"),
    "resistance": ("R",),
    "capacitance": ("C", "c"),
    "inductance": ("L", "l"),
    "voltage": ("v0", "V0", "Vnom"),
    "inertia": ("inertia", "J"),
    "damping": ("D", "damp"),
    "stiffness": ("spr_rate", "k"),
    "springrate": ("spr_rate", "Stiffness"),
    "springconstant": ("spr_rate", "Stiffness"),
    "springstiffness": ("spr_rate", "Stiffness"),
    "mass": ("mass",),
    "threshold": ("Threshold", "const"),
    "constant": ("const", "Value"),
    "amplitude": ("Amplitude", "amp", "After"),
    "height": ("Amplitude", "After"),
}
_BRACKETED = re.compile(r"\s*\(.*\)$")


def parameter_for(key: str, spec: BlockSpec, taken: Iterable[str]) -> tuple[str | None, str]:
    """The parameter that a drafted name means and how it was found; None when none is clear."""
    free = {name for name in spec.parameters if name not in set(taken)}
    if spec.has(key):
        return key, "exact"
    wanted = fold(_BRACKETED.sub("", key))
    same = [name for name in free if fold(name) == wanted]
    usual = [name for name in same if not spec.parameters[name].seen]
    if len(usual) == 1:
        return usual[0], "case"
    for name in _SPOKEN.get(wanted, ()):
        if name in free and not spec.parameters[name].seen:
            return name, "spoken"
    if len(same) == 1:
        return same[0], "case"
    for name in _SPOKEN.get(wanted, ()):
        if name in free:
            return name, "spoken"
    return _likely(wanted, key, spec, free), "near"


def spoken_names(names: Iterable[str]) -> dict[str, list[str]]:
    """What people call each of a block's parameters, by the parameter that is meant first."""
    known = set(names)
    found: dict[str, list[str]] = {}
    for spoken, meant in _SPOKEN.items():
        first = next((name for name in meant if name in known), None)
        if first is not None and fold(first) != spoken:
            found.setdefault(first, []).append(spoken)
    return found


def _likely(wanted: str, key: str, spec: BlockSpec, free: set[str]) -> str | None:
    """The one parameter that has all words of a name, or is a letter off it."""
    words = {stem(word) for word in parts(key)}
    holding = [name for name in spec.parameters if name in free and words <= _stems(name)]
    if words and len(holding) == 1:
        return holding[0]
    if len(holding) > 1:
        shortest = sorted(holding, key=lambda name: len(_stems(name)))
        if len(_stems(shortest[0])) < len(_stems(shortest[1])):
            return shortest[0]
        return None
    if len(wanted) < _SHORTEST_NEAR:
        return None
    close = [name for name in free if OSA.distance(wanted, fold(name), score_cutoff=1) <= 1]
    return close[0] if len(close) == 1 else None


def near_parameters(key: str, spec: BlockSpec) -> list[str]:
    """The parameters most like a name, for a list of alternatives."""
    wanted = fold(key)
    ranked = sorted(spec.parameters, key=lambda name: (OSA.distance(wanted, fold(name)), name))
    return ranked[:5]


def option_for(value: str, options: tuple[str, ...]) -> str | None:
    """The option that a drafted value means; None when none is clear."""
    if value in options:
        return value
    wanted = fold(value)
    same = [one for one in options if fold(one) == wanted]
    if wanted and len(same) == 1:
        return same[0]
    if same:
        return None
    switch = {"true": "on", "yes": "on", "1": "on", "enabled": "on", "false": "off", "no": "off"}
    switch |= {"0": "off", "disabled": "off"}
    if set(options) == {"on", "off"}:
        return switch.get(value.strip().casefold())
    words = {stem(word) for word in parts(value)}
    holding = [one for one in options if words and words <= _stems(one)]
    if len(holding) == 1:
        return holding[0]
    if len(wanted) >= _SHORTEST_NEAR:
        close = [one for one in options if OSA.distance(wanted, fold(one), score_cutoff=2) <= 2]
        return close[0] if len(close) == 1 else None
    return None


def _stems(name: str) -> set[str]:
    return {stem(word) for word in parts(name)}
