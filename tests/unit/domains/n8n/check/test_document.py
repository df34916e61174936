"""Keys and values that n8n's public API refuses at creation are wrong before the import."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import (
    REGISTRY,
    START,
    STEP,
    codes,
    compile_workflow,
    findings_of,
    node,
    registry,
    text,
    tool,
    workflow,
)

NOTE = "n8n-nodes-base.stickyNote"


def _draft(**more: Any) -> dict[str, Any]:
    return workflow([node("S", START)], **more)


def test_export_only_keys_are_named_once_and_left_out() -> None:
    """Keys that n8n writes itself make one note, and are not in the artifact."""
    draft = _draft(id="1", active=False, tags=[], versionId="v", pinData={}, staticData=None)
    draft["settings"] = {"binaryMode": "separate", "saveManualExecutions": "DEFAULT"}
    draft["nodes"][0]["color"] = "#fff"
    (note,) = findings_of(draft, "N8N102")
    for key in ("id", "active", "tags", "settings.binaryMode", "nodes.color"):
        assert key in note.message
    artifact = compile_workflow(draft).artifact
    assert artifact is not None
    assert set(artifact) == {"name", "nodes", "connections", "settings", "pinData", "staticData"}
    assert artifact["settings"] == {}
    assert "color" not in artifact["nodes"][0]


@pytest.mark.parametrize(
    ("where", "key"), [("workflow", "author"), ("settings", "retries"), ("node", "descripton")]
)
def test_unknown_keys_are_wrong_and_taken_out(where: str, key: str) -> None:
    """A key that n8n does not know is refused by it, so it is removed."""
    draft = _draft()
    places = {"workflow": draft, "settings": draft["settings"], "node": draft["nodes"][0]}
    places[where][key] = 1
    assert [d.token for d in findings_of(draft, "N8N101")] == [key]
    corrected = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert key not in json.dumps(corrected.artifact)
    # What a node or the settings state is a question; the workflow's own keys describe the file.
    lost = [d.token for d in corrected.diagnostics if d.code == "GB117"]
    assert lost == ([] if where == "workflow" else [key])
    assert corrected.verdict == ("ok" if where == "workflow" else "incomplete")


@pytest.mark.parametrize(
    ("where", "key", "value", "written"),
    [
        ("node", "OnError", "continueErrorOutput", {"onError": "continueErrorOutput"}),
        ("node", "retry_on_fail", True, {"retryOnFail": True}),
        ("node", "enabled", False, {"disabled": True}),
        ("node", "enabled", True, {"disabled": False}),
        ("node", "purpose", "fetches the list", {"notes": "purpose: fetches the list"}),
        ("settings", "timeZone", "Europe/Berlin", {"timezone": "Europe/Berlin"}),
        ("settings", "execution-timeout", 60, {"executionTimeout": 60}),
    ],
)
def test_another_spelling_of_a_key_is_written_as_n8n_has_it(
    where: str, key: str, value: Any, written: dict[str, Any]
) -> None:
    """Its value keeps its effect, and a note states which key it has now."""
    draft = _draft()
    places = {"settings": draft["settings"], "node": draft["nodes"][0]}
    places[where][key] = value
    corrected = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert corrected.artifact is not None
    assert "GB117" not in [d.code for d in corrected.diagnostics]
    holders = {"settings": corrected.artifact["settings"], "node": corrected.artifact["nodes"][0]}
    assert holders[where].items() >= written.items()
    assert key not in holders[where]
    assert [note.at[-1] for note in corrected.corrections] == [key]


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_an_unknown_key_that_states_nothing_is_only_noted(value: Any) -> None:
    draft = _draft()
    draft["nodes"][0]["retries"] = value
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"


def test_another_spelling_never_replaces_the_key_itself() -> None:
    """Of two different values one is left out and reported."""
    draft = _draft()
    draft["nodes"][0] |= {"retryOnFail": True, "retry_on_fail": False}
    corrected = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert corrected.artifact is not None
    assert corrected.artifact["nodes"][0]["retryOnFail"] is True
    assert [d.token for d in corrected.diagnostics if d.code == "GB117"] == ["retry_on_fail"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("position", [1]),
        ("position", {"x": 1, "y": 2}),
        ("position", ["1", "2"]),
        ("position", None),
        ("id", 7),
        ("disabled", "true"),
        ("notes", None),
        ("webhookId", 5),
        ("typeVersion", None),
    ],
)
def test_misshapen_node_values_are_wrong_and_mended(key: str, value: Any) -> None:
    """A value of a node that n8n refuses is wrong; where its meaning is plain it is corrected."""
    draft = workflow([node("S", START), node("T", STEP, **{key: value})], [("S", "T")])
    assert codes(draft) == ["N8N103"]
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"


@pytest.mark.parametrize(
    ("key", "value"),
    [("credentials", []), ("notesInFlow", "Sends it"), ("maxTries", "often"), ("onError", 1)],
)
def test_misshapen_values_without_plain_meaning_stay_wrong(key: str, value: Any) -> None:
    """A value that can only be corrected by a guess stays wrong."""
    draft = workflow([node("S", START, **{key: value})])
    assert codes(draft) == ["N8N103"]
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "wrong"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("executionTimeout", "60"),
        ("saveDataErrorExecution", "some"),
        ("callerPolicy", "everybody"),
        ("executionOrder", 1),
        ("availableInMCP", None),
    ],
)
def test_misshapen_settings_are_wrong(key: str, value: Any) -> None:
    """A setting of a wrong type or outside its list is refused by n8n."""
    assert codes(_draft(settings={key: value})) == ["N8N103"]


def test_misshapen_workflow_values_are_wrong() -> None:
    """The parts of a workflow have shapes too; null settings are none."""
    assert codes(_draft(staticData="{")) == ["N8N103"]
    assert codes(_draft(pinData=[])) == ["N8N103"]
    assert codes(_draft(name=None)) == ["N8N103"]
    assert (
        compile_with_fixes(_draft(settings=None), N8N, REGISTRY, CompileOptions()).verdict == "ok"
    )


def test_an_edge_names_its_input() -> None:
    """n8n refuses an edge without an input index; it means the first."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    del draft["connections"]["S"]["main"][0][0]["index"]
    assert codes(draft) == ["N8N104"]
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"
    draft["connections"]["S"]["main"][0][0]["index"] = -1
    assert "N8N104" in codes(draft)


def test_findings_lie_inside_the_wrapper() -> None:
    """In a document under a wrapper key every route begins with that key."""
    draft = {"workflow": _draft(author="me")}
    assert [d.at for d in findings_of(draft, "N8N101")] == [("workflow", "author")]
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"


def test_a_parameter_on_the_node_is_moved() -> None:
    """n8n refuses it there; inside it works, and no value that stands there is overwritten."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    name = next(iter(REGISTRY.spec(STEP, 1).declarations.root.by_name))
    draft["nodes"][1][name] = "x"
    (diagnostic,) = findings_of(draft, "N8N341")
    assert diagnostic.at == ("nodes", 1, name)
    assert not findings_of(draft, "N8N101")
    mended = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).document["nodes"][1]
    assert name not in mended
    assert mended["parameters"][name] == "x"
    draft["nodes"][1]["parameters"] = {name: "y"}
    value = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).document["nodes"][1]
    assert value["parameters"][name] == "y"


def _note(**parameters: Any) -> dict[str, Any]:
    draft = _draft()
    draft["nodes"].append(node("Note", NOTE, parameters))
    return draft


@pytest.mark.parametrize("key", ["text", "notes", "note", "markdown"])
def test_the_only_text_of_a_note_is_its_content(key: str) -> None:
    known = registry(tool(NOTE, inputs=[], outputs=[], parameters=[text("content")]))
    corrected = compile_with_fixes(_note(**{key: "Read this"}), N8N, known, CompileOptions())
    assert corrected.artifact is not None
    assert corrected.artifact["nodes"][1]["parameters"] == {"content": "Read this"}
    assert [note.at[-1] for note in corrected.corrections] == [key]


def test_other_parameters_of_a_note_are_reported() -> None:
    known = registry(tool(NOTE, inputs=[], outputs=[], parameters=[text("content")]))
    draft = _note(content="Read this", text="And this", size=7, shade="")
    corrected = compile_with_fixes(draft, N8N, known, CompileOptions())
    tokens = [d.token for d in corrected.diagnostics if d.code == "GB306"]
    assert sorted(map(str, tokens)) == ["size", "text"]
