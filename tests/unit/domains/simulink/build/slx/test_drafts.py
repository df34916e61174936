"""Drafts are written as ``.slx`` files with the same meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.build.script import UnsafeValueError
from grounded_builder.domains.simulink.build.slx.normalize import normalize_model
from grounded_builder.domains.simulink.build.slx.package import UNVERIFIED, package_of
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.document import ends, systems
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS, steps
from tests.support.program import run
from tests.support.simulink import simulink_registry
from tests.unit.domains.simulink.build.slx.compare_models import differences

PHYSICAL = next(plan for plan in MODELS if plan["goal"] == "a resistor on a source")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return simulink_registry()


def _spec(registry: Registry, path: str) -> BlockSpec | None:
    name = " ".join(path.split())
    tool = registry.tools.get(name)
    spec = registry.spec(name, tool.default_version) if tool is not None else None
    assert spec is None or isinstance(spec, BlockSpec)
    return spec


def _compile_plan(plan: Any, registry: Registry) -> Mapping[str, Any]:
    made = compile_draft(plan, SIMULINK, registry, CompileOptions())
    assert made.artifact is not None, [diagnostic.message for diagnostic in made.diagnostics]
    return made.artifact


def _normalize(artifact: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
    return normalize_model(artifact, lambda path: _spec(registry, path))


def _read(plan: Any, registry: Registry) -> dict[str, Any]:
    entries = _normalize(_compile_plan(plan, registry), registry)
    model, diagnostics = open_model(package_of(entries).raw, entries["name"])
    assert model is not None
    assert not diagnostics
    assert differences(entries, model) == []
    return model


def _join_line(line: Mapping[str, Any]) -> Any:
    """What a line says beside its way: where it begins, its ends, its name."""
    entries = {key: line.get(key) for key in ("from", "name", "physical")}
    there = [end for _, end in ends(line, ())]
    return entries, sorted(there, key=str)


def _by_name(model: Mapping[str, Any]) -> dict[str, Any]:
    return {block["name"]: block for _, _, system in systems(model) for block in system["blocks"]}


@pytest.mark.parametrize("plan", MODELS, ids=[plan["goal"] for plan in MODELS])
def test_a_draft_is_read_back_as_the_same_blocks(plan: Any, registry: Registry) -> None:
    """Every block, parameter, line and diagram of a draft stands in its file, and is not wrong."""
    artifact = _compile_plan(plan, registry)
    model = _read(plan, registry)
    for (_, path, drafted), (_, again, system) in zip(
        systems(artifact["model"]), systems(model), strict=True
    ):
        assert path == again
        assert list(map(_join_line, system["lines"])) == list(map(_join_line, drafted["lines"]))
        for block, other in zip(drafted["blocks"], system["blocks"], strict=True):
            assert (block["sid"], block["name"]) == (other["sid"], other["name"])
            assert (block.get("parameters") or {}).items() <= (
                other.get("parameters") or {}
            ).items()
            assert "ports" in other
            assert other["type"] == block["type"] or other["source"] == block["source"]
    compilation = compile_draft(model, SIMULINK, registry, CompileOptions())
    assert compilation.verdict != "wrong", [
        diagnostic.message for diagnostic in compilation.diagnostics
    ]


def test_a_block_means_the_defaults_of_the_library(registry: Registry) -> None:
    """Open parameters of a drafted block have the library's defaults, not the built-in ones."""
    plan = steps(
        "defaults",
        ("c", "Constant", {}),
        ("g", "Gain", {"Gain": "2"}),
        ("r", "Relational Operator", {}, ["g", "c"]),
        ("v", "Display"),
    )
    blocks = _by_name(_read(plan, registry))
    assert blocks["Gain"]["parameters"]["OutDataTypeStr"] == "Inherit: Inherit via internal rule"
    assert blocks["Gain"]["parameters"]["Gain"] == "2"
    assert blocks["Relational Operator"]["parameters"]["Operator"] == "<="
    assert blocks["Display"]["parameters"]["Decimation"] == "1"
    assert "parameters" not in blocks["Constant"]


def test_a_masked_block_is_a_link(registry: Registry) -> None:
    """A masked library block is linked by its exact path; its ports are physical ones by side."""
    blocks = _by_name(_read(PHYSICAL, registry))
    resistor = blocks["Resistor"]
    assert resistor["type"] == "Reference"
    assert resistor["source"] == "fl_lib/Electrical/Electrical Elements/Resistor"
    assert resistor["parameters"] == {"R": "100"}
    assert resistor["properties"] == {"SourceType": "Resistor"}
    assert resistor["ports"] == {"lconn": 1, "rconn": 1}
    assert blocks["Solver Configuration"]["source"] == "nesl_utility/Solver\nConfiguration"


def test_a_bare_block_type_is_written_as_that(registry: Registry) -> None:
    """The block that a BlockType stands for is no link, though it shows a mask or runs a file."""
    plan = steps(
        "bare",
        ("c", "Constant"),
        ("m", "Unary Minus", {}, ["c"]),
        ("t", "Tapped Delay", {}, ["m"]),
        ("v", "Display"),
    )
    kinds = [block["type"] for block in _read(plan, registry)["system"]["blocks"]]
    assert kinds == ["Constant", "UnaryMinus", "Reference", "Display"]


def test_a_preset_is_its_block_with_its_parameters(registry: Registry) -> None:
    """A preset of a bare block has the block's type, and what it presets beside its own values."""
    path = "simulink/Quick Insert/Logic and Bit Operations/GT"
    plan = steps("preset", ("c", "Constant"), ("g", path, {}, ["c", "c"]), ("v", "Display"))
    block = _read(plan, registry)["system"]["blocks"][1]
    assert block["type"] == "RelationalOperator"
    assert block["parameters"]["Operator"] == ">"


def test_port_blocks_are_numbered(registry: Registry) -> None:
    """Port blocks without a number get the next free one: a file would mean the first port."""
    blocks = [
        {"sid": f"{n}", "name": f"In{n}", "type": "Inport", "source": "simulink/Sources/In1"}
        for n in range(1, 4)
    ]
    blocks[0] |= {"parameters": {"Port": "2"}}  # type: ignore[dict-item]
    artifact = {
        "model": {
            "simulink": 1,
            "kind": "model",
            "name": "m",
            "system": {"blocks": blocks, "lines": []},
        },
        "blocks": [{"sid": block["sid"], "path": block["source"]} for block in blocks],
    }
    value = _normalize(artifact, registry)["system"]["blocks"]
    assert [item["parameters"]["Port"] for item in value] == ["2", "1", "3"]


def test_no_code_of_a_draft_is_written(registry: Registry) -> None:
    """Callbacks, drawing commands and initialisations stay out; values that act are refused."""
    block: dict[str, Any] = {
        "sid": "1",
        "name": "s",
        "type": "SubSystem",
        "properties": {"OpenFcn": "evil", "MaskInitialization": "evil", "Description": "kind"},
        "mask": {
            "type": "T",
            "parameters": {"p": "1"},
            "initialization": "evil",
            "display": "evil",
        },
        "system": {"blocks": [], "lines": []},
    }
    model = {
        "simulink": 1,
        "kind": "model",
        "name": "m",
        "settings": {"InitFcn": "evil", "StopTime": "3"},
        "system": {"blocks": [block], "lines": []},
    }
    entries = _normalize({"model": model, "blocks": []}, registry)
    assert "evil" not in str(entries)
    assert entries["settings"] == {"StopTime": "3"}
    assert entries["system"]["blocks"][0]["properties"] == {"Description": "kind"}
    block["parameters"] = {"MaskHideContents": "on"}
    value = _normalize({"model": model, "blocks": []}, registry)["system"]["blocks"][0]
    assert value["properties"] == {"Description": "kind", "MaskHideContents": "on"}
    for harm in ({"Gain": "system('x')"}, {"OpenFcn": "1"}, {"MaskDisplay": "1"}, {"SID": "3"}):
        block["parameters"] = harm
        with pytest.raises(UnsafeValueError):
            _normalize({"model": model, "blocks": []}, registry)


def test_the_command_keeps_a_file_and_replaces_none(tmp_path: Path) -> None:
    """``grounded build --slx`` writes once, states that it is unverified, overwrites on request."""
    (tmp_path / "plan.json").write_text(json.dumps(MODELS[0]))
    (tmp_path / "bad.json").write_text(json.dumps(steps("x", ("a", "No Such Block At All"))))

    def build(plan: str, file: str, *more: str) -> tuple[int, bytes, bytes]:
        options = ("build", "--domain", "simulink", "--slx", file, *more, plan)
        made = run(tmp_path / ".state", *options, cwd=tmp_path)
        return made.returncode, made.stdout, made.stderr

    status, result, _ = build("plan.json", "motor.slx")
    assert status == 0
    value = json.loads(result)["slx"]
    assert value["note"] == UNVERIFIED
    assert value["verified"] is False
    raw = (tmp_path / "motor.slx").read_bytes()
    model, _ = open_model(raw, "motor")
    assert model is not None
    assert model["name"] == "motor"
    (tmp_path / "motor.slx").write_bytes(b"mine")
    status, _, why = build("plan.json", "motor.slx")
    assert status == 2
    assert b"motor.slx exists" in why
    assert (tmp_path / "motor.slx").read_bytes() == b"mine"
    assert build("plan.json", "motor.slx", "--overwrite")[0] == 0
    assert (tmp_path / "motor.slx").read_bytes() == raw
    assert b"MATLAB name" in build("plan.json", "no name.slx")[2]
    path = "simulink/Ports & Subsystems/Subsystem"
    blocks = [
        {"sid": "1", "name": "c", "type": "Constant", "source": "simulink/Sources/Constant"},
        {"sid": "2", "name": "s", "type": "SubSystem", "source": path},
    ]
    start = {"block": "1", "kind": "out", "index": 1}
    ends = [{"to": {"block": "2", "kind": "in", "index": index}} for index in (1, 2)]
    system = {"blocks": blocks, "lines": [{"from": start, "branches": ends}]}
    plan = {"simulink": 1, "kind": "model", "name": "x", "system": system}
    (tmp_path / "odd.json").write_text(json.dumps(plan))
    status, result, _ = build("odd.json", "odd.slx")
    assert status == 1
    assert b"has no input 2" in result
    status, result, _ = build("bad.json", "bad.slx")
    assert status == 1
    assert json.loads(result)["slx"] is None
    assert sorted(item.name for item in tmp_path.glob("*.slx")) == ["motor.slx"]
