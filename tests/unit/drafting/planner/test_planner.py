"""The keyword planner over the invented catalog: steps, open points and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Operation
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.partial_build import without_wrong
from grounded_builder.drafting.planner.operations import Service, choose_event
from grounded_builder.drafting.planner.propose import Proposal, propose
from grounded_builder.drafting.planner.reading import Word
from grounded_builder.drafting.planner_fallback import _name_left_out, plan_without_model
from grounded_builder.ir.domain import Domain, ReadPhrase
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.resolve.diagnose import no_reference_catalogs
from tests.support import catalogs
from tests.support.registries import registry_from
from tests.support.tool_implementations import choice

SEND = {"resource": "message", "operation": "send"}


@pytest.fixture(scope="module")
def registry() -> Registry:
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
        if line.get("id") in (catalogs.MODEL, catalogs.LOOKUP):
            line["capabilities"] = ["ai_languageModel" if "Model" in line["name"] else "ai_tool"]
    return registry_from(catalogs.jsonl(lines))


@pytest.fixture(scope="module")
def domain() -> Domain:
    """The domain with a phrase that starts a graph."""
    phrases = (ReadPhrase("Acme calls", catalogs.HOOK, starts=True),)
    return replace(
        N8N,
        prompting=replace(
            N8N.prompting,
            read_phrases=phrases,
            default_trigger=catalogs.HOOK,
            trigger_of_step={},
        ),
    )


def _steps(proposal: Proposal) -> list[dict[str, Any]]:
    """Returns the steps that are read; an open one has no values and no links."""
    open_ids = {id_ for p in proposal.placements if p.unclear for id_ in p.steps}
    for step in proposal.plan["steps"]:
        assert step["id"] not in open_ids or (step["params"], step["inputs"]) == ({}, [])
        assert open_ids.isdisjoint(map(str, step["inputs"]))
    return [step for step in proposal.plan["steps"] if step["id"] not in open_ids]


def test_clauses_become_steps_in_order(domain: Domain, registry: Registry) -> None:
    """The trigger is first, each action follows the previous one, and all clauses are listed."""
    request = "When Acme calls, send a message with Acme Mail to kim@a.example"
    proposal = propose(request, domain, registry)
    first, second = _steps(proposal)
    assert (first["tool"], second["tool"]) == (catalogs.HOOK, catalogs.MAIL)
    assert second["inputs"] == [first["id"]]
    assert second["params"] == {**SEND, "to": "kim@a.example"}
    assert (proposal.unplaced_clauses, proposal.open) == ((), ())
    clauses = proposal.plan["metadata"]["clauses"]
    assert [clause["steps"] for clause in clauses] == [[first["id"]], [second["id"]]]


def test_a_start_behind_what_is_done_is_first(domain: Domain, registry: Registry) -> None:
    """The order of a sentence that ends with its start is the order of the work."""
    proposal = propose("Send a message with Acme Mail when Acme calls", domain, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]


@pytest.mark.parametrize(
    "request_",
    [
        "When Acme calls, if the sum is over 5, send a message with Acme Mail",
        "When Acme calls, send a message with Acme Mail if the sum is over 5",
        "When Acme calls, send a message with Acme Mail, provided that the sum is over 5",
        "When Acme calls, send a message with Acme Mail, in case the sum is over 5",
        "When Acme calls, in case the sum is over 5, send a message with Acme Mail",
        "When Acme calls, if it rains, get a message with Acme Mail. Send a message with Acme Mail",
        "Send a message with Acme Mail when Acme calls, but only if the sum is over 5",
        "When Acme calls send a message with Acme Mail, but solely if the door seems open",
        "Send a message with Acme Mail when Acme calls, though just if the door seems open",
    ],
)
def test_clauses_under_condition_are_not_drawn(
    request_: str, domain: Domain, registry: Registry
) -> None:
    """Conditions are not read, and clauses that may depend on one are listed without a step."""
    proposal = propose(request_, domain, registry)
    assert {step["tool"] for step in _steps(proposal)} <= {catalogs.HOOK}
    assert any("message with Acme Mail" in clause for clause in proposal.unplaced_clauses)


@pytest.mark.parametrize(
    ("request_", "drawn"),
    [
        ("When Acme calls, send a frobnicated message with Acme Mail", 0),
        ("When Acme calls, frob the gizmo, send a message with Acme Mail", 0),
        ("When Acme calls, send the gizmo, send a message with Acme Mail", 1),
        ("When Acme calls, send a message with Acme Mail, send the gizmo", 1),
        ("When Acme calls, send a message with Acme Mail. Frob the gizmo.", 1),
    ],
)
def test_a_clause_is_drawn_whole_or_not_at_all(
    request_: str, drawn: int, domain: Domain, registry: Registry
) -> None:
    """An unread word leaves its clause without a step, and its sentence if it asks for nothing."""
    proposal = propose(request_, domain, registry)
    tools = [step["tool"] for step in _steps(proposal)]
    assert tools.count(catalogs.MAIL) == drawn
    assert proposal.unplaced_clauses


@pytest.mark.parametrize(
    "request_",
    [
        "When Acme calls, send a message with Acme Mail",
        "When Acme calls, get a message with Acme Mail, then send a message with Acme Mail",
        "Acme Hook -> Acme Mail",
    ],
)
@pytest.mark.parametrize("word", ["frobnicated", "not", "7", "except", "other"])
def test_no_word_is_passed_over(
    request_: str, word: str, domain: Domain, registry: Registry
) -> None:
    """A word that nothing stands for, wherever it is, is among what the plan names as not read."""
    words = request_.split()
    for at in range(len(words) + 1):
        changed = " ".join([*words[:at], word, *words[at:]])
        proposal = propose(changed, domain, registry)
        named = " | ".join((*proposal.unplaced_clauses, *proposal.open, proposal.refusal or ""))
        assert word in named, changed


@pytest.mark.parametrize(
    "request_",
    [
        "Do not send a message with Acme Mail",
        "Don't send a message with Acme Mail",
        "Never, under no conditions, send a message with Acme Mail",
        "Send a message with Acme Hook, but nothing with Acme Mail",
        "Send a message with Acme Mail unless it is late",
        "Send a message with Acme Mail, except on holidays",
    ],
)
def test_negated_clause_is_not_drawn(request_: str, domain: Domain, registry: Registry) -> None:
    """A negation extends to the end of its sentence and is listed."""
    proposal = propose(request_, domain, registry)
    assert catalogs.MAIL not in {step["tool"] for step in _steps(proposal)}
    assert proposal.refusal is not None or proposal.unplaced_clauses


def test_an_operation_is_chosen_by_its_own_verb(domain: Domain, registry: Registry) -> None:
    """A verb that no operation has chooses none: the clause is named instead."""
    for verb in ("Archive", "Delete", "Publish", "Mark"):
        proposal = propose(f"When Acme calls, {verb} a message with Acme Mail", domain, registry)
        assert {step["tool"] for step in _steps(proposal)} <= {catalogs.HOOK}
        assert proposal.refusal is not None


def test_without_a_start_the_usual_one_is_supposed(domain: Domain, registry: Registry) -> None:
    """A supposed start is an open point."""
    proposal = propose("Send a message with Acme Mail", domain, registry)
    assert _steps(proposal)[0]["tool"] == catalogs.HOOK
    assert any("states no start: Acme Hook is assumed" in point for point in proposal.open)


def test_plans_compile(domain: Domain, registry: Registry) -> None:
    """The sub-nodes that a host names hang on it, and the whole compiles."""
    request = "When Acme calls, ask the Acme Agent with the Acme Chat Model"
    proposal = propose(request, domain, registry)
    kinds = {step.get("as") for step in _steps(proposal) if step.get("for")}
    assert kinds == {"ai_languageModel"}
    made = compile_with_fixes(dict(proposal.plan), domain, registry, CompileOptions())
    assert made.verdict != "wrong", [diagnostic.message for diagnostic in made.diagnostics]


def test_wrong_steps_are_removed(domain: Domain, registry: Registry) -> None:
    """The successors of a removed step follow its predecessors."""
    plan = {
        "steps": [
            {"id": "a", "tool": catalogs.HOOK, "params": {}},
            {"id": "b", "tool": "Nowhere", "params": {}, "inputs": ["a"]},
            {"id": "c", "tool": catalogs.MAIL, "params": SEND, "inputs": ["b"]},
        ],
        "metadata": {"clauses": [{"clause": "x", "steps": ["b"]}]},
    }
    made = compile_with_fixes(dict(plan), domain, registry, CompileOptions())
    rest = without_wrong(plan, made.diagnostics)
    assert rest is not None
    assert [step["id"] for step in rest["steps"]] == ["a", "c"]
    assert rest["steps"][1]["inputs"] == ["a"]
    assert rest["metadata"]["clauses"] == [{"clause": "x", "steps": []}]


def test_a_wrong_parameter_that_is_left_out_is_named(domain: Domain, registry: Registry) -> None:
    """The plan without it has the reason as an open point."""
    plan = {
        "steps": [
            {"id": "a", "tool": catalogs.HOOK, "params": {"path": "x", "method": "FROB"}},
            {"id": "b", "tool": catalogs.MAIL, "params": SEND, "inputs": ["a"]},
        ],
        "metadata": {"clauses": [], "open": []},
    }
    made = compile_with_fixes(dict(plan), domain, registry, CompileOptions())
    rest = without_wrong(plan, made.diagnostics)
    assert rest is not None
    assert rest["steps"][0]["params"] == {"path": "x"}
    (note,) = rest["metadata"]["open"]
    assert note["step"] == "a"
    assert note["text"].startswith('"method" of ')
    assert "FROB" in note["text"]


def test_request_for_denied_tool_is_refused(domain: Domain, registry: Registry) -> None:
    """A request for a denied tool is refused instead of planned without it."""
    outcome = plan_without_model(
        "When Acme calls, send a message with Acme Mail",
        domain,
        registry,
        CompileOptions(policy=Policy(denied=(catalogs.MAIL,))),
        no_reference_catalogs,
    )
    assert outcome.outcome == "refused"
    assert "Acme Mail" in outcome.summary


def test_a_long_request_names_what_is_not_read(domain: Domain, registry: Registry) -> None:
    """The part of a request beyond the limit is a clause without steps."""
    request = f"When Acme calls, send a message with Acme Mail. {'x ' * 4_000}end"
    proposal = propose(request, domain, registry)
    assert proposal.unplaced_clauses[-1].endswith("end")


def _operations(*chosen: tuple[str, str, str]) -> Registry:
    """The invented catalog, its mail with these operations: resource, operation, name."""
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
        if line.get("id") == catalogs.MAIL:
            for variant in line["variants"]:
                first = [choice("resource", list(dict.fromkeys(r for r, _, _ in chosen)))]
                shown = {r: [o for other, o, _ in chosen if other == r] for r, _, _ in chosen}
                first += [
                    choice("operation", names, {"show": {"resource": [resource]}})
                    for resource, names in shown.items()
                ]
                variant["parameters"] = [*first, choice("httpMethod", ["GET", "PUT"])]
                variant["operations"] = [
                    {"params": {"resource": r, "operation": o}, "name": name}
                    for r, o, name in chosen
                ]
    return registry_from(catalogs.jsonl(lines))


@pytest.mark.parametrize(
    ("request_", "is_drawn"),
    [
        ("When Acme calls, delete the folder with Acme Mail", True),
        (
            "When Acme calls, delete the folder with Acme Mail, then get a folder with Acme Mail",
            True,
        ),
        ("When Acme calls, delete the folder with Acme Mail where the size is big", False),
        ("When Acme calls, delete the oldest folder with Acme Mail", False),
        ("When Acme calls, delete the folder with Acme Mail, but just the stale ones", False),
        ("When Acme calls, delete the folder with Acme Mail if it seems stale", False),
        ("When Acme calls, delete a label with Acme Mail", False),
    ],
)
def test_destructive_operation_needs_fully_read_request(
    request_: str, is_drawn: bool, domain: Domain
) -> None:
    """An unread condition, or a wider operation, leaves the clause without a step."""
    registry = _operations(
        ("folder", "get", "Get a folder"),
        ("folder", "delete", "Delete a folder"),
        ("label", "purge", "Delete label or folder tree"),
    )
    proposal = propose(request_, domain, registry)
    operations = {step["params"].get("operation") for step in _steps(proposal)}
    assert bool(operations & {"delete", "purge"}) == is_drawn
    assert is_drawn or any("delete" in clause for clause in proposal.unplaced_clauses)


def test_a_tool_without_a_stated_operation_writes_nothing(domain: Domain) -> None:
    """A usual operation that reads stands and is named; one that writes is not supposed."""
    request = "When Acme calls, then Acme Mail"
    writing = _operations(
        ("ticket", "create", "Create a ticket"), ("ticket", "get", "Get a ticket")
    )
    proposal = propose(request, domain, writing)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK]
    assert proposal.unplaced_clauses
    reading = _operations(
        ("ticket", "get", "Get a ticket"), ("ticket", "create", "Create a ticket")
    )
    proposal = propose(request, domain, reading)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]
    assert any(
        '"Get a ticket" is assumed; it can also do "Create a ticket"' in point
        for point in proposal.open
    )
    arrows = propose("Acme Hook -> Acme Mail", domain, writing)
    assert any('"Create a ticket" is assumed' in point for point in arrows.open)


def test_the_noun_of_a_destination_chooses_no_operation(domain: Domain) -> None:
    """An operation of another object is not chosen for a noun that states where to."""
    registry = _operations(
        ("message", "text", "Send a message"), ("message", "state", "Send a room state")
    )
    proposal = propose("When Acme calls, post it to the Acme Mail room", domain, registry)
    assert "state" not in {step["params"].get("operation") for step in _steps(proposal)}
    stated = propose("When Acme calls, send the room state with Acme Mail", domain, registry)
    assert _steps(stated)[-1]["params"]["operation"] == "state"


@pytest.mark.parametrize(
    "request_",
    [
        "When Acme calls, save every report to the bucket in Acme Mail",
        'When Acme calls, store "hello" in an Acme Mail bucket',
    ],
)
def test_place_of_clause_chooses_no_operation(request_: str, domain: Domain) -> None:
    """The noun behind a preposition and an object chooses no operation of its own."""
    registry = _operations(("bucket", "create", "Create a bucket"), ("file", "copy", "Copy a file"))
    proposal = propose(request_, domain, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK]
    assert any('"Create a bucket"' in sentence for sentence in proposal.unplaced_notes)
    asked = propose("When Acme calls, create a bucket in Acme Mail", domain, registry)
    assert _steps(asked)[-1]["params"] == {"resource": "bucket", "operation": "create"}


@pytest.mark.parametrize(
    ("request_", "drawn"),
    [
        ("Get a ticket with Acme Mail, get a room with Acme Mail", ["ticket", "room"]),
        ("Get a ticket with Acme Mail, a room with Acme Mail", []),
        ("Get a ticket with Acme Mail, the others become a room with Acme Mail", []),
        ("Get a ticket with Acme Mail. The room goes to Acme Mail", ["ticket"]),
    ],
)
def test_each_clause_has_its_own_verb(request_: str, drawn: list[str], domain: Domain) -> None:
    """A clause without a verb is named; what it may change is not drawn either."""
    registry = _operations(
        ("ticket", "get", "Get a ticket"), ("room", "get", "Get a room"),
        ("ticket", "create", "Create a ticket"), ("room", "create", "Create a room"),
    )  # fmt: skip
    proposal = propose(request_, domain, registry)
    resources = [s["params"]["resource"] for s in _steps(proposal) if s["tool"] == catalogs.MAIL]
    assert resources == drawn
    assert len(drawn) == 2 or any(
        "Acme Mail is installed" in text for text in proposal.unplaced_notes
    )


def test_plural_object_needs_operation_for_many(domain: Domain) -> None:
    """An operation that reads one record is not drawn where rows are asked for."""
    registry = _operations(("record", "get", "Get a record"))
    many = propose("When Acme calls, get the rows with Acme Mail", domain, registry)
    assert [step["tool"] for step in _steps(many)] == [catalogs.HOOK]
    assert any('"Get a record"' in point for point in many.unplaced_notes)
    single = propose("When Acme calls, get the row with Acme Mail", domain, registry)
    assert not any("supposed" in point for point in single.open)


def test_a_stated_method_is_a_value(domain: Domain) -> None:
    """A method is set; where a tool has none of that name the clause has no step."""
    registry = _operations(("folder", "get", "Get a folder"))
    request = "When Acme calls, get a folder with Acme Mail by {}"
    assert _steps(propose(request.format("PUT"), domain, registry))[-1]["params"] == {
        "resource": "folder", "operation": "get", "httpMethod": "PUT",
    }  # fmt: skip
    other = propose(request.format("PATCH"), domain, registry)
    assert [step["tool"] for step in _steps(other)] == [catalogs.HOOK]
    assert any("PATCH" in clause for clause in other.unplaced_clauses)


def test_an_attachment_read_as_a_file_is_named(domain: Domain) -> None:
    """Whether the step before gives a file is an open point."""
    registry = _operations(("file", "upload", "Upload a file"))
    proposal = propose("When Acme calls, upload the attachment with Acme Mail", domain, registry)
    assert any('"attachment" is assumed to be a file' in point for point in proposal.open)


@pytest.mark.parametrize(
    ("request_", "is_asked"),
    [
        ("When Acme calls, do not delete it. Send a message with Acme Mail", True),
        ("When Acme calls, send a message with Acme Mail, but do not delete it", True),
        ("When Acme calls, do not delete it, send a message with Acme Mail", False),
        ("No letters, send a message with Acme Mail", False),
        ("Under no circumstances, send a message with Acme Mail", False),
    ],
)
def test_a_denial_holds_to_the_end_of_its_sentence(
    request_: str, is_asked: bool, domain: Domain, registry: Registry
) -> None:
    """The rest of a sentence after a negation is listed and not drawn."""
    tools = {step["tool"] for step in _steps(propose(request_, domain, registry))}
    assert (catalogs.MAIL in tools) == is_asked


@pytest.mark.parametrize(
    ("request_", "operation"),
    [
        ("When Acme calls, a note should be created in Acme Mail", None),
        ("When Acme calls, kindly archive a note in Acme Mail", None),
        ("When Acme calls, push notes to Acme Mail", "create"),
        ("When Acme calls, pull the notes from Acme Mail", "getAll"),
        ("When Acme calls, move the notes from Acme Mail", None),
        ("When Acme calls, create a poem in Acme Mail", None),
        ("When Acme calls, find and replace a note in Acme Mail", None),
        ("When Acme calls, post it to Acme Mail", "send"),
    ],
)
def test_an_operation_is_chosen_by_the_verb_that_begins_its_clause(
    request_: str, operation: str | None, domain: Domain
) -> None:
    """Carrying to a place creates there, carrying from it reads; the usual operation is chosen."""
    registry = _operations(
        ("mail", "send", "Send a mail"),
        ("note", "create", "Create a note"),
        ("note", "getAll", "Get many notes"),
        ("note", "swap", "Find and replace a note"),
        ("mail", "wait", "Send a fax and wait for a response"),
    )
    proposal = propose(request_, domain, registry)
    chosen = [step["params"].get("operation") for step in _steps(proposal)[1:]]
    assert chosen == ([operation] if operation else [])
    if operation is None:
        assert any("Acme Mail" in sentence for sentence in proposal.unplaced_notes)


@pytest.mark.parametrize(
    ("request_", "operation"),
    [("fetch Acme Mail", None), ("get the note with Acme Mail", "get"), ("send Acme Mail", "send")],
)
def test_of_several_operations_that_read_none_is_chosen(
    request_: str, operation: str | None, domain: Domain
) -> None:
    """The usual one may read one thing where many are meant, or another thing."""
    registry = _operations(
        ("note", "get", "Get a note"),
        ("note", "getAll", "Get many notes"),
        ("user", "get", "Get a user"),
        ("note", "send", "Send a note"),
    )
    proposal = propose(f"When Acme calls, {request_}", domain, registry)
    chosen = [step["params"].get("operation") for step in _steps(proposal)[1:]]
    assert chosen == ([operation] if operation else [])


def test_a_step_sets_what_it_needs_of_earlier_ones_however_it_is_named(
    domain: Domain, registry: Registry
) -> None:
    """A tool that a part between arrows names presets its start, as its phrase does."""
    presets = {catalogs.HOOK: {"mode": "wait"}}
    phrase = ReadPhrase("answer the caller", catalogs.MAIL, presets=presets)
    phrases = (*domain.prompting.read_phrases, phrase)
    answering = replace(domain, prompting=replace(domain.prompting, read_phrases=phrases))
    first, _ = _steps(propose("Acme Hook -> Acme Mail", answering, registry))
    assert first["params"] == {"mode": "wait"}


def test_a_clause_with_two_services_is_named(domain: Domain) -> None:
    """Which of them does what is not read; the reason names both."""
    registry = _operations(("note", "create", "Create a note"), ("note", "get", "Get a note"))
    proposal = propose("Copy the note from Acme Mail to Acme Router", domain, registry)
    assert _steps(proposal) == []
    assert "Acme Mail and Acme Router" in (proposal.refusal or "")


def test_a_refusal_names_the_tool_and_its_operations(domain: Domain) -> None:
    """A tool that is installed is not said to be missing."""
    registry = _operations(("note", "create", "Create a note"), ("note", "get", "Get a note"))
    refusal = propose("Frobnicate with Acme Mail", domain, registry).refusal
    assert refusal is not None
    assert "Acme Mail is installed" in refusal
    assert '"Create a note", "Get a note"' in refusal
    assert "No installed tool" not in refusal


def test_a_list_and_a_greeting_leave_the_steps(domain: Domain, registry: Registry) -> None:
    """Numbers of a list are no words of it; a greeting is named and changes nothing else."""
    request = "1. Acme calls\n2. Send a message with Acme Mail\nGood evening!"
    proposal = propose(request, domain, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]
    assert proposal.refusal is None
    assert any("Good evening" in sentence for sentence in proposal.unplaced_notes)


def test_a_request_in_another_language_is_refused(domain: Domain, registry: Registry) -> None:
    """The refusal quotes the request and states what the planner reads."""
    request = "Wenn der Acme Hook gerufen wird, dann schicke mir bitte eine Nachricht mit Acme Mail"
    proposal = propose(request, domain, registry)
    assert proposal.refusal is not None
    assert "reads short English requests" in proposal.refusal
    assert "Acme Mail" in proposal.refusal


def test_a_verb_that_is_not_read_draws_no_tool(domain: Domain, registry: Registry) -> None:
    """A tool that does one thing alone is not drawn for another one; the clause names it."""
    for verb, is_drawn in (("Frobnicate it", False), ("Run", True)):
        proposal = propose(f"When Acme calls, {verb} with Acme Router", domain, registry)
        assert (catalogs.ROUTER in {step["tool"] for step in _steps(proposal)}) == is_drawn
        assert is_drawn or any(
            "Acme Router is installed" in text for text in proposal.unplaced_notes
        )


def test_into_clause_chooses_no_reading_operation(domain: Domain) -> None:
    """``get X into A`` chooses no operation that reads from A."""
    registry = _operations(("note", "get", "Get a note"), ("note", "create", "Create a note"))
    for place, expected in (("into a note in", []), ("from", ["get"])):
        proposal = propose(f"When Acme calls, get the note {place} Acme Mail", domain, registry)
        assert [s["params"].get("operation") for s in _steps(proposal)[1:]] == expected


def test_a_start_behind_if_is_a_start(domain: Domain, registry: Registry) -> None:
    """``if Acme calls`` starts the graph where it begins a request, and is no condition."""
    proposal = propose("If Acme calls, send a message with Acme Mail", domain, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]


def test_a_destroying_step_that_is_left_out_names_its_tool(domain: Domain) -> None:
    """The refusal states the reason it has no step."""
    registry = _operations(("folder", "delete", "Delete a folder"))
    refusal = propose("Delete the oldest folder with Acme Mail", domain, registry).refusal
    assert refusal is not None
    assert "Delete the oldest folder with Acme Mail" in refusal
    assert "No installed tool" not in refusal


@pytest.mark.parametrize(
    ("happened", "event"),
    [("created", "made"), ("cancelled", "off"), ("postponed", None), ("updated", None)],
)
def test_an_event_is_what_happened(happened: str, event: str | None) -> None:
    """An event of the same noun is not chosen for another verb; spellings of a verb are one."""
    operations = [
        Operation("Meeting Created", {"event": "made"}),
        Operation("Meeting Canceled", {"event": "off"}),
    ]
    words = [Word("meeting", 0, 7), Word(happened, 8, 8 + len(happened))]
    chosen = choose_event(operations, words, Service())
    assert (chosen.params["event"] if chosen else None) == event


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("Frobnicate the baz", "no installed tool was recognized"),
        ("Do not send a message with Acme Mail", "draws nothing for what a request denies"),
        ("Every 45 minutes do the usual", "no cron expression states these times exactly"),
        ("Frobnicate the baz, every 7 hours", "no installed tool was recognized"),
        ("Archive the old message with Acme Mail", "what it is to do is not clear"),
    ],
)
def test_a_refusal_has_the_reason_of_each_clause(
    request_: str, reason: str, domain: Domain, registry: Registry
) -> None:
    """A clause without a step is quoted with what of it was not recognized."""
    proposal = propose(request_, domain, registry)
    assert proposal.refusal is not None
    assert reason in proposal.refusal
    assert all(p.unclear for p in proposal.placements if p.asks and not p.steps)


@pytest.mark.parametrize(
    "event",
    [
        "After a ticket is created in Acme Mail",
        "As soon as a ticket gets created in Acme Mail",
        "The moment somebody creates a ticket in Acme Mail",
        "In case a ticket was created in Acme Mail",
        "A new ticket in Acme Mail",
        "New Acme Mail ticket",
        "A ticket has been created in Acme Mail",
        "Should a ticket be created in Acme Mail",
    ],
)
@pytest.mark.parametrize("joint", [", ", " -> "])
def test_an_event_is_no_operation(event: str, joint: str, domain: Domain) -> None:
    """An event is no action of a step, and is listed if no trigger fits it."""
    registry = _operations(("ticket", "create", "Create a ticket"), ("room", "get", "Get a room"))
    proposal = propose(f"{event}{joint}get the room with Acme Mail", domain, registry)
    operations = [s["params"].get("operation") for s in _steps(proposal)]
    assert "create" not in operations
    assert any("ticket" in text for text in (*proposal.unplaced_notes, proposal.refusal or ""))


def test_an_if_that_begins_a_request_is_no_branch(domain: Domain, registry: Registry) -> None:
    """An event or a condition that is not read before any step is named, and nothing is drawn."""
    proposal = propose("If a parcel gets lost, send a message with Acme Mail", domain, registry)
    assert catalogs.ROUTER not in {step["tool"] for step in _steps(proposal)}
    assert any("parcel" in text for text in (*proposal.unplaced_notes, proposal.refusal or ""))


def test_tool_with_two_inputs_is_not_chained(domain: Domain) -> None:
    """A tool with two inputs is listed, because the request does not state its inputs."""
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.ROUTER:
            line["variants"][-1]["inputs"] = [{"kind": "main"}, {"kind": "main"}]
    registry = registry_from(catalogs.jsonl(lines))
    request = "When Acme calls, send a message with Acme Mail, then run with Acme Router"
    proposal = propose(request, domain, registry)
    assert catalogs.ROUTER not in {step["tool"] for step in _steps(proposal)}
    assert any("several inputs" in text for text in proposal.unplaced_notes)


def test_a_start_behind_if_ends_where_a_deed_begins(domain: Domain, registry: Registry) -> None:
    """``if Acme calls send ...`` is a start and a deed."""
    proposal = propose("If Acme calls send a message with Acme Mail", domain, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]


def test_a_condition_alone_is_of_the_sentence_before(domain: Domain, registry: Registry) -> None:
    """A sentence that is a condition and asks for nothing leaves the one before without a step."""
    request = "When Acme calls, send a message with Acme Mail. But only if the door seems open."
    assert catalogs.MAIL not in {s["tool"] for s in _steps(propose(request, domain, registry))}


@pytest.mark.parametrize(
    ("request_", "operation"),
    [
        ("When Acme calls, get all notes with Acme Mail", None),
        ("When Acme calls, get all with Acme Mail", None),
        ("When Acme calls, get every note with Acme Mail", None),
        ("When Acme calls, get the note with Acme Mail", "get"),
        ("When Acme calls, fetch the shift plans with Acme Mail", None),
        ("When Acme calls, create notes with Acme Mail", "create"),
        ("When Acme calls, update the shift plan with Acme Mail", None),
    ],
)
def test_an_operation_has_the_object_and_the_number_that_are_asked_for(
    request_: str, operation: str | None, domain: Domain
) -> None:
    """No operation on another object or another number of objects is chosen."""
    registry = _operations(
        ("note", "get", "Get a note"),
        ("note", "create", "Create a note"),
        ("note", "update", "Update a note"),
    )
    proposal = propose(request_, domain, registry)
    drawn = [step["params"].get("operation") for step in _steps(proposal)[1:]]
    assert drawn == ([operation] if operation else [])
    assert operation or any("Acme Mail is installed" in text for text in proposal.unplaced_notes)


def test_an_exception_at_the_begin_limits_its_sentence(domain: Domain, registry: Registry) -> None:
    """A sentence after "unless" is not drawn without its exception."""
    request = "Unless it is late, then send a message with Acme Mail"
    assert catalogs.MAIL not in {s["tool"] for s in _steps(propose(request, domain, registry))}


@pytest.mark.parametrize("lead", ["If", "When", "Once", "As soon as"])
@pytest.mark.parametrize("deed", ["send a message with Acme Mail", "send Acme Hook messages"])
def test_service_of_action_is_no_trigger(
    lead: str, deed: str, domain: Domain, registry: Registry
) -> None:
    """An action directly after an event is a clause of its own, or its service is no trigger."""
    proposal = propose(f"{lead} the parcel was lost {deed}", domain, registry)
    tools = [step["tool"] for step in _steps(proposal)]
    assert tools in ([], [catalogs.HOOK, catalogs.MAIL])
    assert any("parcel" in text for text in (*proposal.unplaced_notes, proposal.refusal or ""))


def test_target_of_sending_is_not_read_from(domain: Domain) -> None:
    """No operation reads from the place to which something is sent."""
    registry = _operations(("note", "create", "Create a note"), ("note", "get", "Get a note"))
    request = "When Acme calls, post a note to Acme Mail the moment it is in Acme Mail"
    assert [step["tool"] for step in _steps(propose(request, domain, registry))] == [catalogs.HOOK]


def test_unread_start_leaves_later_clauses_undrawn(domain: Domain, registry: Registry) -> None:
    """No other trigger replaces a trigger that is not read."""
    proposal = propose("When a parcel gets lost, send a message with Acme Mail", domain, registry)
    assert _steps(proposal) == []
    assert "When a parcel gets lost" in (proposal.refusal or "")


@pytest.mark.parametrize(
    ("request_", "operation"),
    [
        ("send the fax with Acme Mail", "send"),
        ("post the fax with Acme Mail", "send"),
        ("append the fax with Acme Mail", None),
        ("rename the note with Acme Mail", None),
        ("Acme Mail gets a note", None),
        ("reply to it with Acme Mail", None),
        ('send the fax to "Kim" with Acme Mail', None),
    ],
)
def test_a_verb_stands_for_no_narrower_one(
    request_: str, operation: str | None, domain: Domain
) -> None:
    """Another verb of the group is a supposition; what another does is not asked for."""
    registry = _operations(
        ("fax", "send", "Send a fax"), ("note", "get", "Get a note"),
        ("note", "update", "Update a note"), ("fax", "replies", "Get a thread of faxes"),
    )  # fmt: skip
    proposal = propose(f"When Acme calls, {request_}", domain, registry)
    assert [s["params"].get("operation") for s in _steps(proposal)[1:]] == [operation][
        : operation is not None
    ]
    is_supposed = any('"Send a fax" of Acme Mail is assumed' in text for text in proposal.open)
    assert is_supposed == request_.startswith("post")


@pytest.mark.parametrize(
    ("request_", "drawn"),
    [
        ("When Acme calls, send a message with Acme Mail. When it rains, get a draft", 2),
        ("Get a message with Acme Mail. When Acme calls, send a message with Acme Mail", 1),
        ("Send a message with Acme Mail. Every day at 5 get a message", 1),
    ],
)
def test_a_later_start_starts_nothing(
    request_: str, drawn: int, domain: Domain, registry: Registry
) -> None:
    """Clauses behind a second start are listed."""
    steps = [s for s in _steps(propose(request_, domain, registry)) if s["id"] != "start"]
    assert len(steps) == drawn


def test_a_phrase_of_a_start_may_have_the_name_of_a_tool(
    domain: Domain, registry: Registry
) -> None:
    """``Acme Hook calls`` is the phrase, of which the name of the tool is a part."""
    phrases = (ReadPhrase("Acme Hook calls", catalogs.HOOK, starts=True),)
    with_phrases = replace(domain, prompting=replace(domain.prompting, read_phrases=phrases))
    proposal = propose("Acme Hook calls -> send a message with Acme Mail", with_phrases, registry)
    assert [step["tool"] for step in _steps(proposal)] == [catalogs.HOOK, catalogs.MAIL]
    assert not proposal.unplaced_clauses


def test_unread_part_is_not_linked_over(domain: Domain, registry: Registry) -> None:
    """The steps on both sides of an unread part are drawn without a link, and this is noted."""
    send = "Send a message with Acme Mail"
    proposal = propose(f"{send}. Send a frobnicated gizmo. {send}", domain, registry)
    _, first, second = _steps(proposal)
    assert (first["inputs"], second["inputs"]) == (["start"], [])
    assert any('as "Send a frobnicated gizmo" was not read' in note for note in proposal.open)


def test_clauses_beyond_those_that_are_read_are_named(domain: Domain, registry: Registry) -> None:
    """A request of more clauses than are read loses none of them without a word."""
    request = "Send a message with Acme Mail. " * 80 + "Frobnicate the last one"
    proposal = propose(request, domain, registry)
    assert any("last one" in clause for clause in proposal.unplaced_clauses)


def test_a_step_that_the_compiler_rejects_is_named(domain: Domain, registry: Registry) -> None:
    """A workflow without it is not called built."""
    request = "When Acme calls, get a message with Acme Mail, then send a message with Acme Mail"
    planned = propose(request, domain, registry).plan
    rest = {**planned, "steps": [step for step in planned["steps"] if step["id"] != "s2"]}
    (sentence,) = _name_left_out(planned, rest, registry)
    assert sentence.startswith("Acme Mail was left out")


def _count_reads(request: str, domain: Domain, registry: Registry) -> int:
    """Returns how often a request reads an entry of a catalog that no request has read before."""
    names: list[str] = []

    def read(name: str) -> Mapping[str, Any]:
        names.append(name)
        return registry.tool(name)

    counted = registry.with_learnt({})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "tool", read)
        propose(request, domain, counted)
    return len(names)


def test_clauses_that_name_nothing_read_the_catalog_once(
    domain: Domain, registry: Registry
) -> None:
    """The entries of flow tools are not read again for each clause of a request."""
    core = replace(domain.resolving, core_packages=frozenset({"acme-nodes"}))
    clauses = [f"polish pebble number {number}" for number in range(12)]
    few, many = (
        _count_reads(
            f"When Acme calls, {', then '.join(clauses[:count])}",
            replace(domain, resolving=core),
            registry,
        )
        for count in (1, 12)
    )
    assert 0 < few == many
