"""Makes rules that find contradicting values of a block (order, lengths), and those of sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.values import number, value

# The description of the contradiction, and the parameter at which it is reported.
Clash = tuple[str, str]
ClashRule = Callable[[BlockView], Clash | None]


def make_order_rule(
    lower: str, upper: str, only: Callable[[BlockView], bool] = lambda _: True
) -> ClashRule:
    """Returns the rule that a lower value does not exceed an upper value."""

    def rule(item: BlockView) -> Clash | None:
        if not only(item):
            return None
        low, high = number(item, lower), number(item, upper)
        if low is not None and high is not None and low > high:
            return f"{lower} is {item.value(lower)}, {upper} is {item.value(upper)}", upper
        return None

    return rule


def make_length_rule(*names: str) -> ClashRule:
    """Returns the rule that values other than scalars have the same length."""

    def rule(item: BlockView) -> Clash | None:
        first: tuple[str, int] | None = None
        for name in names:
            known = value(item, name)
            count = known.rows * known.columns if known is not None else 1
            if count < 2:
                continue
            if first is not None and first[1] != count:
                return f"{first[0]} has {first[1]} elements, {name} {count}", name
            first = first or (name, count)
        return None

    return rule


def make_alternative_rule(*rules: ClashRule) -> ClashRule:
    """Returns the rule that reports the first contradiction that one of the rules finds."""
    return lambda item: next((clash for rule in rules if (clash := rule(item))), None)


def _pulse(item: BlockView) -> Clash | None:
    """Finds pulses that are not shorter than their period.

    Simulink rejects time-based pulses that never rise or fall (documentation of Pulse Generator).
    """
    width, period = number(item, "PulseWidth"), number(item, "Period")
    if width is None:
        return None
    if item.value("PulseType") == "Time based":
        never = "rises" if not width else "falls" if width >= 100 else ""
        return (f"a pulse of {width:g} % never {never}", "PulseWidth") if never else None
    if period is not None and width > period:
        return f"a pulse of {width:g} samples is longer than its period of {period:g}", "PulseWidth"
    return None


def _sine(item: BlockView) -> Clash | None:
    if item.value("SineType", "Time based") == "Time based":
        return _TIMED(item)
    return _SAMPLED(item)


_TIMED = make_length_rule("Amplitude", "Bias", "Frequency", "Phase")
_SAMPLED = make_length_rule("Amplitude", "Bias", "Samples", "Offset")
SOURCES: Mapping[str, ClashRule] = {
    "DiscretePulseGenerator": make_alternative_rule(
        _pulse, make_length_rule("Amplitude", "Period", "PulseWidth", "PhaseDelay")
    ),
    "RandomNumber": make_length_rule("Mean", "Variance"),
    "RateLimiter": make_order_rule("FallingSlewLimit", "RisingSlewLimit"),
    "SignalGenerator": make_length_rule("Amplitude", "Frequency"),
    "Sin": _sine,
    "Step": make_length_rule("Time", "Before", "After"),
    "UniformRandomNumber": make_alternative_rule(
        make_order_rule("Minimum", "Maximum"), make_length_rule("Minimum", "Maximum")
    ),
}
