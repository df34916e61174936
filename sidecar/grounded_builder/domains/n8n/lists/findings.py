"""Defines the rules about lists of the account, and writes what a list has for a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.lists.list_client import EntryList, ListEntry
from grounded_builder.domains.n8n.lists.list_values import ListValue
from grounded_builder.domains.n8n.lists.match_entry import EntryMatch, find_similar
from grounded_builder.ir.rules.artifact import CORRECTED

ENTRY_TO_CHOOSE = Rule.incomplete(
    "N8N514",
    "entry-to-choose",
    "MissingOwnValue",
    "A list of the account does not have exactly one entry of this name.",
)
UNREAD_LIST = Rule.advice(
    "N8N515", "unread-list", "ImportError", "A list of the account could not be read."
)
ABSENT_COLUMN = Rule.incomplete(
    "N8N516", "absent-column", "MissingOwnValue", "The table of the account has no such column."
)
UNLISTED_NAME = Rule.advice(
    "N8N517", "unlisted-name", "MissingOwnValue", "A name is not in the list of the account."
)

_MOST_SHOWN = 10
_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ListSubject:
    """The value that a finding is about: the name of its node, and the route of the value."""

    node: str
    at: Route
    value: ListValue

    def describe(self) -> str:
        """Returns the parameter and its node as people see them."""
        return f'"{self.value.label}" of "{self.node}"'


def report_entry(subject: ListSubject, text: str, entry: ListEntry) -> Diagnostic:
    """Builds the note that a name was replaced by the entry of this name."""
    message = f"{subject.describe()} is {_show(entry)}, the only entry with the name {_quote(text)}"
    return _build(CORRECTED, subject, message, token=text)


def report_open_entry(
    subject: ListSubject, text: str, match: EntryMatch, listed: EntryList
) -> Diagnostic:
    """Builds the finding about a name that several entries have, or none."""
    begin = f"{subject.describe()} is given by the name {_quote(text)}, which"
    extent = f"{'' if listed.is_complete else 'first '}{len(listed.entries):,}"
    if match.kind == "several":
        message = f"{begin} several entries of the list have: {_join(match.entries)}"
    elif match.kind == "near":
        message = f"{begin} no entry of the list has; similar: {_join(match.entries)}"
    else:
        message = f"{begin} none of the {extent} entries of the list has"
    # A node that takes names may still accept one that its list does not show.
    rule = UNLISTED_NAME if subject.value.takes_names else ENTRY_TO_CHOOSE
    return _build(rule, subject, message, token=text, entries=match.entries)


def report_unchosen_entry(subject: ListSubject, listed: EntryList) -> Diagnostic:
    """Builds the finding about a value that is not chosen, with the first entries of its list."""
    entries = listed.entries
    message = f"{subject.describe()} is not chosen; "
    if entries:
        more = len(entries) - _MOST_SHOWN
        rest = f" and {more:,}{'' if listed.is_complete else ' or'} more" if more > 0 else ""
        message += f"the list has {_join(entries[:_MOST_SHOWN])}{rest}"
    else:
        message += "the list is empty"
    return _build(ENTRY_TO_CHOOSE, subject, message, entries=entries[:_MOST_SHOWN])


def report_unread_list(subject: ListSubject, reason: str) -> Diagnostic:
    """Builds the advice that n8n did not give a list."""
    message = f"the list for {subject.describe()} could not be read: {reason}"
    help_text = "check the credential in n8n, and choose the value there"
    return new_diagnostic(UNREAD_LIST, subject.at, message, help=help_text, node=subject.node)


def report_unread_lists(reason: str) -> Diagnostic:
    """Builds the advice that lists were left out."""
    message = f"lists of the account were not read: {reason}"
    help_text = (
        "choose open values in n8n; if n8n refuses the login, check GROUNDED_N8N_EMAIL and "
        "GROUNDED_N8N_PASSWORD"
    )
    return new_diagnostic(UNREAD_LIST, (), message, help=help_text)


def report_column(subject: ListSubject, name: str, column: Mapping[str, Any]) -> Diagnostic:
    """Builds the note that a column was replaced by the one with this label."""
    message = (
        f"{subject.describe()} has the column {_quote(str(column['id']))} in place of "
        f"{_quote(name)}, its label"
    )
    return _build(CORRECTED, subject, message, token=name)


def report_absent_column(
    subject: ListSubject, name: str, columns: Sequence[Mapping[str, Any]]
) -> Diagnostic:
    """Builds the finding about a column that the table does not have."""
    names = [str(column.get("displayName") or column["id"]) for column in columns]
    near = find_similar(name, names, str) or tuple(names[:_MOST_SHOWN])
    shown = ", ".join(map(_quote, near)) or "no column"
    message = f"{subject.describe()} writes the column {_quote(name)}; the table has {shown}"
    return new_diagnostic(
        ABSENT_COLUMN,
        subject.at,
        message,
        help="write the name of an existing column, or add the column to the table",
        node=subject.node,
        token=name[:200],
        alternatives=near,
        only_user=True,
    )


def _build(
    rule: Rule,
    subject: ListSubject,
    message: str,
    *,
    token: str = "",
    entries: Sequence[ListEntry] = (),
) -> Diagnostic:
    is_open = rule is not CORRECTED
    return new_diagnostic(
        rule,
        subject.at,
        message,
        help="choose the entry in n8n, or write its id" if is_open else "",
        node=subject.node,
        token=token[:200],
        alternatives=[str(entry.value) for entry in entries],
        only_user=is_open,
    )


def _join(entries: Sequence[ListEntry]) -> str:
    return ", ".join(map(_show, entries))


def _show(entry: ListEntry) -> str:
    """Returns an entry for a message: its name with its id, cut to a length."""
    name, value = _quote(entry.name), str(entry.value)[:_LONGEST_SHOWN]
    return name if value == entry.name else f"{name} ({value})"


def _quote(text: str) -> str:
    return f'"{text[:_LONGEST_SHOWN]}"'
