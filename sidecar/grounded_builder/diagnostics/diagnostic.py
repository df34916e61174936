"""Defines diagnostics and fixes; creates, sorts and limits diagnostics, and derives the verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics.rules import Rule

Route = tuple[str | int, ...]
Verdict = Literal["ok", "incomplete", "wrong"]

# Names and values of a draft are quoted in texts, and may have any length.
_MAX_TEXT = 2_000
# Characters of all findings of one compilation; a finding of a real draft has some hundreds.
_MAX_ALL_TEXT = 8_000_000
_LEAST_SIZE = 4

_RANK: dict[str, int] = {"wrong": 0, "incomplete": 1, "advice": 2}


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit at a route: ``set`` a value, ``remove`` it, or ``rename`` its last key."""

    op: Literal["set", "remove", "rename"]
    at: Route
    value: Any = None


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that together remove one diagnostic; only safe fixes are applied automatically.

    With ``loses`` they take out a value that is then nowhere in the document.
    """

    safe: bool
    edits: tuple[Edit, ...]
    reason: str
    loses: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a diagnostic."""

    at: Route
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A violation of a rule at a place.

    ``at`` is a route of keys and indices into the document, ``node`` the name of the node at that
    route, ``token`` the text of the user that the message is about. With ``only_user`` it asks for
    a value that only the user knows, such as an id or an address of their account.
    """

    rule: Rule
    at: Route
    message: str
    help: str = ""
    node: str | None = None
    token: str | None = None
    alternatives: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    only_user: bool = False

    @property
    def code(self) -> str:
        """The rule's code."""
        return self.rule.code


def new_diagnostic(
    rule: Rule,
    at: Route,
    message: str,
    *,
    help: str = "",  # noqa: A002 - the field's own name
    node: str | None = None,
    token: str | None = None,
    alternatives: Iterable[str] = (),
    related: Iterable[Related] = (),
    fix: Fix | None = None,
    only_user: bool = False,
) -> Diagnostic:
    """Returns a diagnostic of a rule at a place, with its lists as tuples and texts that are cut
    at 2,000 characters.
    """
    return Diagnostic(
        rule=rule,
        at=at,
        message=_cut(message),
        help=_cut(help),
        node=node,
        token=token,
        alternatives=tuple(alternatives),
        related=tuple(related),
        fix=fix,
        only_user=only_user,
    )


def sorted_unique(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Returns the distinct diagnostics, sorted by place and severity."""
    unique = {(d.code, d.at, d.message): d for d in diagnostics}
    return tuple(sorted(unique.values(), key=_sort_key))


def within_size(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Returns the first diagnostics that together have at most 8,000,000 characters as JSON."""
    left = _MAX_ALL_TEXT
    for count, diagnostic in enumerate(diagnostics):
        left -= _size_of(diagnostic, left)
        if left < 0:
            return tuple(diagnostics[:count])
    return tuple(diagnostics)


def verdict_of(diagnostics: Iterable[Diagnostic]) -> Verdict:
    """Returns the verdict: wrong if any diagnostic is, else incomplete if any is, else ok."""
    kinds = {d.rule.kind for d in diagnostics}
    if "wrong" in kinds:
        return "wrong"
    return "incomplete" if "incomplete" in kinds else "ok"


def to_pointer(route: Route) -> str:
    """Returns a route as a JSON pointer (RFC 6901); the whole document is ``""``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in route)


def _cut(text: str) -> str:
    if len(text) <= _MAX_TEXT:
        return text
    return f"{text[:_MAX_TEXT]}… ({len(text) - _MAX_TEXT:,} more characters)"


def _size_of(diagnostic: Diagnostic, most: int) -> int:
    """Returns about how many characters a diagnostic has as JSON; counts no further than
    ``most``.
    """
    size = len(diagnostic.message) + len(diagnostic.help) + _length_of_route(diagnostic.at)
    size += len(diagnostic.node or "") + len(diagnostic.token or "")
    for name in diagnostic.alternatives:
        size += len(name)
    for place in diagnostic.related:
        size += len(place.message) + _length_of_route(place.at)
    for edit in diagnostic.fix.edits if diagnostic.fix else ():
        if size > most:
            break
        size += _length_of_route(edit.at) + _size_of_value(edit.value, most - size)
    return size


def _length_of_route(route: Route) -> int:
    size = 0
    for part in route:
        size += len(part) if isinstance(part, str) else _LEAST_SIZE
    return size


def _size_of_value(value: Any, most: int) -> int:
    size = 0
    waiting: list[Any] = [value]
    while waiting and size <= most:
        value = waiting.pop()
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
        size += _LEAST_SIZE
    return size


def _sort_key(diagnostic: Diagnostic) -> tuple[Any, ...]:
    place = tuple(
        (0, part, "") if isinstance(part, int) else (1, 0, part) for part in diagnostic.at
    )
    return (place, _RANK[diagnostic.rule.kind], diagnostic.code, diagnostic.message)


def finding_key(diagnostic: Diagnostic) -> str:
    """Returns 16 hex digits over the rule, the node, the keys of the route, and the token."""
    keys = [part for part in diagnostic.at if isinstance(part, str)]
    parts = [diagnostic.code, diagnostic.node or "", *keys, diagnostic.token or ""]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]
