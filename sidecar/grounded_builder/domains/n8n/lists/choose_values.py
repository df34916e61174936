"""Replaces names in a workflow by entries of the account's lists, and reports those left open."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.n8n.check.credentials import accepted_types
from grounded_builder.domains.n8n.lists.columns import choose_columns, is_written_mapping
from grounded_builder.domains.n8n.lists.findings import (
    ListSubject,
    report_entry,
    report_open_entry,
    report_unchosen_entry,
    report_unread_list,
    report_unread_lists,
)
from grounded_builder.domains.n8n.lists.list_client import (
    EntryList,
    ListClient,
    ListError,
    ListQuestion,
)
from grounded_builder.domains.n8n.lists.list_values import ListValue, ShownValues, find_list_values
from grounded_builder.domains.n8n.lists.match_entry import match_entry
from grounded_builder.domains.n8n.lists.names_to_look_up import (
    EMPTY_TEXT,
    list_names,
    with_entry,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import StoredCredential

_MOST_NODES = 500
_MOST_LOOKUPS = 60
_MOST_VALUES = 40
_MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class ListChoices:
    """A workflow with chosen entries: notes about each, and findings about what is left open."""

    artifact: Mapping[str, Any]
    notes: tuple[Diagnostic, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


def choose_from_lists(
    resolved: ResolvedGraph,
    credentials: tuple[StoredCredential, ...] | None,
    open_routes: Iterable[Route],
    client: ListClient,
) -> ListChoices:
    """Looks up the names of a workflow in n8n's lists, for nodes whose credential n8n has.

    ``open_routes`` are the places of values that the checks reported as not chosen: their lists
    are read to name candidates. Without ``credentials`` every credential with an id is used.
    """
    document: dict[str, Any] = copy.deepcopy(dict(resolved.graph.document))
    lookup = _Lookup(client, frozenset(open_routes))
    for bound in resolved.nodes[:_MOST_NODES]:
        if isinstance(bound.spec, NodeSpec) and not bound.node.disabled:
            node = _node_at(document, bound.node.at)
            usable = _usable_credentials(bound, bound.spec, credentials)
            if node is not None and usable is not None:
                lookup.choose(bound, bound.spec, node, usable)
    if len(resolved.nodes) > _MOST_NODES:
        lookup.findings.append(report_unread_lists(f"only the first {_MOST_NODES} nodes were read"))
    return ListChoices(document, tuple(lookup.notes), tuple(lookup.findings))


def _node_at(document: dict[str, Any], route: Route) -> dict[str, Any] | None:
    place: Any = document
    for part in route:
        place = place[part]
    return place if isinstance(place, dict) else None


def _usable_credentials(
    bound: ResolvedNode, spec: NodeSpec, stored: tuple[StoredCredential, ...] | None
) -> Mapping[str, Any] | None:
    """Returns the node's credentials that n8n has; None where it needs one and has none."""
    full = find_list_values(spec, bound.node.params).full
    accepted = accepted_types(spec, full)
    if not accepted:
        return {}
    given = bound.node.source.get("credentials")
    ids = None if stored is None else {(known.type, known.id) for known in stored}
    usable = {
        kind: {"id": value["id"], "name": str(value.get("name", ""))}
        for kind, value in (given.items() if isinstance(given, dict) else ())
        if kind in accepted
        and isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and (ids is None or (kind, value["id"]) in ids)
    }
    return usable or None


@dataclass(slots=True)
class _Lookup:
    """The lookups of one workflow; equal questions are asked once."""

    client: ListClient
    open_routes: frozenset[Route]
    notes: list[Diagnostic] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    lists: dict[str, EntryList] = field(default_factory=dict)
    count: int = 0
    is_cut_off: bool = False

    def choose(
        self,
        bound: ResolvedNode,
        spec: NodeSpec,
        node: dict[str, Any],
        credentials: Mapping[str, Any],
    ) -> None:
        """Chooses entries for the values of a node, each with the values chosen before it."""
        params = node.get("parameters")
        if not isinstance(params, dict):
            return
        done: set[Route] = set()
        unsettled: set[str] = set()
        failures = 0
        while len(done) < _MOST_VALUES and failures < _MOST_FAILURES and not self.is_cut_off:
            # A choice can show further parameters, and hide others.
            shown = find_list_values(spec, params)
            value = next((item for item in shown.values if item.route not in done), None)
            if value is None:
                return
            done.add(value.route)
            at = (*bound.node.at, "parameters", *value.route)
            if _depends_on_open_value(value, shown, unsettled):
                unsettled.add(value.declared.name)
                continue
            if not self._is_to_look_up(value, at):
                continue
            subject = ListSubject(bound.node.name, at, value)
            question = ListQuestion(
                value.kind,
                str(bound.node.source.get("type")),
                bound.version or spec.version,
                value.path,
                value.method,
                shown.full,
                credentials,
            )
            count = len(self.findings)
            try:
                self._choose_value(subject, question, params)
            except ListError as error:
                failures += 1
                self._report_failure(subject, error)
            if len(self.findings) > count:
                unsettled.add(value.declared.name)

    def _is_to_look_up(self, value: ListValue, at: Route) -> bool:
        if value.kind == "columns":
            return is_written_mapping(value.value)
        return bool(list_names(value)) or (at in self.open_routes and not value.needs_search)

    def _choose_value(
        self, subject: ListSubject, question: ListQuestion, params: dict[str, Any]
    ) -> None:
        value = subject.value
        if value.kind == "columns":
            self._count_lookup()
            columns = self.client.list_columns(question)
            chosen = choose_columns(subject, columns)
            _set(params, value.route, chosen.mapping)
            self.notes += chosen.notes
            self.findings += chosen.findings
            return
        names = list_names(value) or (EMPTY_TEXT,)
        current = value.value
        for name in names:
            if name == EMPTY_TEXT:
                self.findings.append(report_unchosen_entry(subject, self._list(question, value)))
                continue
            listed = self._list(question, value, name)
            match = match_entry(name, listed.entries)
            if match.kind in ("value", "name"):
                changed = with_entry(value, current, name, match.entries[0])
                if match.kind == "name":
                    self.notes.append(report_entry(subject, name, match.entries[0]))
                current = changed
            else:
                self.findings.append(report_open_entry(subject, name, match, listed))
        if current is not value.value:
            _set(params, value.route, current)

    def _list(self, question: ListQuestion, value: ListValue, name: str = "") -> EntryList:
        """Returns the entries that n8n has for a name, or all where its search has none."""
        text = name.lstrip("#@").strip()
        if name and (value.is_searched or value.needs_search):
            listed = self._ask(replace_search(question, text))
            is_known = match_entry(name, listed.entries).kind in ("value", "name", "several")
            if is_known or value.needs_search:
                return listed
        return self._ask(question)

    def _ask(self, question: ListQuestion) -> EntryList:
        key = json.dumps(
            [
                question.node_type,
                question.version,
                question.path,
                question.search,
                question.parameters,
                question.credentials,
            ],
            sort_keys=True,
            default=repr,
        )
        if key not in self.lists:
            self._count_lookup()
            self.lists[key] = self.client.list_entries(question)
        return self.lists[key]

    def _count_lookup(self) -> None:
        self.count += 1
        if self.count > _MOST_LOOKUPS:
            raise ListError(f"the workflow needs more than {_MOST_LOOKUPS} lists")

    def _report_failure(self, subject: ListSubject, error: ListError) -> None:
        """Reports a list that could not be read; without an answer of n8n no other is tried."""
        if error.is_general or self.count > _MOST_LOOKUPS:
            self.is_cut_off = True
            self.findings.append(report_unread_lists(str(error)))
        else:
            self.findings.append(report_unread_list(subject, str(error)))


def replace_search(question: ListQuestion, text: str) -> ListQuestion:
    """Returns a question that searches for a text."""
    return ListQuestion(
        question.kind,
        question.node_type,
        question.version,
        question.path,
        question.method,
        question.parameters,
        question.credentials,
        text,
    )


def _depends_on_open_value(
    value: ListValue, shown: ShownValues, unsettled: AbstractSet[str]
) -> bool:
    """Returns whether a list depends on a value that is not chosen yet, or known only at a run.

    An optional value can be empty.
    """
    for name in value.needed:
        needed = shown.full.get(name)
        if isinstance(needed, dict):
            needed = needed.get("value")
        is_open = needed in ("", None) and name in shown.required
        if is_open or name in unsettled or is_expression(needed):
            return True
    return False


def _set(params: dict[str, Any], route: Route, value: Any) -> None:
    place: Any = params
    for part in route[:-1]:
        place = place[part] if isinstance(part, int) else place.setdefault(part, {})
    place[route[-1]] = value
