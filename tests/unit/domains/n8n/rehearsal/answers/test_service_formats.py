"""Lists, uploads and columns have the forms that the services document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.domains.n8n.rehearsal.answers.lists import FORMATS, pluralize, wrap_items
from grounded_builder.domains.n8n.rehearsal.answers.memory import wrap_in_envelope
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.answers.uploads import answer_upload
from grounded_builder.domains.n8n.rehearsal.exchange import Request

_ITEMS = [{"id": 1}, {"id": 2}]


def _ask(method: str, url: str, headers: dict[str, str] | None = None) -> Question:
    return Question(Request(method, url, headers or {}, b"", 0))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://api.github.com/repos/a/b/issues", ()),
        ("https://api.github.com/search/issues?q=a", ("items",)),
        ("https://www.googleapis.com/drive/v3/files?q=a", ("files",)),
        ("https://www.googleapis.com/gmail/v1/users/me/messages", ("messages",)),
        ("https://www.googleapis.com/calendar/v3/calendars/a/events", ("items",)),
        ("https://api.clickup.com/api/v2/list/1/task", ("tasks",)),
        ("https://graph.microsoft.com/v1.0/me/messages", ("value",)),
        ("https://oauth.reddit.com/r/a/search.json", ("data", "children")),
    ],
)
def test_a_list_is_where_the_service_puts_it(url: str, path: tuple[str, ...]) -> None:
    """The items are in the documented field, and in no other."""
    listed: Any = wrap_items(_ask("GET", url), _ITEMS)
    for name in path:
        listed = listed[name]
    assert [item.get("data", item) for item in listed] == _ITEMS
    if path:
        assert "results" not in wrap_items(_ask("GET", url), _ITEMS)


def test_every_list_format_names_its_reference() -> None:
    """A place is listed once, with the address of the public documentation."""
    assert all(item.reference.startswith("https://") for item in FORMATS)
    places = [item.place for item in FORMATS]
    assert len(set(places)) == len(places)
    assert [pluralize(name) for name in ("task", "company", "day", "files")] == [
        "tasks",
        "companies",
        "days",
        "files",
    ]


@pytest.mark.parametrize(
    ("url", "headers", "where"),
    [
        ("https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable", {}, "location"),
        ("https://files.acme.example/uploads", {"tus-resumable": "1.0.0"}, "location"),
        (
            "https://generativelanguage.googleapis.com/upload/v1beta/files",
            {"x-goog-upload-command": "start"},
            "x-goog-upload-url",
        ),
    ],
)
def test_an_upload_gets_the_place_of_its_parts(
    url: str, headers: dict[str, str], where: str
) -> None:
    """The place is a URL of the same service, at which no further upload begins."""
    begun = answer_upload(_ask("POST", url, headers))
    assert begun is not None
    place = begun.headers[where]
    assert place.split("?")[0] == url.split("?", maxsplit=1)[0]
    sent = answer_upload(_ask("PUT", place))
    assert sent is None or json.loads(sent.body)["file"]["uri"].startswith("https://")


def test_an_object_comes_back_in_its_envelope() -> None:
    """The one field around the object that was sent is around the answer, as object or list."""
    made = {"id": 7, "status": "new"}
    one = wrap_in_envelope(made, {"ticket": {"subject": "Order"}})
    assert one["ticket"] == {"id": 7, "status": "new", "subject": "Order"}
    many = wrap_in_envelope(made, {"data": [{"a": 1}, {"a": 2}]})
    assert [item["a"] for item in many["data"]] == [1, 2]
    assert wrap_in_envelope(made, {"a": {}, "b": {}}) == made
