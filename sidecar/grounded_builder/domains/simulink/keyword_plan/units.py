"""Determines the parameter of a number by its unit or position, and converts units."""

from __future__ import annotations

from collections.abc import Container

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.resolve.name_index import fold

# The parameters that take a quantity, the most likely first.
_TAKING = {
    "frequency": ("Frequency", "frequency", "cutoff", "NaturalFrequency", "f1"),
    "angular frequency": ("Frequency", "NaturalFrequency", "omega", "frequency", "cutoff"),
    "time": tuple("DelayTime Period Time TimeConstant SampleTime tsamp Ts start T".split()),
    "angle": ("Phase", "shift"),
    "percent": ("PulseWidth",),
    "samples": ("DelayLength", "Samples", "NumDelays"),
    "inputs": ("Inputs", "NumInputPorts"),
    "voltage": ("v0", "amp", "Vnom", "V"),
    "current": ("i0", "amp"),
    "resistance": ("R", "Resistance"),
    "capacitance": ("c", "Capacitance"),
    "inductance": ("l", "Inductance"),
    "mass": ("mass", "Mass"),
    "stiffness": ("spr_rate", "Stiffness"),
    "damping": ("D", "Damping"),
    "inertia": ("inertia", "Inertia"),
}
# Parameters in radians per second; other frequencies are in hertz.
_RADIANS = {("Sin", "Frequency"), ("", "NaturalFrequency"), ("", "omega")}
# The parameter of a bare number, where its name differs from that of the block.
_FIRST = {"Step": "After", "Constant": "Value"}
# Names that engineers use for parameters, by phrase; the first that a block has counts.
WORDS = {
    words: names
    for spoken, names in (
        (("sampling period, sample period, sampling time, sampling interval, sample interval, "
         "sampling step, sampled every, update interval, sampling frequency, sampling rate, "
         "sample rate, sample frequency"), ("SampleTime", "tsamp", "Ts")),
        ("torque constant, motor constant, back emf constant, emf constant", ("MotorConstant",)),
        ("armature resistance, winding resistance", ("Resistance",)),
        ("armature inductance, winding inductance", ("Inductance",)),
        ("moment of inertia, rotor inertia", ("Inertia", "inertia")),
        ("viscous friction, viscous damping, friction coefficient", ("Friction", "Damping", "D")),
        (("cutoff frequency, cut-off frequency, corner frequency, cut off frequency, "
         "break frequency"), ("cutoff",)),
        ("centre frequency, center frequency, notch frequency", ("frequency",)),
        ("dead time, time delay, dead-time, delay time", ("DelayTime",)),
        ("spring constant, spring rate, spring stiffness", ("Stiffness", "spr_rate")),
        ("damping coefficient, damping constant", ("Damping", "D")),
        ("proportional gain", ("P",)),
        ("integral gain", ("I",)),
        ("derivative gain, differential gain", ("D",)),
        ("initial value, initial condition, initial state",
         ("InitialCondition", "X0", "x0", "InitialOutput", "Before")),
        ("final value, step height, height, step size", ("After",)),
        ("step time", ("Time",)),
        ("duty cycle, duty ratio, duty", ("PulseWidth",)),
        ("phase delay", ("PhaseDelay",)),
        ("deadband, dead band, width", ("BacklashWidth", "PulseWidth")),
        ("breakpoints, break points, breakpoint vector", ("BreakpointsForDimension1",)),
        ("table data, table values, table, values", ("Table",)),
        ("taps, coefficients, weights", ("Coefficients",)),
    )
    for words in spoken.split(", ")
}  # fmt: skip
# Parameters that bound something from below and from above.
LOW_HIGH = (
    ("LowerLimit", "UpperLimit"),
    ("LowerValue", "UpperValue"),
    ("lowlimit", "uplimit"),
    ("LowerSaturationLimit", "UpperSaturationLimit"),
    ("Minimum", "Maximum"),
    ("Before", "After"),
    ("FallingSlewLimit", "RisingSlewLimit"),
    ("f1", "f2"),
    ("BreakpointsForDimension1", "Table"),
)
# Parameters for the sample time, which may be given as a frequency.
_RATES = ("Period", "SampleTime", "tsamp", "Ts")
_SAMPLED = frozenset({"SampleTime", "tsamp", "Ts"})
SAMPLERS = frozenset({"ZeroOrderHold", "FirstOrderHold", "RateTransition"})
_UNTIMED = frozenset({"Step", "Constant"})


def find_by_unit(
    spec: BlockSpec, quantity: Quantity, taken: Container[str], *, sampled: bool = False
) -> str | None:
    """Returns the free parameter that takes a number by its unit; None where there is none.

    A block that does not sample takes a rate only where the text states that it is ``sampled``.
    """
    sampled = sampled or spec.block_type in SAMPLERS
    names = [name for name in _TAKING.get(quantity.measures, ()) if name not in taken]
    names = [name for name in names if sampled or name not in _SAMPLED]
    if spec.block_type == "Sin":
        # Its samples count only where it is not time-based.
        names = [name for name in names if name != "Samples"]
    value = next((name for name in names if name in spec.parameters), None)
    if value is None and quantity.measures == "frequency" and spec.block_type not in _UNTIMED:
        rates = (
            name
            for name in _RATES
            if (sampled or name not in _SAMPLED) and name in spec.parameters and name not in taken
        )
        value = next(rates, None)
    return value


def find_by_term(spec: BlockSpec, text: str) -> str | None:
    """Returns the parameter of a block that a technical term names."""
    names = WORDS.get(text.casefold(), ())
    return next((name for name in names if name in spec.parameters), None)


def main_parameter(spec: BlockSpec) -> str | None:
    """Returns the parameter of a bare number: the one with the name of the block."""
    first = _FIRST.get(spec.block_type)
    if first is not None:
        return first
    return next((name for name in spec.parameters if fold(name) == fold(spec.name)), None)


def convert(spec: BlockSpec, name: str, quantity: Quantity) -> str:
    """Returns a value in the unit of a parameter."""
    radians = (spec.block_type, name) in _RADIANS or ("", name) in _RADIANS
    if quantity.measures == "frequency":
        if name in _RATES:
            return f"1/{quantity.value}"
        return f"2*pi*{quantity.value}" if radians else quantity.value
    if quantity.measures == "angular frequency" and not radians:
        return f"{quantity.value}/(2*pi)"
    return quantity.value
