"""Build reports are read as findings."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.simulink.matlab.build_report import (
    absent_blocks,
    findings_of,
    lost_products,
    trouble_of,
)


def report(**more: Any) -> dict[str, Any]:
    return {"ok": False, "errors": [], "differences": [], **more}


@pytest.mark.parametrize(
    ("identifier", "message", "name"),
    [
        ("Simulink:Commands:AddBlockInvSrcBlock", "There is no block named 'a/b'.", "absent-block"),
        ("", "There is no block named 'a/b'.", "absent-block"),
        ("Simulink:Commands:OpenSystemUnknownSystem", "no system named 'x'", "absent-block"),
        ("Simulink:Commands:ParamUnknown", "does not have a parameter", "absent-parameter"),
        ("Simulink:Parameters:InvParamSetting", "Invalid setting in Gain", "refused-setting"),
        ("Simulink:Commands:AddLineInvalidPort", "Invalid port", "absent-port"),
        ("Simulink:Commands:AddLineDestAlreadyConnected", "x", "occupied-port"),
        ("Simulink:Engine:BlkInAlgLoopErr", "x", "algebraic-loop"),
        ("MATLAB:license:checkoutFailed", "License checkout failed.", "licence"),
        ("Simulink:Libraries:MissingSourceBlock", "x", "unresolved-link"),
        ("Simulink:Engine:PortDimsMismatch", "x", "unequal-sizes"),
        ("Simulink:DataType:PropForwardDataTypeError", "x", "unequal-types"),
        ("Simulink:Engine:DerivNotFinite", "x", "not-finite"),
        ("grounded:nonfinite", "output 1 of x is NaN", "not-finite"),
        ("Some:Other:Thing", "whatever", "failed"),
    ],
)
def test_an_identifier_has_a_kind(identifier: str, message: str, name: str) -> None:
    """MATLAB's identifiers and words lead to what is to be done."""
    assert trouble_of(identifier, message).name == name


def test_a_difference_is_reported_at_its_block() -> None:
    """A block that came out otherwise is SLX602."""
    entries = {"block": "m/A", "what": "Gain", "expected": "2", "actual": "1"}
    (finding,) = findings_of(report(differences=entries))
    assert (finding.rule.code, finding.node) == ("SLX602", "m/A")
    assert finding.message == 'Gain of "m/A" is "1", not "2"'


def test_an_error_is_reported_at_its_block() -> None:
    """An error is SLX601, with the block that it is about; a list of one is that one."""
    entries = {"identifier": "x", "message": "broken", "block": "m/A", "about": "s/B"}
    (finding,) = findings_of(report(errors=entries))
    assert (finding.rule.code, finding.node, finding.token) == ("SLX601", "m/A", "s/B")


def test_silence_is_a_finding() -> None:
    """A worker that says neither that it went well nor what went wrong has failed."""
    assert [finding.rule.code for finding in findings_of({})] == ["SLX601"]
    assert findings_of({"ok": True}) == ()
    assert findings_of({"ok": True, "errors": [], "differences": None}) == ()


def test_absent_blocks_are_paths() -> None:
    """Only library paths are avoided in the next draft, with white space normalized."""
    entries = {
        "identifier": "Simulink:Commands:AddBlockInvSrcBlock",
        "message": "x",
        "block": "m/A",
    }
    errors = [
        entries | {"about": "lib/My\nBlock"},
        entries | {"about": "lib"},
        {"about": "x/y"},
        "odd",
    ]
    assert absent_blocks(report(errors=errors)) == ("lib/My Block",)


@pytest.mark.parametrize(
    ("message", "products"),
    [
        ("License Manager Error -5\nno license for Signal_Blocks.", "DSP System Toolbox"),
        ("License checkout failed.\nFeature: Power_System_Blocks", "Simscape Electrical"),
        ("Maximum number of users for Stateflow reached.", "Stateflow"),
        ("Failed to check out the license of Simscape Electrical.", "Simscape Electrical"),
        ("Unable to check out a Simscape license, which Simscape Electrical uses", "Simscape"),
        ("Simulink block 'x' requires a DSP System Toolbox license", "DSP System Toolbox"),
        ("License checkout failed. Cannot find a license for SIMULINK.", ""),
        ("License checkout failed.", ""),
        ("There is no block named 'Simscape/x'.", ""),
    ],
)
def test_a_lost_licence_is_of_the_product_that_its_message_names(
    message: str, products: str
) -> None:
    """The feature counts before other products that the message speaks of; Simulink stays."""
    error = {"identifier": "", "message": message, "about": "lib/Block"}
    assert lost_products(report(errors=error)) == ((products,) if products else ())


def test_a_library_that_does_not_load_is_left_out_whole() -> None:
    """Its error names the library itself; an error about anything else of one word does not."""
    entries = {"identifier": "Simulink:Commands:OpenSystemUnknownSystem", "message": "x"}
    lost = entries | {"block": "acme_lib", "about": "acme_lib"}
    other = entries | {"block": "model/Gain", "about": "Gain"}
    assert absent_blocks(report(errors=[lost, other])) == ("acme_lib/*",)
