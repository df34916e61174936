"""Describes a request to answer: its content, and what it says about ids and pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote

from grounded_builder.domains.n8n.rehearsal.exchange import Request

_MAX_BODY = 5_000_000
# A version of an interface, such as "v4" or "2022-06-28", is no id.
_VERSION = re.compile(r"v?\d{1,2}(?:\.\d+)*|\d{4}-\d\d(?:-\d\d)?", re.IGNORECASE)
_ID = re.compile(r"(?=[^/]*\d)[\w.:@=-]{1,100}|[A-Za-z0-9_-]{24,100}")
# Names of query or body fields by which services are asked for a further page.
_PAGE_FIELDS = frozenset(
    "after before continuationtoken cursor endcursor marker next nextcursor nextpagetoken offset"
    " page pagenumber page_number page[after] page[number] page_token pagetoken skip start"
    " start_cursor startat starting_after startingafter startposition sysparm_offset vidoffset"
    " $skip $skiptoken".split()
)


@dataclass(frozen=True)
class Question:
    """A request with the name of the node that sent it, None where that is not known."""

    request: Request
    sender: str | None = None

    @cached_property
    def path(self) -> str:
        """The path without its percent signs."""
        return unquote(self.request.parts.path)

    @cached_property
    def segments(self) -> Sequence[str]:
        """The parts of the path."""
        return [part for part in self.path.split("/") if part]

    @cached_property
    def content(self) -> Any:
        """The body: JSON, the fields of a form, or None."""
        if not self.request.body or len(self.request.body) > _MAX_BODY:
            return None
        text = self.request.body.decode("utf-8", "replace")
        if "x-www-form-urlencoded" in self.request.headers.get("content-type", ""):
            return dict(parse_qsl(text, keep_blank_values=True))
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the body; none where it is not an object."""
        return self.content if isinstance(self.content, Mapping) else {}

    @property
    def path_id(self) -> str:
        """The id with which the path ends, if it ends with one."""
        last = self.segments[-1] if len(self.segments) > 1 else ""
        return last if _ID.fullmatch(last) and not _VERSION.fullmatch(last) else ""

    @property
    def collection(self) -> str:
        """The name before the id in the path, or the last name."""
        names = [name for name in self.segments if name != self.path_id]
        return names[-1] if names else ""

    @property
    def page(self) -> tuple[str, ...]:
        """The values of the fields that name a page."""
        pairs = [*self.request.query.items(), *self.fields.items()]
        return tuple(
            f"{name}={value}"
            for name, value in sorted(pairs, key=lambda pair: pair[0])
            if name.lower() in _PAGE_FIELDS and isinstance(value, str | int)
        )
