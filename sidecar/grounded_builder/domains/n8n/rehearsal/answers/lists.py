"""Puts items into the form in which a service returns lists, with no further page."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.question import Question

_BARE = ""
_PATH = "{path}"


@dataclass(frozen=True, slots=True)
class ListFormat:
    """Where a service puts the items of a list.

    ``place`` is a host with the beginning of a path. ``field`` may be nested with points; "" is a
    list without anything around it, and ``{path}`` the plural of the last name in the path.
    ``reference`` is the address of the public documentation.
    """

    place: str
    field: str
    reference: str


# Of places that begin alike the first one counts.
FORMATS = (
    ListFormat(
        "api.airtable.com", "records", "https://airtable.com/developers/web/api/list-records"
    ),
    ListFormat("api.calendly.com", "collection", "https://developer.calendly.com/api-docs"),
    ListFormat("api.clickup.com/api/v2", _PATH, "https://developer.clickup.com/reference/gettasks"),
    ListFormat("api.clockify.me", _BARE, "https://docs.clockify.me/"),
    ListFormat("api.github.com/search", "items", "https://docs.github.com/en/rest/search/search"),
    ListFormat("api.github.com", _BARE, "https://docs.github.com/en/rest/issues/issues"),
    ListFormat(
        "api.harvestapp.com",
        _PATH,
        "https://help.getharvest.com/api-v2/clients-api/clients/clients/",
    ),
    ListFormat(
        "api.hubapi.com/crm/",
        "results",
        "https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide",
    ),
    ListFormat(
        "api.linkedin.com",
        "elements",
        "https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/pagination",
    ),
    ListFormat("api.notion.com", "results", "https://developers.notion.com/reference/intro"),
    ListFormat("api.pipedrive.com", "data", "https://developers.pipedrive.com/docs/api/v1/Deals"),
    ListFormat(
        "api.spotify.com/v1/search",
        "tracks.items",
        "https://developer.spotify.com/documentation/web-api/reference/search",
    ),
    ListFormat(
        "api.spotify.com",
        "items",
        "https://developer.spotify.com/documentation/web-api/concepts/api-calls",
    ),
    ListFormat("api.stripe.com", "data", "https://docs.stripe.com/api/pagination"),
    ListFormat("api.todoist.com/api/v1", "results", "https://developer.todoist.com/api/v1/"),
    ListFormat("api.todoist.com/rest", _BARE, "https://developer.todoist.com/rest/v2/"),
    ListFormat("api.trello.com", _BARE, "https://developer.atlassian.com/cloud/trello/rest/"),
    ListFormat("api.twitter.com", "data", "https://docs.x.com/x-api/fundamentals/pagination"),
    ListFormat(
        "api.webflow.com",
        _PATH,
        "https://developers.webflow.com/data/reference/cms/collection-items/live-items/list-items-live",
    ),
    ListFormat("api.x.com", "data", "https://docs.x.com/x-api/fundamentals/pagination"),
    ListFormat("app.asana.com", "data", "https://developers.asana.com/docs/pagination"),
    ListFormat("discord.com", _BARE, "https://docs.discord.com/developers/resources/message"),
    ListFormat("gitlab.com", _BARE, "https://docs.gitlab.com/api/rest/"),
    ListFormat(
        "gmail.googleapis.com",
        _PATH,
        "https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list",
    ),
    ListFormat(
        "graph.facebook.com", "data", "https://developers.facebook.com/docs/graph-api/results"
    ),
    ListFormat("graph.microsoft.com", "value", "https://learn.microsoft.com/en-us/graph/paging"),
    ListFormat("oauth.reddit.com", "data.children", "https://www.reddit.com/dev/api/#listings"),
    ListFormat("www.reddit.com", "data.children", "https://www.reddit.com/dev/api/#listings"),
    ListFormat(
        "www.googleapis.com/admin/",
        _PATH,
        "https://developers.google.com/workspace/admin/directory/reference/rest/v1/users/list",
    ),
    ListFormat(
        "www.googleapis.com/drive/",
        _PATH,
        "https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list",
    ),
    ListFormat(
        "www.googleapis.com/gmail/",
        _PATH,
        "https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list",
    ),
    ListFormat(
        "www.googleapis.com",
        "items",
        "https://developers.google.com/workspace/calendar/api/v3/reference/events/list",
    ),
)
# Lists of Reddit have each item in an object with its kind.
_WRAPPED = "data.children"
# Where the host is not known, every name that services use for their items.
_USUAL_FIELDS = (
    "data",
    "items",
    "results",
    "result",
    "records",
    "value",
    "values",
    "list",
    "entries",
    "elements",
    "objects",
    "collection",
    "rows",
    "hits",
    "response",
)
_NAME = re.compile(r"[A-Za-z_]{2,40}")
# Fields that tell of further pages, with the values that say there are none.
_ENDS: Mapping[str, Any] = {
    "has_more": False,
    "hasMore": False,
    "has-more": False,
    "next_cursor": None,
    "response_metadata": {"next_cursor": ""},
    "pageInfo": {"hasNextPage": False, "isLastPage": True},
    "isLast": True,
    "is_last": True,
    "last": True,
    "ok": True,
    "success": True,
}


def wrap_items(question: Question, items: Sequence[Any], read_fields: Collection[str] = ()) -> Any:
    """Returns the body of a list.

    ``read_fields`` are those in which the code of the node looks for items. Of a service whose
    format is not listed, the one that the path names is taken, else all of them and the usual ones.
    """
    place = f"{question.request.host}{question.path}"
    known = next((item for item in FORMATS if place.startswith(item.place)), None)
    names = [name for name in question.segments if _NAME.fullmatch(name)]
    if known is not None and known.field == _BARE:
        return list(items)
    listed: Any = list(items)
    if known is not None:
        fields = [pluralize(names[-1]) if known.field == _PATH and names else known.field]
        if known.field == _WRAPPED:
            listed = [{"kind": "t3", "data": item} for item in items]
    else:
        plurals = {pluralize(name) for name in names}
        fields = [field for field in sorted(read_fields) if field in plurals]
        fields = fields or [*_USUAL_FIELDS, *names[-2:], *sorted(read_fields)]
    body = {**_ENDS, "total": len(items), "count": len(items)} if known is None else dict(_ENDS)
    for field in fields:
        _put(body, field.split("."), listed)
    return body


def _put(body: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Writes a value under nested fields; one that is no object is replaced."""
    for name in path[:-1]:
        if not isinstance(body.get(name), dict):
            body[name] = {}
        body = body[name]
    body[path[-1]] = value


def pluralize(name: str) -> str:
    """Returns the plural of a name in a path, such as ``task`` or ``company``."""
    if name.endswith("s"):
        return name
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else f"{name}s"
