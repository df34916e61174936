"""The scripts that build models run under Octave, against stand-ins made from the catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.matlab.literal import format_comment, identifier, quote_text
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS
from tests.support.octave import Octave
from tests.support.simulink import simulink_registry

Artifact = Mapping[str, Any]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return simulink_registry()


@pytest.fixture
def octave(tmp_path: Path, registry: Registry) -> Octave:
    return Octave(tmp_path, registry)


def compile_plan(plan: Any, registry: Registry) -> Compilation:
    return compile_draft(plan, SIMULINK, registry, CompileOptions())


@pytest.fixture(scope="module")
def artifacts(registry: Registry) -> list[Artifact]:
    """What the forty drafts compile to."""
    results = []
    for plan in MODELS:
        compilation = compile_plan(plan, registry)
        assert compilation.artifact is not None, (
            plan["goal"],
            [d.message for d in compilation.diagnostics],
        )
        results.append(compilation.artifact)
    return results


def test_every_script_builds_its_model(octave: Octave, artifacts: list[Artifact]) -> None:
    """Forty models stand whole, each block read back as it was meant, and stay loaded."""
    reports = octave.run(artifacts)
    assert len(reports) == 40
    for artifact, report in zip(artifacts, reports, strict=True):
        assert report["ok"], (artifact["model"]["name"], report["errors"], report["differences"])
        assert len(report["blocks"]) == len(artifact["blocks"])
        assert report["left"] == [report["model"]]


def test_the_same_plan_gives_the_same_script(registry: Registry, artifacts: list[Artifact]) -> None:
    """Same input, same bytes."""
    for plan, artifact in zip(MODELS[:10], artifacts, strict=False):
        again = compile_plan(plan, registry).artifact
        assert again is not None
        assert again["script"] == artifact["script"]


_BLOCK = re.compile(r"(add\(model, ('(?:[^']|'')*'|native2unicode\(.*?'UTF-8'\)), ')([^']*)'")


def _other_path(script: str) -> str:
    return _BLOCK.sub(lambda match: f"{match[1]}{match[3]}s'", script, count=1)


def _other_parameter(script: str) -> str:
    return _BLOCK.sub(lambda match: f"{match[0]}, 'NoSuchParameter', '1'", script, count=1)


def _other_port(script: str) -> str:
    block = _BLOCK.search(script)
    assert block is not None
    line = f"    wire(model, {block[2]}, 99, {block[2]}, 1);\n\n    % Block, BlockType"
    return script.replace("\n    % Block, BlockType", line, 1)


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (_other_path, "Simulink:Commands:AddBlockInvSrcBlock"),
        (_other_parameter, "Simulink:Commands:ParamUnknown"),
        (_other_port, "Simulink:Commands:AddLineInvalidPort"),
    ],
)
def test_every_break_is_caught(
    broken: Any, expected: str, octave: Octave, artifacts: list[Artifact]
) -> None:
    """A path, a parameter or a port that is not there ends the build, and nothing is left."""
    mutants = [{**artifact, "script": broken(artifact["script"])} for artifact in artifacts]
    assert all(
        mutant["script"] != other["script"]
        for mutant, other in zip(mutants, artifacts, strict=True)
    )
    for report in octave.run(mutants):
        assert not report["ok"]
        assert [error["identifier"] for error in report["errors"]] == [expected]
        assert report["errors"][0]["block"].startswith(report["model"])
        assert report["left"] == []


def test_an_option_outside_the_list_is_caught(octave: Octave, registry: Registry) -> None:
    """A value that an enumeration does not have is Simulink's own error at its block."""
    plan = {"goal": "x", "steps": [{"id": "a", "tool": "Logical Operator"}]}
    plan["steps"][0]["params"] = {"Operator": "OR"}  # type: ignore[index]
    artifact = compile_plan(plan, registry).artifact
    assert artifact is not None
    script = artifact["script"].replace("'OR'", "'ODER'")
    (report,) = octave.run([{**artifact, "script": script}])
    assert report["errors"][0]["identifier"] == "Simulink:Parameters:InvParamSetting"
    assert report["errors"][0]["about"] == "Operator"


# Numbers and texts with commas between them: odd, yet nothing that runs.
_MERE_TEXT = ("1, 'OpenFcn', 'system(''x'')'",)
_HOSTILE = (
    "system('touch x')",
    "!rm -rf x",
    "1; system('x')",
    "unix('x')",
    "dos('dir')",
    "eval('system(''x'')')",
    "evalin('base', 'x')",
    "feval('system', 'x')",
    "1'; system('x'); '",
    "'); system('x'); add(model, '",
    "x\nsystem('x')\n",
    "1 % comment\nsystem('x')",
    "%{\nsystem('x')\n%}",
    "ones(1e9)",
    "zeros(100000, 100000)",
    "@() system('x')",
    "str2func('system')",
    "cellfun(@system, {'x'})",
    "../../etc/passwd",
    "..\\..\\x",
    "load('x.mat')",
    "delete('x')",
    "java.lang.Runtime",
    *_MERE_TEXT,
    "\u202esystem\u202c('x')",
)


def _drafts() -> list[dict[str, Any]]:
    places = ("value", "name", "text", "goal")
    drafts = []
    for hostile, place in product(_HOSTILE, places):
        step: dict[str, Any] = {"id": "a", "tool": "Constant"}
        if place == "value":
            step["params"] = {"Value": hostile}
        if place == "name":
            step["action"] = hostile
        if place == "text":
            step["params"] = {"Tag": hostile}
            step["remarks"] = hostile
        drafts.append(
            {"goal": hostile if place == "goal" else "x", "steps": [step], "place": place}
        )
    return drafts


def test_hostile_values_never_run(octave: Octave, registry: Registry) -> None:
    """Of 100 hostile names and values none reaches a script as code."""
    made = []
    drafts = _drafts()
    assert len(drafts) == 100
    for draft in drafts:
        place = draft.pop("place")
        compilation = compile_plan(draft, registry)
        assert (compilation.artifact is None) == (compilation.verdict == "wrong")
        if place == "value" and draft["steps"][0]["params"]["Value"] not in _MERE_TEXT:
            assert compilation.artifact is None, draft
        if compilation.artifact is not None:
            made.append(compilation.artifact)
    assert made
    octave.run(made)
    assert not octave.ran.exists()


def test_literals_are_read_as_they_were_written(octave: Octave) -> None:
    """MATLAB reads the same characters from every quoted text."""
    texts = ["", "it's", "a\nb\tc", "%{", "...", "\x01\x02", "Größe", "日本", "''", "[]{}()"]
    for text in texts:
        printed = octave.evaluate(f"printf('%d ', uint8({quote_text(text)}));")
        assert printed.split() == [str(code) for code in text.encode()], text


def test_remarks_stay_on_their_line() -> None:
    """No text ends a comment or opens a block comment."""
    for text in ("a\nsystem('x')", "%{", "\r\nx", "\u2028x"):
        assert "\n" not in format_comment(text)
        assert format_comment(text).strip() not in ("%{", "% %{"[2:])


def test_names_of_variables_are_free_and_valid() -> None:
    """A variable has a name that MATLAB takes, and of its own."""
    assert identifier("Motor 2!") == "motor_2"
    assert identifier("end") == "m_end"
    assert identifier("2 wheels") == "m_2_wheels"
    assert identifier("Motor", {"motor", "motor_2"}) == "motor_3"
    assert identifier("日本") == "block"
    assert len(identifier("x" * 200)) <= 63
