"""A model becomes a plan and, compiled, the same model; what a plan cannot hold is listed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from grounded_builder.bind import bind
from grounded_builder.domains.simulink.document import ends, systems
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.reading.as_plan import as_plan
from grounded_builder.domains.simulink.reading.graph import read
from grounded_builder.domains.simulink.reading.model import open_model
from grounded_builder.graph import Resolved
from grounded_builder.pipeline import judge
from grounded_builder.setting import Setting
from tests.support.simulink_models import block, builtin_registry, model, system

LOOP = Path(__file__).parents[4] / "examples" / "simulink" / "pi-loop.mdl"


def _resolved(document: dict[str, Any]) -> Resolved:
    graph = read(document).graph
    assert graph is not None
    return bind(graph, SIMULINK, builtin_registry())[0]


def _shape(document: Any) -> tuple[Counter[str], Counter[tuple[str, ...]]]:
    """BlockTypes, and how the blocks inside of each diagram are joined."""
    kinds: Counter[str] = Counter()
    joined: Counter[tuple[str, ...]] = Counter()
    for _, _, inner in systems(document):
        by_sid = {one["sid"]: one["type"] for one in inner["blocks"]}
        kinds.update(by_sid.values())
        for line in inner["lines"]:
            for _, end in ends(line, ()):
                if end is not None and "from" in line:
                    pair = (by_sid[line["from"]["block"]], by_sid[end["block"]])
                    joined[(*pair, str(end["index"]))] += 1
    return kinds, joined


def test_a_model_survives_the_way_through_a_plan() -> None:
    """Blocks, hierarchy, lines and parameters of the PI loop are the same after it."""
    document, _ = open_model(LOOP.read_bytes(), "pi-loop")
    assert document is not None
    plan, lost = as_plan(_resolved(document))
    compilation = judge(plan, SIMULINK, builtin_registry(), Setting())
    assert compilation.verdict == "ok", [d.message for d in compilation.diagnostics]
    assert compilation.artifact is not None
    made = compilation.artifact["model"]
    assert _shape(made) == _shape(document)
    gains = sorted(
        one["parameters"]["Gain"]
        for _, _, inner in systems(made)
        for one in inner["blocks"]
        if one["type"] == "Gain"
    )
    assert gains == ["0.8", "2.5"]
    assert any("positions" in line for line in lost)


def test_what_a_plan_cannot_hold_is_listed() -> None:
    """Charts, notes, names of signals and masks are counted."""
    chart = block("c", "SubSystem", system([])) | {"opaque": "chart"}
    named = block("g", "Gain") | {
        "signals": {"1": "speed"},
        "mask": {"type": "x", "parameters": {}},
    }
    document = model([chart, named])
    document["system"]["annotations"] = [{"text": "a note"}]
    _, lost = as_plan(_resolved(document))
    assert {line.split(" ", 1)[1] for line in lost} >= {
        "insides of charts, functions and referenced models",
        "names of signals",
        "masks",
        "notes",
    }
