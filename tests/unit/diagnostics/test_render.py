"""Findings shown to people and programs, with their place in the source."""

from __future__ import annotations

import json

from grounded_builder.diagnostics import Edit, Fix, new_diagnostic, sorted_unique, verdict_of
from grounded_builder.diagnostics.finding_json import as_json, to_short_form
from grounded_builder.diagnostics.json_position import locate
from grounded_builder.diagnostics.render import (
    CheckedInput,
    render_for_model,
    render_github,
    render_text,
)
from grounded_builder.diagnostics.sarif import sarif_log, sarif_results
from grounded_builder.domains.rules import BY_CODE

TEXT = '{\n  "nodes": [\n    {"name": "a", "type": "gmial"}\n  ]\n}\n'
FINDING = new_diagnostic(
    BY_CODE["GB201"],
    ("nodes", 0, "type"),
    'no tool "gmial" is installed',
    help="use another",
    node="a",
    token="gmial",
    alternatives=["gmail"],
    fix=Fix(safe=True, edits=(Edit("set", ("nodes", 0, "type"), "gmail"),), reason="near"),
)
JUDGED = CheckedInput("flow.json", TEXT, "wrong", (FINDING,))


def test_a_route_is_found_in_the_text() -> None:
    """A value's line and column count from 1; an absent key falls back to its parent."""
    places = locate(TEXT, [("nodes", 0, "type"), ("nodes", 0, "absent"), ()])
    assert (places["nodes", 0, "type"].line, places["nodes", 0, "type"].column) == (3, 27)
    assert TEXT[places["nodes", 0, "type"].offset :].startswith('"gmial"')
    assert (places["nodes", 0, "absent"].line, places["nodes", 0, "absent"].column) == (3, 5)


def test_a_text_that_is_no_json_still_has_places() -> None:
    """In a truncated text the nearest place before the end is used."""
    assert locate("not json", [("nodes", 0)])["nodes", 0].line == 1
    assert locate('{"nodes": [', [("nodes", 0)])["nodes", 0].line == 1


def test_one_finding_is_one_line_that_names_its_place() -> None:
    """Text output begins like a compiler's."""
    first = render_text(JUDGED).splitlines()[0]
    assert first == ('flow.json:3:27: error GB201 unknown-tool [a]: no tool "gmial" is installed')


def test_github_commands_carry_file_and_line() -> None:
    """Annotations name file, line and column."""
    assert render_github(JUDGED).startswith("::error file=flow.json,line=3,col=27,title=GB201")


def test_sarif_has_one_result_a_finding() -> None:
    """SARIF names the rule and the region."""
    run = sarif_log(sarif_results(JUDGED), [d.rule for d in JUDGED.diagnostics])["runs"][0]
    assert run["results"][0]["ruleId"] == "GB201"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 27, "endColumn": 34}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["GB201"]


def test_json_carries_pointer_and_edits() -> None:
    """The full form has the place as a JSON pointer and survives JSON."""
    full = json.loads(json.dumps(as_json(FINDING)))
    assert full["at"] == "/nodes/0/type"
    assert full["fix"]["edits"] == [{"op": "set", "at": "/nodes/0/type", "value": "gmail"}]


def test_the_short_form_is_the_plain_one_of_the_field() -> None:
    """Type, tool name, message, severity and suggestions, nothing else."""
    assert to_short_form([FINDING]) == [
        {
            "type": "UnknownTool",
            "tool_name": "gmial",
            "message": 'no tool "gmial" is installed',
            "severity": "error",
            "suggested_tools": ["gmail"],
        }
    ]


def test_a_model_reads_each_finding_once() -> None:
    """Findings are numbered, with place, alternatives and help; notes are left out."""
    note = new_diagnostic(BY_CODE["GB103"], (), "in text")
    assert (
        render_for_model([note, FINDING])
        .splitlines()[0]
        .startswith("1. unknown-tool at /nodes/0/type")
    )


def test_findings_are_sorted_and_reported_once() -> None:
    """Order of emission does not matter, repetition is dropped."""
    early = new_diagnostic(BY_CODE["GB301"], ("nodes", 0, "parameters"), "m")
    late = new_diagnostic(BY_CODE["GB301"], ("nodes", 10), "m")
    assert sorted_unique([late, FINDING, early, FINDING]) == (early, FINDING, late)


def test_the_verdict_follows_from_the_classes() -> None:
    """Wrong beats incomplete beats ok, advice changes nothing."""
    advice, missing = (
        new_diagnostic(BY_CODE["GB303"], (), "m"),
        new_diagnostic(BY_CODE["GB301"], (), "m"),
    )
    assert verdict_of([]) == verdict_of([advice]) == "ok"
    assert verdict_of([advice, missing]) == "incomplete"
    assert verdict_of([missing, FINDING]) == "wrong"
