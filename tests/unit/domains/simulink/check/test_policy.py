"""Blocks that a policy keeps out of a Simulink model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions, Policy
from tests.policy.bypasses import find_passing_models
from tests.support.simulink import simulink_registry

REGISTRY = simulink_registry()


@pytest.mark.parametrize("denied", ["simulink/Sources/Sine Wave", "simulink/Sources/*"])
def test_a_denied_block_is_refused_even_by_its_exact_path(denied: str) -> None:
    """A path that policy denies makes no artifact, however it is named."""
    options = replace(CompileOptions(), policy=replace(CompileOptions().policy, denied=(denied,)))
    plan = {"steps": [{"id": "s", "tool": "simulink/Sources/Sine Wave"}]}
    made = compile_draft(plan, SIMULINK, REGISTRY, options)
    assert "GB401" in [diagnostic.code for diagnostic in made.diagnostics]
    assert made.artifact is None
    assert compile_draft(plan, SIMULINK, REGISTRY, CompileOptions()).artifact is not None


def _codes(tool: str, parameters: dict[str, str], options: CompileOptions) -> set[str]:
    plan = {"steps": [{"id": "s", "tool": tool, "params": parameters}]}
    return {
        diagnostic.code
        for diagnostic in compile_draft(plan, SIMULINK, REGISTRY, options).diagnostics
    }


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        ("simulink/Sinks/To File", {"Filename": "/etc/cron.d/x.mat"}),
        ("simulink/Sources/From File", {"FileName": "../../secret.mat"}),
        ("simulink/Sinks/To File", {"Filename": "C:\\Windows\\x.mat"}),
        ("simulink/Ports & Subsystems/Model", {"ModelName": "//evil/share/x"}),
    ],
)
def test_files_outside_the_folder_are_refused(tool: str, parameters: dict[str, str]) -> None:
    """A drafted model reads and writes beside itself, unless the operator allows the host."""
    importing = CompileOptions(purpose="import")
    assert "GB401" in _codes(tool, parameters, importing)
    inside = dict.fromkeys(parameters, "data.mat")
    assert "GB401" not in _codes(tool, inside, importing)
    allowed = replace(importing, policy=Policy(allow_host_access=True))
    assert "GB401" not in _codes(tool, parameters, allowed)


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_no_hostile_model_passes(half: str) -> None:
    """Files, code and hosts outside are stopped in whatever parameter and spelling they come."""
    assert [*find_passing_models(half)] == []


@pytest.mark.parametrize(
    "tool",
    [
        "sflib/Chart",
        "sflib/Truth Table",
        "sflib/State Transition Table",
        "simulink/User-Defined Functions/Python Code",
        "built-in/CCaller",
        "built-in/CFunction",
        "built-in/MATLABFcn",
        "built-in/MATLABSystem",
        "built-in/PythonCode",
    ],
)
def test_every_block_that_holds_code_is_code(tool: str) -> None:
    """Charts and the bare types of code blocks run code as the library's blocks do."""
    assert "GB401" in _codes(tool, {}, CompileOptions(policy=Policy(no_code=True)))


@pytest.mark.parametrize(
    "tool",
    [
        "simulink/User-Defined Functions/S-Function",
        "simulink/User-Defined Functions/Interpreted MATLAB Function",
        "simulink/User-Defined Functions/C Function",
        "built-in/PythonCode",
    ],
)
def test_no_host_access_refuses_unreadable_code(tool: str) -> None:
    """Code that would need an approval is refused by a policy without host access."""
    assert "GB404" in _codes(tool, {}, CompileOptions(purpose="import"))
    for purpose in ("judge", "import"):
        narrow = Policy(no_host_access=True, opened=("host-access",))
        assert "GB401" in _codes(tool, {}, CompileOptions(purpose=purpose, policy=narrow))


@pytest.mark.parametrize(
    "denied",
    ["simulink/User-Defined Functions/s-function", "S-Function", "built-in/S-Function", "s-func*"],
)
def test_a_denial_holds_for_every_name_of_a_block(denied: str) -> None:
    """A denial counts in any case of letters, without the library, and for the bare type."""
    denying = CompileOptions(policy=Policy(denied=(denied,)))
    for tool in ("simulink/User-Defined Functions/S-Function", "built-in/S-Function"):
        plan = {"steps": [{"id": "s", "tool": tool, "params": {"FunctionName": "evil"}}]}
        assert compile_draft(plan, SIMULINK, REGISTRY, CompileOptions()).artifact is not None
        assert compile_draft(plan, SIMULINK, REGISTRY, denying).artifact is None


def test_a_file_whose_name_is_put_together_is_refused() -> None:
    """A name that MATLAB computes may lead anywhere."""
    written = {"Filename": "[char(47) 'etc/x.mat']"}
    importing = CompileOptions(purpose="import")
    assert "GB401" in _codes("simulink/Sinks/To File", written, importing)


def test_a_plain_file_beside_the_model_is_no_matter() -> None:
    """Names with spaces and brackets lie beside the model."""
    importing = CompileOptions(purpose="import")
    for name in ("data (1).mat", "run_2.mat", "results/a.mat"):
        assert not {"GB401", "GB404"} & _codes(
            "simulink/Sinks/To File", {"Filename": name}, importing
        )


def test_code_by_name_waits_for_a_person() -> None:
    """A block that runs a class by its name is approved by a person, or kept out with all code."""
    tool = "simulink/User-Defined Functions/MATLAB System"
    assert "GB404" in _codes(tool, {"System": "anything"}, CompileOptions(purpose="import"))
    assert "GB401" in _codes(tool, {}, CompileOptions(policy=Policy(no_code=True)))
    written = "simulink/User-Defined Functions/MATLAB Function"
    assert "GB401" in _codes(written, {}, CompileOptions(policy=Policy(no_code=True)))


def test_hosts_and_products_are_restricted() -> None:
    """A block that speaks to a host, or comes from elsewhere, is held to the switches."""
    hosts = CompileOptions(policy=Policy(allowed_hosts=("a.test",)))
    assert "GB401" in _codes("dspsnks4/UDP Send", {}, hosts)
    core = CompileOptions(policy=Policy(core_only=True))
    assert "GB401" in _codes("WBToolboxLibrary/Model/Dynamics/MassMatrix", {}, core)
    assert "GB401" not in _codes("simulink/Sources/Sine Wave", {}, core)
