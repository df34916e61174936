"""Times, lengths of time and literals: read whole, or not at all."""

from __future__ import annotations

import pytest

from grounded_builder.drafting.planner.literals import literals_in
from grounded_builder.drafting.planner.reading import read_request
from grounded_builder.drafting.planner.schedules import duration_at, schedule_at


@pytest.mark.parametrize(
    ("text", "cron", "supposed"),
    [
        ("every day at 7:30", "30 7 * * *", ""),
        ("at 9 pm every day", "0 21 * * *", ""),
        ("every 15 minutes", "*/15 * * * *", ""),
        ("every other hour", "0 */2 * * *", ""),
        ("every Monday and Thursday at 8:15", "15 8 * * 1,4", ""),
        ("on weekdays at noon", "0 12 * * 1-5", ""),
        ("Monday to Friday at 6am", "0 6 * * 1-5", ""),
        ("on the 15th of each month at 8:00", "0 8 15 * *", ""),
        ("daily at 9", "0 9 * * *", ""),
        ("*/5 * * * *", "*/5 * * * *", ""),
        ("every day", "0 9 * * *", "9:00"),
        ("weekly", "0 9 * * 1", "Monday and 9:00"),
        ("weekdays 8:30", "30 8 * * 1-5", ""),
        ("daily 5 pm", "0 17 * * *", ""),
        ("Mon-Fri at 7", "0 7 * * 1-5", ""),
        ("every evening at 6", "0 18 * * *", ""),
        ("every night at 2", "0 2 * * *", ""),
        ("every night at 11", "0 23 * * *", ""),
    ],
)
def test_a_schedule_is_read_whole(text: str, cron: str, supposed: str) -> None:
    """A schedule is a cron expression; what it leaves open is named."""
    read = schedule_at(text)
    assert read is not None
    schedule, begin, end, lacks = read
    assert (schedule.cron, lacks) == (cron, supposed)
    assert text[begin:end] == text


@pytest.mark.parametrize(
    "text",
    [
        "every 45 minutes",
        "every 3 days",
        "every two weeks",
        "on the last day of the month",
        "the weekly report",
        "every customer",
        "every 90 minutes",
        "every day at 25:00",
        "daily at 13 pm",
        "hourly at 9:30",
        "every 2 hours at 9:30",
        "an item on Monday.com",
        "the weekdays at the office",
        "every night at 12",
    ],
)
def test_schedule_beyond_cron_is_not_read(text: str) -> None:
    """No similar schedule replaces times that cron cannot state."""
    assert schedule_at(text) is None


def test_literals_have_the_noun_beside_them_as_their_kind() -> None:
    """Quoted texts, addresses, links and channels, each with what names its place."""
    request = (
        'send the subject "A b" and "B c" to #ops, to kim@a.example, from lee@a.example, '
        'an issue titled "D e", a sheet called "F", '
        "see https://a.example/x, and +49 151 2345678"
    )
    reading = read_request(request, "n8n")
    read = [
        (literal.value.kind, literal.value.text)
        for literal in literals_in(reading, 0, len(request))
    ]
    assert read == [
        ("subject", "A b"),
        ("message", "B c"),
        ("to", "kim@a.example"),
        ("from", "lee@a.example"),
        ("title", "D e"),
        ("sheet", "F"),
        ("url", "https://a.example/x"),
        ("channel", "#ops"),
        ("to", "+49 151 2345678"),
    ]


def test_a_length_of_time_is_read() -> None:
    """The first one of a part, with its place."""
    text = "wait 10 minutes"
    read = duration_at(text, 0, len(text))
    assert read is not None
    assert (read[0].amount, read[0].unit, text[read[1] : read[2]]) == (10, "minutes", "10 minutes")


def test_an_opening_may_name_the_product_alone() -> None:
    """Any other name before "workflow" is a tool, and stays to be read."""
    request = "Build an acme workflow that sends a mail"
    assert "acme" not in read_request(request, "acme").unread(0, len(request))[0]
    assert "acme" in " ".join(read_request(request, "other").unread(0, len(request)))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("rows of the base appX12", [("base", "appX12")]),
        ("the repository acme/webshop", [("repository", "acme/webshop")]),
        ("a sheet called Leads", [("sheet", "Leads")]),
        ("the table orders", []),
        ("send a message 7 times", []),
        ("the #ops channel", [("channel", "#ops")]),
    ],
)
def test_a_bare_name_is_no_word(text: str, values: list[tuple[str, str]]) -> None:
    """An unquoted name has a digit or a slash after its noun, or is written as a name."""
    read = literals_in(read_request(text, "n8n"), 0, len(text))
    assert [(literal.value.kind, literal.value.text) for literal in read] == values
