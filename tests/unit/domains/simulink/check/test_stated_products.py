"""The products, licences and release of an installation determine the available blocks."""

from __future__ import annotations

import json
from typing import Any

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.catalog.compile_tool import compile_tool
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.matlab.installed_catalog import catalog_of_facts
from grounded_builder.ir.options import CompileOptions

SCAPE = "fl_lib/Electrical/Electrical Elements/Resistor"
NEW = "fl_lib/Electrical/Electrical Elements/Quantum Resistor"
OWN = "acme_lib/Pump"
INSTALLED = ("simulink/Sources/Constant", "simulink/Sinks/Terminator", SCAPE, NEW, OWN)


def installation(
    *licences: str, release: str = "2023b", paths: tuple[str, ...] = INSTALLED
) -> Registry:
    """The registry of an installation with these blocks that holds these licences."""
    products = [{"name": item, "version": "23.2"} for item in ("Simulink", "Simscape")]
    libraries = [
        {"name": fromkey} for fromkey in dict.fromkeys(path.split("/")[0] for path in paths)
    ]
    first = {"kind": "installation", "release": release, "products": products}
    blocks = [{"kind": "block", "path": path, "block_type": "SubSystem"} for path in paths]
    lines: list[dict[str, Any]] = [
        first | {"licences": list(licences), "libraries": libraries},
        *blocks,
        {"kind": "end", "blocks": len(blocks)},
    ]
    facts = b"\n".join(json.dumps(line).encode() for line in lines)
    prepared = prepare_catalog(read_catalog(catalog_of_facts(facts)))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    return open_registry(index, prepared.fingerprint, bodies.__getitem__, compile_tool)


def list_refused_steps(registry: Registry, *tools: str) -> list[Diagnostic]:
    """The steps of a plan of these tools that are not available."""
    plan = {"steps": [{"tool": tool} for tool in tools]}
    made = compile_draft(plan, SIMULINK, registry, CompileOptions())
    return [diagnostic for diagnostic in made.diagnostics if diagnostic.code == "GB204"]


def test_a_product_without_a_licence_is_not_drafted_with() -> None:
    """Its blocks are refused by path and by name, those of a library of one's own never."""
    lost = installation("Simulink")
    for name in (SCAPE, "Resistor"):
        (finding,) = list_refused_steps(lost, name)
        assert finding.message == f"{SCAPE} is not available: there is no licence for Simscape"
    assert list_refused_steps(lost, "simulink/Sources/Constant", OWN) == []
    assert list_refused_steps(installation("Simulink", "Simscape"), SCAPE) == []
    assert list_refused_steps(installation(), SCAPE) == []


def test_a_new_block_is_of_the_product_of_its_library() -> None:
    """A block that the shipped catalog lacks needs the licence of its library."""
    registry = installation("Simulink")
    assert registry.tools[NEW].requires_license == "Simscape"
    assert [diagnostic.token for diagnostic in list_refused_steps(registry, NEW)] == [NEW]
    assert registry.tools[OWN].requires_license is None


def test_a_file_of_a_later_release_is_reported() -> None:
    """The release that MATLAB says of itself is that of the environment."""
    system = {"blocks": [{"sid": "1", "name": "p", "type": "SubSystem", "source": OWN}]}
    model = {"simulink": 1, "layout": "slx", "kind": "model", "name": "m", "release": "R2024b"}
    document = {**model, "system": {**system, "lines": []}}
    codes = [
        diagnostic.code
        for diagnostic in compile_draft(
            document, SIMULINK, installation(), CompileOptions()
        ).diagnostics
    ]
    assert "SLX352" in codes
    later = installation(release="2025a")
    assert "SLX352" not in [
        diagnostic.code
        for diagnostic in compile_draft(document, SIMULINK, later, CompileOptions()).diagnostics
    ]


def test_an_environment_of_an_old_release_is_reported() -> None:
    """The draft is built, with the advice that the script needs a later release."""
    plan = {"steps": [{"tool": "simulink/Sources/Constant"}]}
    for release, items in (("2018b", ["SLX354"]), ("2019b", []), ("unknown", [])):
        made = compile_draft(plan, SIMULINK, installation(release=release), CompileOptions())
        assert [
            diagnostic.code for diagnostic in made.diagnostics if diagnostic.code == "SLX354"
        ] == items
        assert made.verdict == "ok"


def test_a_block_that_is_installed_is_there_whatever_is_known_of_it() -> None:
    """The release of the installation refuses nothing that the installation has."""
    playback = "simulink/Sources/Playback"
    old = installation("Simulink", release="2020a", paths=(*INSTALLED, playback))
    assert list_refused_steps(old, playback) == []
