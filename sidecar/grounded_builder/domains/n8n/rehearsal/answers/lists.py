"""Puts items into the form in which a service returns lists, with no further page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.question import Question

# The field of a list's items by host, from the public references of the services; "" is a list
# without anything around it.
_LIST_FIELDS: Mapping[str, str] = {
    "api.airtable.com": "records",
    "api.calendly.com": "collection",
    "api.clickup.com": "",
    "api.clockify.me": "",
    "api.github.com": "",
    "api.harvestapp.com": "",
    "api.hubapi.com": "results",
    "api.linkedin.com": "elements",
    "api.notion.com": "results",
    "api.pipedrive.com": "data",
    "api.stripe.com": "data",
    "api.todoist.com": "results",
    "api.trello.com": "",
    "api.twitter.com": "data",
    "api.webflow.com": "items",
    "api.x.com": "data",
    "app.asana.com": "data",
    "discord.com": "",
    "gitlab.com": "",
    "graph.facebook.com": "data",
    "graph.microsoft.com": "value",
    "www.googleapis.com": "items",
}
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


def wrap_items(question: Question, items: Sequence[Any]) -> Any:
    """Returns the body of a list."""
    host = question.request.host
    if host in _LIST_FIELDS:
        field = _LIST_FIELDS[host]
        return {**_ENDS, field: items} if field else list(items)
    names = [name for name in question.segments if _NAME.fullmatch(name)]
    fields = dict.fromkeys((*_USUAL_FIELDS, *names[-2:]), items)
    return {**_ENDS, "total": len(items), "count": len(items), **fields}
