"""Releases, products and licences of files: missing, newer and needed ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.ir.target import Target
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model, system

CODES = ("GB204", "SLX351", "SLX352", "SLX353")


def make_installed_catalog(**versions: str) -> Registry:
    """The shipped catalog as that of an installation that tells these versions."""
    registry = simulink_registry()
    other = registry.with_learnt({})
    entries = {name.replace("_", " "): version for name, version in versions.items()}
    other.header = replace(registry.header, origin="installed", versions=entries)
    return other


def _policy(stated: dict[str, str | tuple[str, ...]]) -> Policy:
    return Policy(target=Target.of(stated))


def report(
    document: dict[str, Any], policy: Policy | None = None, registry: Registry | None = None
) -> list[Diagnostic]:
    """Returns the findings on releases, products and licences."""
    options = CompileOptions(policy=policy or Policy())
    made = compile_draft(document, SIMULINK, registry or simulink_registry(), options)
    return [diagnostic for diagnostic in made.diagnostics if diagnostic.code in CODES]


def file(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return model(blocks) | {"layout": "slx", **more}


WAVE = block("wave", "", source="dspsrcs4/Sine Wave")
PLAY = block("play", "Playback")
CHART = block("chart", "SubSystem", SFBlockType="Chart") | {"opaque": "chart"}
CODE = block("code", "SubSystem", SFBlockType="MATLAB Function") | {"opaque": "function"}
OLD = block("old", "SubSystem") | {"opaque": "chart"}


def test_a_block_newer_than_its_file_is_advice() -> None:
    """It proves nothing: another release may open the file. Each kind is reported once."""
    twice = file(PLAY, block("again", "Playback"), release="R2020a")
    (finding,) = report(twice)
    assert (finding.code, finding.rule.kind, finding.node) == ("SLX351", "advice", "play")
    assert [related.at for related in finding.related] == [("system", "blocks", 1)]
    assert report(file(PLAY, release="R2022b")) == []
    assert report(file(PLAY)) == []


def test_a_draft_has_no_release_that_wrote_it() -> None:
    """A draft was saved by no release."""
    assert report(model([PLAY, WAVE]) | {"release": "R2020a"}) == []


def test_a_block_later_than_the_stated_release_is_not_there() -> None:
    """It is reported once, with a replacement, and not again for the release of the file."""
    document = file(PLAY, release="R2020a")
    (finding,) = report(document, _policy({"release": "R2020b"}))
    assert (finding.code, finding.rule.kind) == ("GB204", "wrong")
    assert finding.alternatives[0] == "simulink/Sources/From Workspace"
    assert [diagnostic.code for diagnostic in report(document, _policy({"release": "R2022b"}))] == [
        "SLX351"
    ]


def test_a_file_newer_than_the_release_here_is_reported() -> None:
    """Here is the stated release, else that of the installation; unknown ones say nothing."""
    document = file(block("g", "Ground"), release="R2024b")
    assert [diagnostic.code for diagnostic in report(document, _policy({"release": "R2019b"}))] == [
        "SLX352"
    ]
    assert [
        diagnostic.code
        for diagnostic in report(document, None, make_installed_catalog(release="2019b"))
    ] == ["SLX352"]
    assert report(document, None, make_installed_catalog(release="2024b")) == []
    assert report(document, None, make_installed_catalog(release="unknown")) == []


@pytest.mark.parametrize("state", ["on", "through"])
def test_commented_out_block_needs_no_product(state: str) -> None:
    """A block that does not run needs no product."""
    out = WAVE | {"properties": {"Commented": state}}
    assert report(file(out), _policy({"products": ("Simulink",)})) == []


def test_the_products_of_a_file_are_counted() -> None:
    """Blocks of libraries, charts, and blocks that the catalog lacks in libraries that it has."""
    lost = block("lost", "", source="dspsrcs4/No Such Source")
    inner = block("inner", "", source="dspsrcs4/Sine Wave")
    sub = block("sub", "SubSystem", system([inner]))
    (finding,) = report(file(WAVE, sub, lost, CHART, CODE, OLD))
    assert finding.code == "SLX353"
    assert finding.message == (
        "in addition to Simulink the model requires DSP System Toolbox (3 blocks), "
        "Stateflow (1 block)"
    )
    assert report(file(CODE, OLD, block("g", "Gain"))) == []


def test_a_product_that_is_not_listed_is_not_there() -> None:
    """Each of its blocks is found, charts too, whatever the product is called there."""
    found_there = report(file(WAVE, CHART, CODE), _policy({"products": ("Simulink",)}))
    assert [diagnostic.node for diagnostic in found_there if diagnostic.code == "GB204"] == [
        "wave",
        "chart",
    ]
    listed = _policy({"products": ("Signal Processing Blockset", "Stateflow")})
    assert [diagnostic.code for diagnostic in report(file(WAVE, CHART, CODE), listed)] == ["SLX353"]


def test_simscape_extension_implies_simscape() -> None:
    """A product that extends Simscape implies Simscape."""
    resistor = block("r", "", source="fl_lib/Electrical/Electrical Elements/Resistor")
    listed = _policy({"products": ("Simscape Electrical",)})
    assert "GB204" not in [diagnostic.code for diagnostic in report(file(resistor), listed)]


def test_a_licence_that_is_not_held_is_reported() -> None:
    """A missing licence is known only for products whose feature has their own name."""
    scape = block("r", "", source="fl_lib/Electrical/Electrical Elements/Resistor")
    entries = {"Simscape": "24.2", "DSP_System_Toolbox": "24.2", "licence_Simulink": "held"}
    lost = [
        diagnostic
        for diagnostic in report(file(scape, WAVE), None, make_installed_catalog(**entries))
        if diagnostic.code == "GB204"
    ]
    assert [diagnostic.node for diagnostic in lost] == ["r"]
    assert lost[0].message.endswith("is not available: there is no licence for Simscape")
    held = make_installed_catalog(**entries, licence_Simscape="held")
    assert [diagnostic.code for diagnostic in report(file(scape, WAVE), None, held)] == ["SLX353"]
    untold = make_installed_catalog(Simscape="24.2")
    assert [diagnostic.code for diagnostic in report(file(scape), None, untold)] == ["SLX353"]
