"""A model converts to a plan and back unchanged, with a list of omitted parts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.simulink.analysis.to_plan import as_plan
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.document import ends, systems
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model, system

LOOP = Path(__file__).parents[5] / "examples" / "simulink" / "pi-loop.mdl"


def _resolve_document(document: dict[str, Any]) -> ResolvedGraph:
    graph = read(document).graph
    assert graph is not None
    return resolve_graph(graph, SIMULINK, simulink_registry())[0]


def _shape(document: Any) -> tuple[Counter[str], Counter[tuple[str, ...]]]:
    """BlockTypes, and how the blocks inside of each diagram are joined."""
    kinds: Counter[str] = Counter()
    joined: Counter[tuple[str, ...]] = Counter()
    for _, _, inner in systems(document):
        by_sid = {item["sid"]: item["type"] for item in inner["blocks"]}
        kinds.update(by_sid.values())
        for line in inner["lines"]:
            for _, end in ends(line, ()):
                if end is not None and "from" in line:
                    pair = (by_sid[line["from"]["block"]], by_sid[end["block"]])
                    joined[(*pair, str(end["index"]))] += 1
    return kinds, joined


def test_a_model_survives_the_way_through_a_draft() -> None:
    """Compiled as any draft, the PI loop has the same blocks, hierarchy, lines and parameters."""
    document, _ = open_model(LOOP.read_bytes(), "pi-loop")
    assert document is not None
    plan, _ = as_plan(_resolve_document(document))
    compilation = compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())
    assert compilation.verdict == "ok", [d.message for d in compilation.diagnostics]
    assert compilation.artifact is not None
    made = compilation.artifact["model"]
    assert _shape(made) == _shape(document)
    gains = sorted(
        item["parameters"]["Gain"]
        for _, _, inner in systems(made)
        for item in inner["blocks"]
        if item["type"] == "Gain"
    )
    assert gains == ["0.8", "2.5"]


def test_plan_lists_omitted_parts() -> None:
    """Charts, corners of lines, callbacks and mask code are counted."""
    chart = block("c", "SubSystem", system([])) | {"opaque": "chart"}
    masked = block("g", "Gain") | {
        "properties": {"OpenFcn": "open(1)", "ShowName": "off"},
        "mask": {"type": "x", "parameters": {"k": "1"}, "initialization": "k = 2;"},
    }
    document = model([chart, masked], "g -> g")
    document["system"]["lines"][0]["points"] = [[5, 0]]
    document["settings"] = {"InitFcn": "x = 1", "StopTime": "3", "CustomSymbolStrFcn": "$R$N"}
    plan, lost = as_plan(_resolve_document(document))
    assert lost == [
        "2 callbacks",
        "1 code of masks",
        "1 corners of lines",
        "1 insides of charts and functions",
    ]
    text = json.dumps(plan)
    assert "open(1)" not in text
    assert "x = 1" not in text
    assert plan["model"]["settings"] == {"StopTime": "3", "CustomSymbolStrFcn": "$R$N"}
    assert plan["steps"][1]["properties"] == {"ShowName": "off"}


def test_a_value_in_a_part_of_its_own_is_in_no_plan() -> None:
    """A value in a binary part of the file is counted, and its reference is not written."""
    entries = block("p", "Playback", NumPorts="bdmxdata:NumPorts_4", st="-1")
    plan, lost = as_plan(_resolve_document(model([entries])))
    assert lost == ["1 values in separate parts of the file"]
    assert plan["steps"][0]["params"] == {"st": "-1"}


def test_every_step_has_an_id_of_its_own() -> None:
    """Blocks of one name, and of names that numbering makes, go by different ids."""
    names = ["gain", "Gain", "gain 2", "gain_2", "2", "", "\n", "g" * 3]
    blocks = [block(name, "Gain") | {"sid": str(at)} for at, name in enumerate(names)]
    plan, _ = as_plan(_resolve_document(model(blocks)))
    ids = [step["id"] for step in plan["steps"]]
    assert len(set(ids)) == len(names)
    assert [step["action"] for step in plan["steps"]] == names
