"""Tell the ends of a sketch that stayed open: inputs and outputs without a line."""

from __future__ import annotations

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder, Step, takes


def tell_open_ends(drawing: SketchBuilder, lexicon: Lexicon) -> None:
    """Note each input that nothing was found for, and each signal that nothing takes."""
    noted = {step for step, _ in drawing.notes}
    led = {
        one if isinstance(one, str) else one["from"]
        for step in drawing.steps
        for one in step["inputs"]
    }
    signals = [one for one in drawing.steps if not lexicon.is_element(one["tool"])]
    ends = [
        signal
        for signal in signals
        if signal["id"] not in led and not lexicon.is_sink(signal["tool"])
    ]
    sunk = any(lexicon.is_sink(signal["tool"]) for signal in signals)
    for step in signals:
        name = _name(step)
        held = next((signal for signal in signals if signal["id"] in step["inputs"]), None)
        if step["tool"].endswith("/Stop Simulation") and held and not _decides(held, lexicon):
            text = f"when it is to stop is not told: it stops once {_name(held)} is not zero"
            drawing.note(step["id"], text)
        lacking = _wanted(step, lexicon) - len(step["inputs"])
        if lacking > 0 and step["id"] not in noted:
            which = "its inputs stay" if lacking > 1 else "an input of it stays"
            drawing.note(step["id"], f"what enters {name} is not told: {which} open")
        elif step in ends and (sunk or len(ends) > 1) and not _holds(step, drawing):
            drawing.note(step["id"], f"where the signal of {name} leads is not told")


def _decides(step: Step, lexicon: Lexicon) -> bool:
    """Whether the signal of a step is true or false."""
    folder = step["tool"].rsplit("/", 1)[0]
    spec = lexicon.spec(step["tool"])
    logical = spec.block_type in ("Logic", "RelationalOperator", "HitCross")
    return logical or folder == "simulink/Logic and Bit Operations"


def _wanted(step: Step, lexicon: Lexicon) -> int:
    """How many signals a step needs; one that takes any number needs one."""
    one = Mention(step["tool"], lexicon.spec(step["tool"]), 0, 0, params=step["params"])
    if lexicon.is_source(step["tool"]) or step["tool"].startswith("simulink/Ports"):
        return 0
    if lexicon.is_sink(step["tool"]):
        return 1
    return takes(one)


def _holds(step: Step, drawing: SketchBuilder) -> bool:
    """Whether a step is a subsystem, or a port that one has."""
    inside = any(one.get("in") == step["id"] for one in drawing.steps)
    return inside or step["tool"].endswith(("/Enable", "/Trigger"))


def _name(step: Step) -> str:
    tool = str(step["tool"]).rsplit("/", 1)[1]
    return f'{tool} "{step["action"]}"' if step.get("action") else tool
