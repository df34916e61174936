"""Laws of changes to workflows, over the invented catalog."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.text_edits import format_like, rewrite_text
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.drafting.edits.apply import Revision, apply_edits, difference
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.registries import acme_registry

Json = dict[str, Any]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return acme_registry()


def workflow() -> Json:
    """Hook, Mail and Copy in a line; Copy speaks of Mail; values are written as n8n would not."""
    document = catalogs.workflow()
    mail = document["nodes"][1]
    copy = {**mail, "id": "node-copy", "name": "Copy", "position": [440, 0]}
    copy["parameters"] = {**mail["parameters"], "body": "={{ $('Mail').item.json.id }} Mail"}
    document["nodes"].append(copy)
    leads = {"main": [[{"node": "Copy", "type": "main", "index": 0}]]}
    document["connections"]["Mail"] = leads
    document["pinData"] = {"Mail": [{"json": {"id": 1}}]}
    return document


def change_workflow(registry: Registry, *changes: Json, document: Json | None = None) -> Revision:
    ground = EditContext(N8N, registry, CompileOptions(purpose="import"))
    document = document or workflow()
    before = json.dumps(document)
    revision = apply_edits(document, {"changes": list(changes)}, EDITOR, ground)
    assert json.dumps(document) == before, "the given document was changed"
    return revision


def document_of(revision: Revision) -> Json:
    assert revision.document is not None, [
        diagnostic.message for diagnostic in revision.compilation.diagnostics
    ]
    document: Json = revision.document
    return document


def nodes(document: Json) -> dict[str, Json]:
    return {node["name"]: node for node in document["nodes"]}


def leads(document: Json, name: str, output: int = 0) -> list[str]:
    main = document["connections"].get(name, {}).get("main", [])
    return [target["node"] for target in main[output]] if output < len(main) else []


SEND = {"resource": "message", "operation": "send", "to": "c@d.example"}


@pytest.mark.parametrize(
    "changes",
    [
        [{"add": {"tool": "Acme Router"}, "after": "Mail"}],
        [{"add": {"tool": catalogs.MAIL, "params": SEND}, "between": ["Hook", "Mail"]}],
        [{"add": {"tool": catalogs.MAIL, "params": SEND}, "before": "Copy"}],
        [{"add": {"tool": catalogs.HOOK, "params": {"path": "two"}}, "beside": "Hook"}],
        [{"remove": "Copy"}],
        [{"set": "Copy", "params": {"to": "x@y.example"}}],
        [{"disable": "Copy"}],
        [{"rename": "Copy", "to": "Second"}],
        [{"replace": "Copy", "by": {"tool": "Acme Router"}}],
        [{"remove": "Copy"}, {"add": {"tool": catalogs.MAIL, "params": SEND}, "after": "Mail"}],
        [{"disconnect": {"from": "Mail", "to": "Copy"}}, {"remove": "Copy"}],
    ],
)
@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_untouched_nodes_keep_their_bytes(
    registry: Registry, changes: list[Json], indent: Any
) -> None:
    """Every node that no change names keeps its bytes in the rewritten text."""
    document = workflow()
    document["nodes"][0]["parameters"]["path"] = "gr\u00e9et"
    text = json.dumps(document, indent=indent)  # non-ASCII is escaped, which ours would not be
    after = document_of(change_workflow(registry, *changes, document=document))
    new = rewrite_text(text, document, after)
    assert json.loads(new) == after
    named = {str(value) for change in changes for value in change.values()}
    for node in document["nodes"]:
        if node["name"] not in named:
            assert node in after["nodes"]
    hook = text[text.index('"id": "node-hook"') : text.index('"id": "node-mail"')]
    assert hook in new


def test_an_added_step_is_a_branch_unless_it_is_inline(registry: Registry) -> None:
    """The successors of a node stay its own; with ``inline`` they follow the new step."""
    step = {"tool": "Acme Router", "action": "Route"}
    branch = document_of(change_workflow(registry, {"add": step, "after": "Mail"}))
    assert leads(branch, "Mail") == ["Copy", "Route"]
    assert leads(branch, "Route") == []
    inline = document_of(change_workflow(registry, {"add": step, "after": "Mail", "inline": True}))
    assert leads(inline, "Mail") == ["Route"]
    assert leads(inline, "Route") == ["Copy"]


def test_a_new_node_stands_beside_its_neighbour_and_on_nothing(registry: Registry) -> None:
    """A new node covers none, and none is moved for it."""
    step = {"tool": "Acme Router"}
    changes = [{"add": step, "after": "Mail"}, {"add": step, "before": "Copy"}]
    document = document_of(change_workflow(registry, *changes, {"add": step}))
    places = [tuple(node["position"]) for node in document["nodes"]]
    for number, (x, y) in enumerate(places):
        for other_x, other_y in places[number + 1 :]:
            assert abs(x - other_x) >= 96 or abs(y - other_y) >= 96
    assert places[:3] == [tuple(node["position"]) for node in workflow()["nodes"]]


def test_names_are_unique(registry: Registry) -> None:
    """A new node never takes the name of another, whatever its case."""
    step = {"tool": "Acme Router", "action": "mail"}
    document = document_of(change_workflow(registry, {"add": step, "after": "Hook"}))
    assert len({node["name"].casefold() for node in document["nodes"]}) == 4


def test_steps_added_together_speak_of_each_other(registry: Registry) -> None:
    """A later change may name a step by its id, as may expressions in it."""
    first = {"id": "route", "tool": "Acme Router", "action": "Choose way"}
    second = {
        "id": "tell",
        "tool": catalogs.MAIL,
        "params": SEND | {"body": "{{ $('route').first().json.a }}"},
    }
    document = document_of(
        change_workflow(
            registry, {"add": first, "after": "Copy"}, {"add": second, "after": "route"}
        )
    )
    assert leads(document, "Choose way") == ["Send a message"]
    assert "$('Choose way')" in nodes(document)["Send a message"]["parameters"]["body"]


def test_a_rename_is_followed_everywhere(registry: Registry) -> None:
    """Edges, pinned items and references in expressions take the new name; plain words do not."""
    document = document_of(change_workflow(registry, {"rename": "Mail", "to": "It's out"}))
    body = nodes(document)["Copy"]["parameters"]["body"]
    assert body == "={{ $('It\\'s out').item.json.id }} Mail"
    assert leads(document, "Hook") == ["It's out"]
    assert leads(document, "It's out") == ["Copy"]
    assert "It's out" in document["pinData"]


def test_a_removed_node_leaves_no_gap(registry: Registry) -> None:
    """Predecessors of a removed node are joined to its successors, unless this is switched off."""
    document = workflow()
    document["nodes"][2]["parameters"]["body"] = ""
    joined = document_of(change_workflow(registry, {"remove": "Mail"}, document=document))
    assert leads(joined, "Hook") == ["Copy"]
    assert "Mail" not in joined["connections"]
    assert "Mail" not in joined["pinData"]


def test_a_change_that_breaks_what_stands_is_refused(registry: Registry) -> None:
    """A removed node that is still spoken of is an unknown reference: nothing is changed."""
    revision = change_workflow(registry, {"remove": "Mail"})
    assert revision.document is None
    assert "N8N322" in {diagnostic.code for diagnostic in revision.compilation.diagnostics}


def test_sub_nodes_go_with_the_node_that_they_serve(registry: Registry) -> None:
    """A model is put under the agent that it serves, and goes with it."""
    agent = {"id": "agent", "tool": catalogs.AGENT, "action": "Answer"}
    model = {"tool": catalogs.MODEL, "action": "Think"}
    document = document_of(
        change_workflow(registry, {"add": agent, "after": "Copy"}, {"add": model, "for": "agent"})
    )
    assert document["connections"]["Think"]["ai_languageModel"][0][0]["node"] == "Answer"
    assert nodes(document)["Think"]["position"][1] > nodes(document)["Answer"]["position"][1]
    bare = document_of(change_workflow(registry, {"remove": "Answer"}, document=document))
    assert set(nodes(bare)) == {"Hook", "Mail", "Copy"}


def test_structure_that_is_missing_is_wrong(registry: Registry) -> None:
    """An agent without its model is refused."""
    agent = {"tool": catalogs.AGENT}
    assert change_workflow(registry, {"add": agent, "after": "Copy"}).document is None


def test_a_replaced_node_keeps_what_both_tools_take(registry: Registry) -> None:
    """Id, place and edges stay; the credential of the old tool goes."""
    before = nodes(workflow())["Mail"]
    document = workflow()
    document["nodes"][2]["parameters"]["body"] = ""
    after = document_of(
        change_workflow(
            registry, {"replace": "Mail", "by": {"tool": "Acme Router"}}, document=document
        )
    )
    new = next(node for node in after["nodes"] if node["id"] == before["id"])
    assert (new["type"], new["position"]) == (catalogs.ROUTER, before["position"])
    assert "credentials" not in new
    assert leads(after, new["name"]) == ["Copy"]
    assert new["name"] == "Mail", "only a name that tells the old tool is changed"


def test_only_named_parameters_are_set(registry: Registry) -> None:
    """Loose names find their parameter; the others keep their values; null takes one away."""
    changes = {"set": "copy", "params": {"recipient": "q@r.example", "body": None}}
    parameters = nodes(document_of(change_workflow(registry, changes)))["Copy"]["parameters"]
    assert parameters == {"resource": "message", "operation": "send", "to": "q@r.example"}


def test_earlier_fault_does_not_block_edit(registry: Registry) -> None:
    """A fault that the changes do not touch is reported separately, and there is no artifact."""
    document = workflow()
    document["nodes"][2]["parameters"]["body"] = "={{ $('Nobody').item }}"
    revision = change_workflow(registry, {"disable": "Mail"}, document=document)
    assert revision.compilation.verdict == "ok"
    assert revision.compilation.artifact is None
    assert "N8N322" in {diagnostic.code for diagnostic in revision.remaining}
    assert document_of(revision)["nodes"][1]["disabled"] is True


def test_fixed_finding_is_reported(registry: Registry) -> None:
    """Findings that the changes remove are listed."""
    document = workflow()
    document["nodes"][2]["parameters"]["body"] = "={{ $('Nobody').item }}"
    change = {"set": "Copy", "params": {"body": "hello"}}
    revision = change_workflow(registry, change, document=document)
    assert "N8N322" in {diagnostic.code for diagnostic in revision.fixed}
    assert revision.compilation.artifact is not None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"remove": "Nobody at all"}, "GB321"),
        ({"remove": ""}, "GB111"),
        ({"paint": "Mail"}, "GB111"),
        ({"set": "Mail", "params": {}}, "GB111"),
        ({"add": {"tool": "acme-nodes.carrierPigeon"}, "after": "Mail"}, "GB201"),
        ({"add": {"tool": catalogs.SHELL}, "after": "Mail"}, "GB204"),
        ({"add": {"tool": "Acme Router"}, "after": "Mail", "output": "nowhere"}, "GB324"),
        ({"add": {"tool": "Acme Router"}, "between": ["Hook", "Copy"]}, "GB321"),
        ({"add": {"tool": catalogs.MODEL}, "for": "Mail"}, "GB325"),
        ({"rename": "Mail", "to": "Copy"}, "GB311"),
        ({"connect": {"from": "Mail"}}, "GB111"),
        ({"disconnect": {"from": "Hook", "to": "Copy"}}, "GB321"),
    ],
)
def test_a_change_that_cannot_be_made_is_named(registry: Registry, change: Json, code: str) -> None:
    """Each departure is one finding with what to do, and nothing is changed."""
    revision = change_workflow(registry, change)
    diagnostics = [
        diagnostic
        for diagnostic in revision.compilation.diagnostics
        if diagnostic.rule.kind == "wrong"
    ]
    assert [diagnostic.code for diagnostic in diagnostics] == [code]
    assert diagnostics[0].help or diagnostics[0].alternatives
    assert revision.document is None


def test_the_difference_is_a_patch(registry: Registry) -> None:
    """The difference of two documents names what changed, and is empty where nothing did."""
    document = workflow()
    after = document_of(change_workflow(registry, {"disable": "Copy"}, document=document))
    lines = difference(document, after).splitlines()
    added = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    assert '+      "disabled": true' in added
    assert difference(document, document) == ""
    assert format_like(document, "") != format_like(after, "")


def test_a_drafter_sees_code_whole_while_the_workflow_is_small(registry: Registry) -> None:
    """Values are shortened only as far as the size of the workflow requires."""
    ground = EditContext(N8N, registry, CompileOptions())
    code = "return items; " * 100
    small = workflow()
    small["nodes"][1]["parameters"]["body"] = code
    assert code in EDITOR.describe(small, ground)
    large = workflow()
    copies = [
        {**small["nodes"][1], "id": f"n{number}", "name": f"Mail {number}"} for number in range(60)
    ]
    large["nodes"] += copies
    summary = EDITOR.describe(large, ground)
    assert len(summary) < 20_000
    assert code not in summary
