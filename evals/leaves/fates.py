"""Finds every leaf of a draft again: in what is built, or in a finding that names it.

A leaf is a key or place with a value that holds no others: a text, a number, true, false, null,
or an empty list or object. Its fate is one of:

* ``written``: the artifact has the value, in the node of its step and under its key;
* ``reported``: a finding stands at the leaf, or stands above it and names its key or value;
* ``read``: without the leaf, or with another value, the compiler gives another result;
* ``noted``: only a note names it, which drafters are not sent;
* ``lost``: none of these.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import Diagnostic, Route

Fate = Literal["written", "reported", "read", "noted", "lost"]
Compile = Callable[[Any], Compilation]
Lower = Callable[[Any], Any]

_ABSENT = object()
# Keys of a step and those of its node.
_OWN = {"tool": "type", "version": "typeVersion", "remarks": "notes", "action": "name"}
# Findings about everything below their place: what is malformed, and steps without a tool.
_OF_ALL = frozenset({"GB106", "GB111", "N8N103", "N8N104"})
_OF_TOOLS = frozenset({"GB201", "GB202", "GB203", "GB204", "GB205", "GB207", "GB208"})
_STRIPPED = "N8N102"
_KEYS_OF_PLANS = frozenset(
    "goal name version constraints metadata model settings library assumptions plan tool_calls "
    "id tool action inputs outputs for as in remarks notes typeVersion depends_on after input "
    "output function type node tool_name parameters arguments args config from step back signal "
    "port".split()
)
_NAMES_OF_OPERATION = ("resource", "operation", "action")
_SHORTEST = 3
_QUOTED = 40
# Names of nodes have spaces where ids have underscores.
_WORDS = re.compile(r"[^\W_]+")
# A name is cut after as many characters.
_TITLE = 100


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place of a draft with its value."""

    at: Route
    value: Any

    @property
    def key(self) -> str:
        """The nearest key: an entry of a list has that of the list."""
        return next((part for part in reversed(self.at) if isinstance(part, str)), "")


def leaves_of(draft: Any, at: Route = ()) -> Iterator[Leaf]:
    """Yields the leaves of a draft in its order."""
    if isinstance(draft, dict) and draft:
        for key, value in draft.items():
            yield from leaves_of(value, (*at, key))
    elif isinstance(draft, list) and draft:
        for index, value in enumerate(draft):
            yield from leaves_of(value, (*at, index))
    else:
        yield Leaf(at, draft)


class Outcome:
    """What the compiler made of a draft, searched for the leaves of the draft."""

    def __init__(self, draft: Any, compile_: Compile, lower: Lower) -> None:
        self._draft = draft
        self._compile = compile_
        self._lower = lower
        self.compilation = compile_(draft)
        self._findings = (*self.compilation.diagnostics, *self.compilation.corrections)

    def fate(self, leaf: Leaf) -> Fate:
        """Returns the fate of a leaf of the draft."""
        if _states_nothing(leaf) or _is_name_of_output(leaf):
            return "read"
        if self._is_written(leaf):
            return "written"
        naming = [finding for finding in self._findings if _names(finding, leaf)]
        if any(finding.rule.severity != "info" for finding in naming):
            return "reported"
        if self._is_read(leaf):
            return "read"
        return "noted" if naming else "lost"

    @cached_property
    def _is_plan(self) -> bool:
        return self.compilation.plan is not None

    @cached_property
    def _result_document(self) -> Any:
        """The artifact; of a draft that is refused, the workflow as far as it was made."""
        if self.compilation.artifact is not None:
            return self.compilation.artifact
        if self._is_plan:
            return self._lower(self.compilation.document)
        return _bare(self.compilation.document)

    @cached_property
    def _nodes(self) -> Sequence[Any]:
        """The nodes of the result, in the order of the steps or nodes of the draft."""
        nodes = (
            self._result_document.get("nodes") if isinstance(self._result_document, dict) else None
        )
        return nodes if isinstance(nodes, list) else ()

    def _is_written(self, leaf: Leaf) -> bool:
        if not self._is_plan:
            place = leaf.at[1:] if leaf.at[:1] in (("workflow",), ("data",), (0,)) else leaf.at
            written = _value_at(self._result_document, place)
            return written is not _ABSENT and _same(leaf.value, written)
        index = next((part for part in leaf.at if isinstance(part, int)), None)
        if index is None and leaf.key == "goal":
            return isinstance(leaf.value, str) and any(
                " ".join(leaf.value.split())[:_TITLE] in str(value) for value in self._titles
            )
        if index is None or index >= len(self._nodes):
            return False
        inner = leaf.at[leaf.at.index(index) + 2 :]
        node = self._nodes[index]
        if leaf.at[2:] == ("action",) and leaf.value == _value_at(
            self._draft, (*leaf.at[:2], "id")
        ):
            return True
        if leaf.at[2:] == ("action",) and _is_shortened(leaf.value, node.get("name")):
            return True
        if leaf.key in _OWN and _same(leaf.value, node.get(_OWN[leaf.key])):
            return True
        if leaf.at[2:] == ("as",):
            kinds = (self._result_document.get("connections") or {}).get(node.get("name")) or {}
            return leaf.value in kinds
        written = _value_at(node.get("parameters"), inner) if inner else _ABSENT
        if written is not _ABSENT and _same(leaf.value, written):
            return True
        is_text = isinstance(leaf.value, str) and len(leaf.value) >= _SHORTEST
        return any(
            _same(leaf.value, other.value) and (is_text or other.key == leaf.key)
            for other in self._node_leaves[index]
        )

    @cached_property
    def _titles(self) -> Sequence[Any]:
        """The name of the result and the texts of its notes on the canvas."""
        notes = [(node.get("parameters") or {}).get("content") for node in self._nodes]
        return [(self._result_document or {}).get("name"), *notes]

    @cached_property
    def _node_leaves(self) -> Sequence[Sequence[Leaf]]:
        """What the parameters and notes of each node have."""
        return [
            list(leaves_of({key: node.get(key) for key in ("parameters", "notes")}))
            for node in self._nodes
        ]

    def _is_read(self, leaf: Leaf) -> bool:
        """Returns whether a leaf changes more than the notes that name it."""
        if self._has_effect(self._draft, self.compilation, leaf):
            return True
        alone = _without_other_names(self._draft, leaf)
        return alone is not None and self._has_effect(alone, self._compile(alone), leaf)

    def _has_effect(self, draft: Any, compilation: Compilation, leaf: Leaf) -> bool:
        result = _result(compilation, leaf)
        return any(
            _result(self._compile(changed), leaf) != result for changed in _changes(draft, leaf)
        )


def _result(compilation: Compilation, leaf: Leaf) -> Any:
    plan = compilation.plan.as_json() if compilation.plan is not None else None
    findings = sorted(
        f"{d.code} {d.message}"
        for d in (*compilation.diagnostics, *compilation.corrections)
        if d.rule.severity != "info" or not _names(d, leaf)
    )
    corrected = compilation.document if compilation.plan is None else None
    return json.dumps(
        [compilation.artifact, plan, findings, corrected], sort_keys=True, default=str
    )


def _changes(draft: Any, leaf: Leaf) -> Iterator[Any]:
    """Yields the draft without a leaf, and with another value there."""
    if not leaf.at:
        return
    for value in (_ABSENT, _other(leaf.value)):
        changed = copy.deepcopy(draft)
        holder = _value_at(changed, leaf.at[:-1])
        if value is not _ABSENT:
            holder[leaf.at[-1]] = value
        elif isinstance(leaf.at[-1], str):
            del holder[leaf.at[-1]]
        else:
            continue
        yield changed


def _without_other_names(draft: Any, leaf: Leaf) -> Any:
    """Returns the draft without what else names the operation of a step; None for other leaves.

    Of several names of one operation each can be removed without a change.
    """
    if leaf.at[0] != "steps" or leaf.key not in _NAMES_OF_OPERATION:
        return None
    changed = copy.deepcopy(draft)
    step = _value_at(changed, leaf.at[:2])
    for at in ((), ("params",)):
        holder = _value_at(step, at)
        for key in _NAMES_OF_OPERATION if isinstance(holder, dict) else ():
            if (*leaf.at[:2], *at, key) != leaf.at:
                holder.pop(key, None)
    return changed


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value} or other" if isinstance(value, str) and value else "other"


def _names(finding: Diagnostic, leaf: Leaf) -> bool:
    """Returns whether a finding is about a leaf."""
    if finding.at == leaf.at or any(place.at == leaf.at for place in finding.related):
        return True
    if finding.at[: len(leaf.at)] == leaf.at:
        return True  # the leaf is an empty container that something is missing in
    if finding.code in _OF_TOOLS and leaf.at[0] == "steps" and leaf.at[:2] == finding.at[:2]:
        return True
    if leaf.at[: len(finding.at)] != finding.at:
        return False
    text = f"{finding.message} {finding.token or ''}"
    if finding.code in _OF_ALL or _has_word(text, leaf.key):
        return True
    holders = [part for part in leaf.at[max(0, len(finding.at) - 1) :] if isinstance(part, str)]
    return any(_has_word(text, holder) for holder in holders[:1]) and (
        finding.code == _STRIPPED or _is_step_key(finding.at)
    )


def _states_nothing(leaf: Leaf) -> bool:
    """Returns whether a leaf is empty at a key of the form of plans, which means that it is unset.

    In parameters null and empty values are values.
    """
    is_empty = leaf.value is None or leaf.value in ("", [], {})
    return is_empty and "params" not in leaf.at and leaf.key in _KEYS_OF_PLANS


def _is_name_of_output(leaf: Leaf) -> bool:
    """Returns whether a leaf is a name by which other steps may refer to a step."""
    is_output = leaf.at[0] == "steps" and leaf.at[2:3] in (("outputs",), ("output",))
    return is_output and isinstance(leaf.value, str) and len(leaf.at) <= 4


def _is_step_key(at: Route) -> bool:
    """Returns whether a finding stands below a step or a node, and not at a whole one."""
    index = next((place for place, part in enumerate(at) if isinstance(part, int)), len(at))
    return len(at) > index + 1 or len(at) == 1


def _has_word(text: str, word: str) -> bool:
    return bool(word) and bool(re.search(rf"(?<!\w){re.escape(word[:_QUOTED])}(?!\w)", text))


def _bare(document: Any) -> Any:
    for key in ("workflow", "data", "workflowData"):
        if isinstance(document, dict) and "nodes" not in document and key in document:
            return document[key]
    return document[0] if isinstance(document, list) and len(document) == 1 else document


def _value_at(document: Any, at: Route) -> Any:
    for part in at:
        if isinstance(document, dict) and isinstance(part, str):
            document = document.get(part, _ABSENT)
        elif isinstance(document, list) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            return _ABSENT
    return document


def _same(drafted: Any, written: Any) -> bool:
    """Returns whether a written value is a drafted one, in the form of its parameter."""
    if isinstance(drafted, dict | list) or drafted is None or isinstance(drafted, bool):
        return bool(drafted == written) and type(drafted) is type(written)
    if isinstance(written, dict):  # a locator
        return "__rl" in written and _same(drafted, written.get("value"))
    item, other = _plain(drafted), _plain(written)
    return item == other or (len(item) >= _SHORTEST and item in other)


def _is_shortened(action: Any, name: Any) -> bool:
    """Returns whether a name has only words of an action: names of nodes are short."""
    words = set(_WORDS.findall(str(action).casefold()))
    return bool(words) and set(_WORDS.findall(str(name).casefold())) <= words


def _plain(value: Any) -> str:
    """Returns a value without what marks an expression, and without the names of nodes in it."""
    text = str(value).strip().removeprefix("=").strip()
    return re.sub(r"""\$\(\s*(["'`]).*?\1\s*\)|\$node\[.*?\]""", "$()", text).casefold()


def count_fates(
    draft: Any, compile_: Compile, lower: Lower, classes: Mapping[Route, str] | None = None
) -> list[tuple[Leaf, str, Fate]]:
    """Returns each leaf of a draft with its class and fate; of a draft with oddities only those."""
    outcome = Outcome(draft, compile_, lower)
    named = classes or {}
    return [
        (leaf, _class_of(leaf, named), outcome.fate(leaf))
        for leaf in leaves_of(draft)
        if not named or _class_of(leaf, named) in named.values()
    ]


def _class_of(leaf: Leaf, classes: Mapping[Route, str]) -> str:
    """Returns the class of a leaf: that of the nearest oddity around it, else its kind of place."""
    for length in range(len(leaf.at), 0, -1):
        if leaf.at[:length] in classes:
            return classes[leaf.at[:length]]
    places = [part for part in leaf.at if isinstance(part, str)]
    if places[:1] in (["steps"], ["nodes"]):
        inner = places[1] if len(places) > 1 else "itself"
        return f"{places[0]}/{inner}"
    return places[0] if places else "document"
