"""A plan of a model, taken to the letter, is that model; nothing gets in that its file lacks."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.simulink.analysis.to_plan import as_plan
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.lower.exact_plan import is_of_model, model_of
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.domain import OpenedFile
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model, system
from tests.unit.domains.simulink.build.slx.compare_plan import unlike

REAL = Path(__file__).parents[6] / "shared" / "data" / "simulink" / "models_dev"


def _plan(document: dict[str, Any]) -> dict[str, Any]:
    """The plan of a model, as it comes out of a JSON file."""
    graph = read(document).graph
    assert graph is not None
    plan, _ = as_plan(resolve_graph(graph, SIMULINK, simulink_registry())[0])
    entries: dict[str, Any] = json.loads(json.dumps(plan))
    return entries


def _again(document: dict[str, Any]) -> dict[str, Any]:
    """The model after the way through its plan and a file."""
    made, diagnostics = model_of(_plan(document))
    assert made is not None, diagnostics
    again, _ = open_model(package_of(made).raw, document["name"])
    assert again is not None
    return again


def _rich() -> dict[str, Any]:
    """A model with a bit of all that plans hold."""
    inner = system(
        [
            block("u", "Inport"),
            block("v", "Inport", Port="2"),
            block("en", "EnablePort"),
            block("y", "Outport"),
            block("z", "Outport", Port="2"),
            block("w", "Outport", Port="3") | {"element": {"bus": "all", "path": "speed"}},
            block("s", "Sum", Inputs="+-"),
        ],
        "u -> s:1, y",
        "v -> s:2",
        "s -> z",
    )
    held = block("held", "SubSystem", inner, TreatAsAtomicUnit="on") | {
        "mask": {
            "type": "M",
            "parameters": {"k": "3", "note": "a | b", "how": "fast"},
            "kinds": {"note": "text", "how": "choice"},
            "options": {"how": ["fast", "slow"]},
        },
        "ports": {"in": 2, "out": 2, "enable": 1},
        "position": [10.0, 20.0, 60.0, 70.5],
    }
    blocks = [
        block("c", "Constant", Value="[1 2]"),
        held,
        block("theirs", "", source="a lib of theirs/Odd\nBlock", gain="myfun(3)")
        | {"type": "Reference"},
        block("odd", "NoSuchType", Some="thing"),
        block("none", "SubSystem", system([])),
        block("r", "Reference", source="fl_lib/Electrical/Electrical Elements/Resistor"),
        block("i", "Integrator") | {"signals": {"1": "way"}},
        block("a name\nof /two", "Gain") | {"properties": {"ShowName": "off", "Tag": "x;y"}},
    ]
    document = model(
        blocks,
        "c -> held:1, held:2, held.enable, theirs:4",
        "held:2 -> i",
        "i.state -> odd",
        "r.lconn1 -- r.rconn1",
    )
    document |= {
        "release": "R2013b",
        "settings": {"StopTime": "5", "Solver": "ode4"},
        "defaults": {"Gain": {"Gain": "7"}, "Constant": {"OutDataTypeStr": "double"}},
        "layout": "slx",
    }
    document["system"]["lines"][1]["name"] = "speed"
    document["system"]["lines"][0]["branches"].append({})
    document["system"]["lines"] += [
        {"to": {"block": "i", "kind": "in", "index": 2}},
        {"branches": [{"to": {"block": "i", "kind": "reset", "index": 1}}, {}]},
        {"from": {"block": "held", "kind": "out", "index": 1}},
        {"physical": True, "from": {"block": "r", "kind": "rconn", "index": 2}},
        {},
    ]
    document["system"]["annotations"] = [
        {"text": "a\nnote", "position": [1.0, 2.0], "interpreter": "tex"},
        {"text": "b"},
    ]
    document["system"]["properties"] = {"ZoomFactor": "100"}
    inner["annotations"] = [{"text": "inside"}]
    return document


def test_all_that_a_plan_holds_survives() -> None:
    """Links into unknown libraries, control ports, one signal at several ports, parts of buses,
    masks, notes, places, names of signals, loose ends, defaults and settings are the same.
    """
    document = _rich()
    assert unlike(document, _again(document)) == []


@pytest.mark.parametrize("kind", ["library", "subsystem"])
def test_a_library_stays_one(kind: str) -> None:
    """The plan of a file states its kind."""
    document = model([block("g", "Gain")], kind=kind)
    made, _ = model_of(_plan(document))
    assert made is not None
    assert made["kind"] == kind


def test_exact_plan_has_findings_of_file() -> None:
    """The model of a plan has the findings of the model that the plan was made of.

    What is not checked in a file, such as the inside of a chart, is not checked here.
    """
    document = _rich()
    inside = system([block("a", "Gain"), block("b", "Outport", Port="x")])
    document["system"]["blocks"].append(
        block("chart", "SubSystem", inside, SFBlockType="Chart") | {"opaque": "chart"}
    )
    made, _ = model_of(_plan(document))
    compilations = [
        compile_draft(OpenedFile(item, ()), SIMULINK, simulink_registry(), CompileOptions())
        for item in (document, made)
    ]
    results = [
        sorted((diagnostic.code, diagnostic.message) for diagnostic in each.diagnostics)
        for each in compilations
    ]
    assert results[0] == results[1]
    assert "GB206" in {code for code, _ in results[0]}
    assert compilations[1].artifact is None or "script" not in compilations[1].artifact


def test_a_draft_gains_nothing_by_the_mark() -> None:
    """Judged as any draft, the plan of a model is held to the catalog: unknown names are wrong."""
    plan = _plan(_rich())
    assert is_of_model(plan)
    compilation = compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())
    assert compilation.verdict == "wrong"
    assert compilation.artifact is None
    unknown = {
        diagnostic.token for diagnostic in compilation.diagnostics if diagnostic.code == "GB201"
    }
    assert unknown == {"a lib of theirs/Odd\nBlock", "NoSuchType"}


def _set(*keys: Any) -> Callable[[Any], None]:
    *way, last, value = keys

    def change(plan: Any) -> None:
        for key in way:
            plan = plan[key]
        plan[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_set("steps", 0, "properties", {"OpenFcn": "evil"}), "SLX301"),
        (_set("steps", 0, "params", "InitFcn", "evil"), "SLX301"),
        (_set("steps", 0, "params", "Value", "system('evil')"), "SLX301"),
        (_set("steps", 0, "params", "Value", "builtin('system', 'evil')"), "SLX301"),
        (_set("steps", 0, "params", "Value", "cellfun(@system, {'evil'})"), "SLX301"),
        (_set("steps", 0, "params", "Value", "1 + py.os.system('evil')"), "SLX301"),
        (_set("steps", 0, "params", "Value", "java.lang.Runtime.getRuntime"), "SLX301"),
        (_set("steps", 1, "mask", "parameters", "k", "run('evil')"), "SLX301"),
        (_set("steps", 1, "properties", {"MaskInitialization": "evil"}), "SLX301"),
        (_set("model", "settings", "PreLoadFcn", "evil"), "SLX301"),
        (_set("model", "settings", "PostCodeGenCommand", "evil"), "SLX301"),
        (_set("model", "defaults", "Gain", "Gain", "eval('evil')"), "SLX301"),
        (_set("model", "kind", "harness"), "GB111"),
        (_set("model", "settings", [1]), "GB111"),
        (_set("model", "diagram", "notes", [3]), "GB111"),
        (_set("steps", 0, "at", [1, "a"]), "GB111"),
        (_set("steps", 0, "params", "Value", 3), "GB111"),
        (_set("steps", 0, "in", "c"), "GB111"),
        (_set("steps", 0, "in", "nobody"), "GB111"),
        (_set("steps", 1, "in", "held"), "GB111"),
        (_set("steps", 2, "inputs", [{"from": "u", "output": 1, "input": 1}]), "GB111"),
        (_set("steps", 2, "inputs", [{"from": "c", "output": "nowhere", "input": 1}]), "GB111"),
        (_set("steps", 2, "id", "c"), "GB112"),
        (_set("model", "diagram", "loose", [3]), "GB111"),
        (_set("model", "diagram", "loose", [{"from": "u", "output": 1}]), "GB111"),
        (_set("model", "diagram", "loose", [{"to": [{"step": "u", "input": 1}]}]), "GB111"),
        (_set("model", "diagram", "loose", [{"to": ["c"]}]), "GB111"),
    ],
)
def test_malformed_exact_plan_is_reported(change: Callable[[Any], None], code: str) -> None:
    """Code, values that reach outside the model and malformed parts make no model."""
    plan = _plan(_rich())
    change(plan)
    made, diagnostics = model_of(plan)
    assert made is None
    assert code in {diagnostic.code for diagnostic in diagnostics}


@pytest.mark.long
def test_mutated_exact_plan_is_checked_or_reported() -> None:
    """Every mutated plan of a model makes a model that is checked, or is reported."""
    plan, rng = _plan(_rich()), random.Random(7)
    odd: list[Any] = [None, True, 3, -1, 1.5, "", "x", [], [1], {}, {"a": 1}, {"from": "c"}]
    for _ in range(400):
        changed = copy.deepcopy(plan)
        for _ in range(rng.randint(1, 3)):
            here: Any = changed
            for _ in range(rng.randint(1, 6)):
                keys = list(here) if isinstance(here, dict) else range(len(here))
                if not keys:
                    break
                key = rng.choice(list(keys))
                if rng.random() < 0.3 or not isinstance(here[key], dict | list):
                    here[key] = rng.choice(odd)
                    break
                here = here[key]
        if not is_of_model(changed):
            continue
        made, diagnostics = model_of(changed)
        assert (made is None) == bool(diagnostics)
        if made is not None:
            compile_draft(OpenedFile(made, ()), SIMULINK, simulink_registry(), CompileOptions())


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="the shared models are not on this machine")
def test_real_models_survive() -> None:
    """A sample of real models of every layout is the same after its plan and a file."""
    files = sorted(file for file in REAL.iterdir() if file.suffix in (".slx", ".mdl"))
    for file in random.Random(6).sample(files, 24):
        document, _ = open_model(file.read_bytes(), file.stem)
        assert document is not None, file.name
        assert unlike(document, _again(document)) == [], file.name
