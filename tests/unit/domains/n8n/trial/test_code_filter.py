"""A trial runs only code that computes and cannot leave the sandbox."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from py_mini_racer import JSEvalException, MiniRacer

from grounded_builder.domains.n8n.javascript.code_filter import add_guards, check_code
from runtime import paths
from tests.unit.domains.n8n.drafts import node
from tests.unit.domains.n8n.trial.test_trial import CODE, cast, go, make_copy
from tests.unit.domains.n8n.trial.trial_code.evasions import SNIPPETS as EVASIONS
from tests.unit.domains.n8n.trial.trial_code.harmless import SNIPPETS
from tests.unit.domains.n8n.trial.trial_code.hostile import FAMILIES

_REAL = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
# Of 1,454 real scripts without a word for a way out 1,417 run. The others mostly write names that
# nobody declares, or read the environment.
_LEAST_REAL = 0.9


@pytest.mark.parametrize("family", FAMILIES)
def test_code_that_reaches_out_is_not_run(family: str) -> None:
    """No snippet that leaves the sandbox is run, whichever way it takes."""
    assert [code for code in FAMILIES[family] if check_code(code).reason is None] == []


def test_no_evasion_passes() -> None:
    """Code that leaves the sandbox is not run, whatever syntax hides it."""
    assert [code for code in EVASIONS if check_code(code).reason is None] == []


@pytest.mark.parametrize("code", SNIPPETS)
def test_code_that_computes_is_run(code: str) -> None:
    """Code that only computes is run, and compiles with its guards."""
    verdict = check_code(code)
    assert verdict.reason is None
    guarded = add_guards(code, verdict)
    assert guarded.count("\n") == code.count("\n")
    assert check_code(code) == verdict
    MiniRacer().eval(f"(async function () {{ {guarded}\n}}); 1")


def test_the_reason_names_what_is_not_allowed() -> None:
    """The answer states which name kept the code from being run."""
    kinds = cast(go(), node("Code", CODE, {"jsCode": "return process.env;"})).treatments
    assert kinds["Code"].kind == "stand-in"
    assert kinds["Code"].why.endswith("the name process")


def test_a_computed_name_that_leads_to_code_is_refused_when_it_runs() -> None:
    """The copy reads data by any name, and never the constructor of a function."""
    code = "const o = $json; const v = o[o.key]; const w = o['n'][o.m + '']; return [v, w];"
    (sent,) = [
        item
        for item in make_copy(go(), node("Code", CODE, {"jsCode": code})).workflow["nodes"]
        if item["name"] == "Code"
    ]
    script = f"(function ($json) {{ {sent['parameters']['jsCode']}\n}})"
    engine = MiniRacer()
    run = "(v) => JSON.stringify(v)"
    good = {"key": "a b", "a b": 7, "n": {"7": [1]}, "m": 7}
    assert json.loads(str(engine.eval(f"({run})({script}({json.dumps(good)}))"))) == [7, [1]]
    for name in ("constructor", "__proto__", "prototype", "call", "get"):
        with pytest.raises(JSEvalException, match=f"a trial reads no member {name}"):
            engine.eval(f"({run})({script}({json.dumps({**good, 'key': name})}))")


@pytest.mark.parametrize("start", ["\U0001f600", "é", "a\u2028b"])
def test_guards_stand_where_v8_counts(start: str) -> None:
    """Characters of two units and separators of lines move no guard."""
    code = f"const s = '{start}'; return [s, 7][$json.k];"
    guarded = add_guards(code, check_code(code))
    assert MiniRacer().eval(f"(function ($json) {{ {guarded} }})({{ k: 1 }})") == 7


def test_a_name_of_the_code_is_not_taken_for_the_guard() -> None:
    """The code cannot put a function of its own in the place of the guard."""
    code = "const memberName0 = 1, m\\u0065mberName1 = 2; return $json[$json.k];"
    assert "memberName2(($json.k))" in add_guards(code, check_code(code))


def test_deep_and_long_code_costs_little() -> None:
    """Code of a size that no person writes is not run, and answered soon."""
    for code in ("(" * 50_000, "[" * 100_000 + "]" * 100_000, "return 1;" * 30_000):
        assert check_code(code).reason is not None


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("sort", {"type": "code", "code": "return 1"}),
        ("sort", {"type": "={{ 'code' }}", "code": "return 1"}),
        ("itemLists", {"operation": "sort", "type": "code", "code": "return 1"}),
        ("merge", {"mode": "combineBySql", "query": "SELECT * FROM input1"}),
    ],
)
def test_other_nodes_that_run_text_are_stood_in_for(tool: str, params: dict[str, str]) -> None:
    """The code of a Sort and the SQL of a Merge are run by nothing that the filter covers."""
    kinds = cast(go(), node("Other", f"n8n-nodes-base.{tool}", params)).treatments
    assert kinds["Other"].kind == "stand-in"


@pytest.mark.parametrize(
    "params",
    [
        {"language": "python", "pythonCode": "return 1"},
        {"language": "pythonNative", "pythonCode": "return 1"},
        {"jsCode": "={{ $json.code }}"},
        {"jsCode": 7},
    ],
)
def test_only_written_javascript_is_run(params: dict[str, object]) -> None:
    """Python, code that an expression gives, and what is no text are not run."""
    assert cast(go(), node("Code", CODE, params)).treatments["Code"].kind == "stand-in"


@pytest.mark.skipif(
    not _REAL.exists(), reason="the collected workflows are not beside the checkout"
)
def test_most_real_code_is_run() -> None:
    """Nearly all real scripts that name no way out of the sandbox are run."""
    scripts = list(dict.fromkeys(_real_scripts()))[::7]
    is_run = [check_code(code).reason is None for code in scripts]
    assert len(scripts) >= 100
    assert sum(is_run) >= _LEAST_REAL * len(scripts)


def _real_scripts() -> Iterator[str]:
    """Scripts without a word that the filter is there to refuse."""
    words = ("helpers", "constructor", "require", "this", "process", "$env", "prototype", "fetch")
    with gzip.open(_REAL, "rt", encoding="utf-8") as stream:
        for line in stream:
            for item in json.loads(line)["workflow"].get("nodes", []):
                code = (item.get("parameters") or {}).get("jsCode")
                if item.get("type") != CODE or not isinstance(code, str):
                    continue
                if not any(word in code for word in words):
                    yield code
