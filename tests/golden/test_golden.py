"""Every folder next to this file is a test: a draft, and the answer of the compiler.

`draft.json` or `draft.txt` is checked against the invented catalog of
`tests/support/catalogs.py`; `setting.json`, where there is one, holds the purpose, and the
domain where it is not n8n;
`expected.json` holds the answer. `make update-tests` writes it again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.diagnostics import to_pointer
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.domains.known import TARGET_OPTIONS
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.rules import BY_CODE
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions, Limits, Policy, StoredCredential
from grounded_builder.ir.target import Target
from tests.support.registries import acme_registry
from tests.support.simulink import simulink_registry
from tests.support.tool_lists import make_desk_tools, make_tool_registry

HERE = Path(__file__).parent
CASES = sorted(folder for folder in HERE.iterdir() if (folder / "expected.json").exists())
UPDATE = os.environ.get("GROUNDED_UPDATE") == "1"
if UPDATE:
    CASES = sorted(path for path in HERE.iterdir() if any(path.glob("draft.*")))
WORLDS: dict[str, tuple[Domain, Registry]] = {
    "n8n": (N8N, acme_registry()),
    "simulink": (SIMULINK, simulink_registry()),
    "tools": (TOOLS, make_tool_registry(make_desk_tools())),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_compiler_reports_what_the_folder_expects(case: Path) -> None:
    """A draft gets exactly the expected verdict, diagnostics and artifact."""
    answer = _answer(case)
    expected = case / "expected.json"
    if UPDATE:
        expected.write_text(json.dumps(answer, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert answer == json.loads(expected.read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_folder_isolates_the_code_it_is_named_after(case: Path) -> None:
    """A folder named after a code contains that code, and nothing else that is wrong."""
    code = case.name.split("-")[0].upper()
    if code not in BY_CODE:
        return
    answer = _answer(case)
    diagnostics = [d["code"] for d in (*answer["diagnostics"], *answer.get("fixes", ()))]
    assert code in diagnostics
    assert {d["code"] for d in answer["diagnostics"] if d["class"] == "wrong"} <= {code}


def test_fixes_lead_to_fewer_findings() -> None:
    """Applying the safe fixes of any golden draft never makes the verdict worse."""
    rank = {"ok": 0, "incomplete": 1, "wrong": 2}
    for case in CASES:
        before = compile_draft(_draft(case), *_world(case), _compile_options(case))
        after = compile_with_fixes(_draft(case), *_world(case), _compile_options(case))
        assert rank[after.verdict] <= rank[before.verdict], case.name


def _answer(case: Path) -> dict[str, Any]:
    compile_ = compile_with_fixes if (case / "correct").exists() else compile_draft
    compilation = compile_(_draft(case), *_world(case), _compile_options(case))
    answer: dict[str, Any] = {
        "verdict": compilation.verdict,
        "diagnostics": [_select_fields(as_json(d)) for d in compilation.diagnostics],
    }
    if compilation.corrections:
        answer["fixes"] = [
            {"code": d.code, "at": to_pointer(d.at), "message": d.message}
            for d in compilation.corrections
        ]
    if (case / "correct").exists():
        answer["artifact"] = compilation.artifact
    return answer


def _select_fields(full: dict[str, Any]) -> dict[str, Any]:
    """What a reader of the folder wants to see; the rest follows from the code."""
    keys = ("code", "class", "at", "node", "message", "help", "alternatives", "fix")
    return {key: full[key] for key in keys if full[key]}


def _draft(case: Path) -> bytes:
    text = case / "draft.txt"
    return (text if text.exists() else case / "draft.json").read_bytes()


def _world(case: Path) -> tuple[Domain, Registry]:
    return WORLDS[_facts(case).get("domain", "n8n")]


def _facts(case: Path) -> dict[str, Any]:
    file = case / "setting.json"
    facts: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return facts


def _compile_options(case: Path) -> CompileOptions:
    facts = _facts(case)
    credentials = facts.get("credentials")
    return CompileOptions(
        purpose=facts.get("purpose", "judge"),
        policy=Policy(
            denied=tuple(facts.get("denied", ())),
            target=Target.of({name: facts[name] for name in TARGET_OPTIONS if name in facts}),
        ),
        limits=Limits(**{key: facts[key] for key in ("draft_bytes", "names") if key in facts}),
        credentials=None
        if credentials is None
        else tuple(StoredCredential(**credential) for credential in credentials),
        seed="golden",
        approvals=tuple(facts.get("approvals", ())),
        path_secret=b"golden",
    )
