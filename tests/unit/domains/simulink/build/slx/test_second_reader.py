"""An independent reader finds the same blocks in a written ``.slx`` file."""

from __future__ import annotations

from pathlib import Path

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.simulink.analysis.to_plan import as_plan
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.lower.exact_plan import model_of
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.support.second_reader import blocks_of, read_with_other_reader
from tests.support.simulink import simulink_registry
from tests.support.simulink_files import (
    CLASSIC,
    make_single_file_package,
    make_split_package,
    pack_as_text,
    pack_files,
)
from tests.support.simulink_plans import step

LOOP = Path(__file__).parents[6] / "examples" / "simulink" / "pi-loop.mdl"
_KINDS = ("Atomic", "Enabled", "Triggered", "If Action", "For Each")


def _drafts() -> dict[str, bytes]:
    """Files of drafts: a loop, subsystems of all kinds with and without steps, a circuit."""
    held = [step(f"s{n}", f"{kind} Subsystem", "r") for n, kind in enumerate(_KINDS)]
    filled = [
        item
        for n, kind in enumerate(_KINDS)
        for item in (
            step(f"h{n}", f"{kind} Subsystem"),
            step(f"g{n}", "Gain", "r", **{"in": f"h{n}"}),
        )
    ]
    circuit = [
        step("v", "DC Voltage Source", library="fl_lib"),
        step("r", "Resistor", "v", library="fl_lib", **{"in": "Load"}),
        step("g", "Electrical Reference", "r", {"from": "v", "output": "n"}),
        step("s", "Solver Configuration", "g"),
    ]
    loop = [
        step("r", "Step"),
        step("e", "Sum", "r", {"from": "p", "back": True}, params={"Inputs": "+-"}),
        step("p", "Transfer Fcn", "e", params={"Denominator": "[0.5 1]"}),
        step("o", "Scope", "p"),
    ]
    plans = {"kinds": [step("r", "Step"), *held, *filled], "circuit": circuit, "loop": loop}
    files = {}
    for name, steps in plans.items():
        plan = {"version": 1, "goal": name, "steps": steps}
        made = compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())
        assert made.artifact is not None, [diagnostic.message for diagnostic in made.diagnostics]
        facts = (SIMULINK, simulink_registry(), CompileOptions())
        files[name] = write_checked_package(made.artifact, name, *facts).raw
    return files


def _read_ones() -> dict[str, bytes]:
    """Files of models that were read, from their own file and through their plan."""
    raws = {
        "one": pack_files(make_single_file_package()),
        "each": pack_files(make_split_package()),
        "opc": pack_as_text(make_split_package()),
        "classic": CLASSIC.encode(),
        "pi": LOOP.read_bytes(),
    }
    files = {}
    for name, raw in raws.items():
        model, _ = open_model(raw, name)
        assert model is not None
        files[name] = package_of(model).raw
        graph = read(model).graph
        assert graph is not None
        again, diagnostics = model_of(
            as_plan(resolve_graph(graph, SIMULINK, simulink_registry())[0])[0]
        )
        assert again is not None, diagnostics
        files[f"{name}_planned"] = package_of(again).raw
    return files


def test_another_reader_reads_the_same_blocks(tmp_path: Path) -> None:
    """SIDs, BlockTypes, names and hierarchy are the same to miss_hit_core in every file."""
    written = {**_drafts(), **_read_ones()}
    for name, raw in written.items():
        (tmp_path / f"{name}.slx").write_bytes(raw)
    by_another = read_with_other_reader(sorted(tmp_path.glob("*.slx")))
    assert len(by_another) == len(written)
    for file, there in by_another.items():
        assert not isinstance(there, str), (file.name, there)
        model, _ = open_model(file.read_bytes(), file.stem)
        assert model is not None
        assert sorted(blocks_of(model)) == sorted(there), file.name
        assert there, file.name


def test_second_reader_reports_refusal(tmp_path: Path) -> None:
    """The second reader refuses a file without a model, with its reason as text."""
    (tmp_path / "broken.slx").write_bytes(pack_files({"simulink/blockdiagram.xml": "<Model/>"}))
    (results,) = read_with_other_reader([tmp_path / "broken.slx"]).values()
    assert isinstance(results, str)
