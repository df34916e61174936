"""What the planner reads in phrases: times, lengths of time, conditions, values, languages."""

from __future__ import annotations

import pytest

from grounded_builder.drafting.planner.clauses import clauses_of
from grounded_builder.drafting.planner.conditions import condition_in
from grounded_builder.drafting.planner.language import foreign_language
from grounded_builder.drafting.planner.literals import values_in
from grounded_builder.drafting.planner.schedules import duration_in, schedule_in
from grounded_builder.ir.intent import Condition, Duration


@pytest.mark.parametrize(
    ("said", "cron"),
    [
        ("every Tuesday at 6", "0 6 * * 2"),
        ("each Monday and Thursday at 17:45", "45 17 * * 1,4"),
        ("every 20 minutes", "*/20 * * * *"),
        ("every other hour", "0 */2 * * *"),
        ("every 120 minutes", "0 */2 * * *"),
        ("weekdays at 6:30 pm", "30 18 * * 1-5"),
        ("Monday to Thursday at noon", "0 12 * * 1-4"),
        ("at midnight every day", "0 0 * * *"),
        ("on the 15th of every month at 8am", "0 8 15 * *"),
        ("every evening", "0 18 * * *"),
        ("hourly", "0 * * * *"),
        ("on 5 4 * * 0", "5 4 * * 0"),
    ],
)
def test_a_schedule_is_read_as_cron(said: str, cron: str) -> None:
    """What a phrase says of time is what the expression says."""
    schedule = schedule_in(said)
    assert schedule is not None
    assert schedule.cron == cron


@pytest.mark.parametrize(
    "said", ["every 45 minutes", "every 5 hours", "every 3 weeks", "on the last of every month"]
)
def test_what_cron_cannot_keep_is_not_guessed(said: str) -> None:
    """A repetition that five fields cannot say evenly gives none instead of a near one."""
    assert schedule_in(said) is None


@pytest.mark.parametrize("said", ["post every photo", "at once", "monday.com items", "daylight"])
def test_what_tells_no_time_gives_none(said: str) -> None:
    """Words that only look like times are none."""
    assert schedule_in(said) is None


def test_lengths_of_time() -> None:
    """Digits and words count alike; without a unit there is no length."""
    assert duration_in("pause for 45 seconds") == Duration(45, "seconds")
    assert duration_in("wait three days") == Duration(3, "days")
    assert duration_in("wait for the answer") is None


@pytest.mark.parametrize(
    ("said", "condition"),
    [
        ("if the weight is over 12.5 kg", Condition("weight", "over", 12.5)),
        ("if the parcel's weight is at most 3", Condition("weight", "at most", 3)),
        ('if the topic contains "refund"', Condition("topic", "contains", "refund")),
        ("if the due date is missing", Condition("dueDate", "empty")),
        ("unless the state is closed", Condition("state", "equals", "closed")),
        ("if the code does not contain X", Condition("code", "lacks", "X")),
        ("if the state is not open", Condition("state", "differs", "open")),
    ],
)
def test_a_condition_is_read(said: str, condition: Condition) -> None:
    """Field, comparison and value are those of the words."""
    assert condition_in(said) == condition


@pytest.mark.parametrize("said", ["if it fails", "if they are over 5", "if urgent", "if"])
def test_a_condition_without_a_field_is_none(said: str) -> None:
    """A pronoun or a lone word names no field, and none is invented."""
    assert condition_in(said) is None


def test_values_are_read_with_their_kinds() -> None:
    """Addresses, links, channels and quoted names each say which input takes them."""
    said = (
        (
            "mail anna@b.example from the sheet “Stock”, see https://c.example/d?e=1, "
            "tell #team-a and +49 30 1234567 about the last 7"
        )
        .replace("“", '"')
        .replace("”", '"')
    )
    assert {value.kind: value.text for value in values_in(said)} == {
        "to": "anna@b.example",
        "sheet": "Stock",
        "url": "https://c.example/d?e=1",
        "channel": "#team-a",
        "phone": "+49 30 1234567",
        "limit": "7",
    }


@pytest.mark.parametrize(
    ("said", "method"),
    [
        ("PUT the result to https://a.example/b", "PUT"),
        ("send a delete request to https://a.example/b", "DELETE"),
        ("post the rows to https://a.example/b", "POST"),
        ("post a message to #team-a", None),
        ("get the rows of https://a.example/b", None),
    ],
)
def test_the_verb_of_a_call_is_read(said: str, method: str | None) -> None:
    """A call that is told to write is no call that reads."""
    assert {value.kind: value.text for value in values_in(said)}.get("method") == method


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Wenn ein neuer Brief kommt, dann lege ihn ab und sage mir Bescheid", "German"),
        ("Cuando llega una factura nueva, guarda el archivo", "Spanish"),
        ("新しいファイルを保存して", "Japanese"),
        ("When a new letter comes, file it and tell me", None),
        ("Invoices to archive", None),
        ("", None),
    ],
)
def test_the_language_is_told_only_when_plain(said: str, language: str | None) -> None:
    """Other languages are told by their function words or script; the unclear is English."""
    assert foreign_language(said) == language


def _clauses(said: str) -> list[tuple[str, str]]:
    return [(clause.role, clause.text) for clause in clauses_of(said, lambda _: False)]


def test_coordination_parts_what_is_done() -> None:
    """Each verb begins a clause; a list of things belongs to its verb."""
    assert _clauses("Create a workflow that gets the bills and then sends date, sum and name") == [
        ("act", "gets the bills"),
        ("act", "sends date, sum and name"),
    ]


def test_branches_and_loops_are_told_apart() -> None:
    """Condition, what follows it, what else, and what repeats have their roles."""
    said = "If the sum is over 9, send a note, otherwise delete it. For each bill, print it."
    assert [role for role, _ in _clauses(said)] == ["if", "act", "else", "each", "act"]


def test_a_start_behind_comes_first() -> None:
    """What begins it all comes before what is done, wherever it stands in the sentence."""
    assert _clauses("send a note when a bill comes in") == [
        ("start", "when a bill comes in"),
        ("act", "send a note"),
    ]


@pytest.mark.parametrize("event", ["when a form is submitted", "whenever a new bill arrives"])
def test_an_event_ends_where_a_deed_begins(event: str) -> None:
    """No comma is needed behind what happens; what no deed follows stays one clause."""
    assert _clauses(f"{event} send a note") == [("start", event), ("act", "send a note")]
    assert _clauses(f"{event} from home") == [("start", f"{event} from home")]


def test_links_and_quotes_stay_whole() -> None:
    """No cut is made in a link or between quotes."""
    said = 'send "Hello, and then bye. OK" to https://a.example/then,and'
    assert len(_clauses(said)) == 1


@pytest.mark.parametrize("said", ["", " ", "?", "a", "x" * 60_000, "and " * 20_000])
def test_any_text_ends(said: str) -> None:
    """Whatever is said, there is a bounded number of clauses."""
    assert len(_clauses(said)) <= 40
