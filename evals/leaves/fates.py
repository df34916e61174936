"""Finds for every value of a draft whether it is in the result, in a finding, or lost.

A leaf is a key or position with a value that contains no others: a text, a number, true, false,
null, or an empty list or object. Its fate is one of:

* ``written``: the result has the value at the leaf's own place: a parameter or setting under its
  keys, a connection between the two nodes that an input names;
* ``moved``: the node of its step has the value elsewhere, and a finding or note names the leaf;
* ``reported``: a finding that drafters receive is at the leaf, or above it and quotes its key;
* ``read``: without the leaf, or with another value, the result differs;
* ``noted``: the result does not have it, and only a note names it, which drafters do not receive;
* ``formal``: it has no meaning for a workflow: an unset key of a plan, a name of an output;
* ``lost``: none of these, even if the value is elsewhere without a finding.
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

Fate = Literal["written", "moved", "reported", "read", "noted", "formal", "lost"]
Compile = Callable[[Any], Compilation]
Lower = Callable[[Any], Any]

_ABSENT = object()
# Findings about everything below their place: malformed parts, and several documents.
_OF_ALL = frozenset({"GB106", "GB111", "GB116", "N8N103", "N8N104"})
_STRIPPED = "N8N102"
_TOOLS = ("tool", "tool_id", "tool_name", "type", "node")
_VERSIONS = ("version", "typeVersion")
_SOURCES = ("inputs", "input", "depends_on", "dependsOn", "dependencies", "after")
_PARAMS = ("params", "parameters", "arguments", "args", "config")
_OPERATIONS = ("resource", "operation", "action")
# The position of a parameter's name in a route: "steps", the index, "params", the name.
_PARAMETER = 3
_REMOVED = "; the editor removes "
# The length of the route of a connection: "connections", source, kind, output, entry.
_EDGE = 5
_TOOL_SUFFIX = "Tool"
_QUOTED_CHARS = 40
_QUOTED = re.compile(r'"([^"]*)"')
_REFERENCE = re.compile(r"""\$\(\s*(["'`]).*?\1\s*\)|\$node\[.*?\]""")
_WORDS = re.compile(r"[^\W_]+")
# Names of workflows are truncated to this many characters.
_TITLE = 100


@dataclass(frozen=True, slots=True)
class Leaf:
    """A route in a draft with its value."""

    at: Route
    value: Any

    @property
    def key(self) -> str:
        """Returns the nearest key; an entry of a list has that of the list."""
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
    """The result of compiling a draft, searched for the leaves of the draft."""

    def __init__(self, draft: Any, compile_: Compile, lower: Lower) -> None:
        self.draft = draft
        self._compile = compile_
        self._lower = lower
        self.compilation = compile_(draft)
        self._findings = (*self.compilation.diagnostics, *self.compilation.corrections)

    def fate(self, leaf: Leaf) -> Fate:
        """Returns the fate of a leaf of the draft."""
        if self._is_written(leaf):
            return "written"
        if self.is_reported(leaf):
            return "reported"
        naming = any(
            _is_about(finding, leaf) or self._is_of_source(finding, leaf)
            for finding in self._findings
        )
        if naming and self._is_elsewhere(leaf):
            return "moved"
        if naming:
            return "noted"
        if self.is_plan and _is_formal(leaf):
            return "formal"
        return "read" if self._is_read(leaf) else "lost"

    def is_reported(self, leaf: Leaf) -> bool:
        """Returns whether a finding that drafters receive names a leaf."""
        return any(
            finding.rule.severity != "info" and _is_about(finding, leaf)
            for finding in self._findings
        )

    @cached_property
    def is_plan(self) -> bool:
        """Returns whether the draft is a plan."""
        return self.compilation.plan is not None

    @cached_property
    def result_document(self) -> Any:
        """Returns the artifact, or for a refused draft the workflow as far as it was made."""
        return self._document_of(self.compilation)

    def _document_of(self, compilation: Compilation) -> Any:
        if compilation.artifact is not None:
            return compilation.artifact
        if compilation.plan is not None:
            return self._lower(compilation.document)
        return _unwrap(compilation.document)

    @cached_property
    def nodes(self) -> Sequence[Any]:
        """Returns the nodes of the result, in the order of the steps or nodes of the draft."""
        nodes = (
            self.result_document.get("nodes") if isinstance(self.result_document, dict) else None
        )
        return nodes if isinstance(nodes, list) else ()

    def place(self, leaf: Leaf) -> Route:
        """Returns the route in the result at which the value of a leaf takes effect as written.

        It is () for a leaf of a plan that is no parameter or setting of a node.
        """
        if not self.is_plan:
            return leaf.at[1:] if leaf.at[:1] in (("workflow",), ("data",), (0,)) else leaf.at
        step = self._step_of(leaf)
        if step is None:
            return leaf.at if leaf.at[:1] == ("settings",) else ()
        index, inner = step
        if inner[:1] and inner[0] in _PARAMS:
            return ("nodes", index, "parameters", *inner[1:])
        own = inner[1:] if inner[:1] == ("settings",) else inner
        return ("nodes", index, *own)

    def _step_of(self, leaf: Leaf) -> tuple[int, Route] | None:
        """Returns the index of the leaf's step and its place there; None outside of steps."""
        for place, part in enumerate(leaf.at[:3]):
            if isinstance(part, int):
                is_step = part < len(self.nodes) and len(leaf.at) > place + 1
                return (part, leaf.at[place + 1 :]) if is_step else None
        return None

    def _is_written(self, leaf: Leaf) -> bool:
        place = self.place(leaf)
        if place and not self.is_plan:
            written = _value_at(self.result_document, place)
            return written is not _ABSENT and written == leaf.value
        if place and _is_same(leaf.value, _value_at(self.result_document, place)):
            return True
        step = self._step_of(leaf)
        if step is None:
            title = (self.result_document or {}).get("name")
            is_title = leaf.at in (("goal",), ("name",)) and isinstance(leaf.value, str)
            return is_title and " ".join(leaf.value.split())[:_TITLE] == title
        index, inner = step
        node = self.nodes[index]
        key = inner[0]
        if key in _TOOLS and len(inner) == 1:
            return _is_type(leaf.value, node.get("type"))
        if key in _VERSIONS and len(inner) == 1:
            return _is_same(leaf.value, node.get("typeVersion"))
        if key in ("id", "action", "name") and len(inner) == 1:
            is_name = _is_name(leaf.value, node.get("name")) or _is_in_notes(leaf.value, node)
            return is_name or (key == "id" and self._is_named_otherwise(leaf.value, index))
        if key in ("remarks", "notes"):
            return _is_in_notes(leaf.value, node)
        if key in _SOURCES:
            return self._is_input(inner, node)
        if key == "for":
            kinds = self._kinds_to(self._find_node(leaf.value), node)
            return bool(kinds - {"main"})
        if key == "as":
            kinds = set((self.result_document.get("connections") or {}).get(node.get("name")) or ())
            return isinstance(leaf.value, str) and leaf.value in kinds
        return False

    @cached_property
    def _steps(self) -> Sequence[Any]:
        """Returns the steps of a plan."""
        steps = self.draft if isinstance(self.draft, list) else self.draft.get("steps")
        return steps if isinstance(steps, list) else ()

    @cached_property
    def _nodes_by_id(self) -> Mapping[str, Any]:
        return {
            str(step.get("id")): node
            for step, node in zip(self._steps, self.nodes, strict=False)
            if isinstance(step, dict)
        }

    def _is_named_otherwise(self, value: Any, index: int) -> bool:
        """Returns whether a text is only the id of its step, which also has an action."""
        action = self._steps[index].get("action")
        return isinstance(value, str) and isinstance(action, str) and action not in ("", value)

    def _find_node(self, value: Any) -> Any:
        """Returns the node of the step that a text names."""
        return self._nodes_by_id.get(value) if isinstance(value, str) else None

    def _kinds_to(self, target: Any, node: Any) -> set[str]:
        """Returns the kinds of the connections from a node to a target."""
        kinds = (self.result_document.get("connections") or {}).get(node.get("name")) or {}
        name = target.get("name") if isinstance(target, dict) else None
        return {
            kind
            for kind, outputs in kinds.items()
            for targets in outputs
            for edge in targets or ()
            if edge["node"] == name
        }

    def _is_input(self, inner: Route, node: Any) -> bool:
        """Returns whether the connection of an input exists, from its output to its input."""
        length = 2 if len(inner) > 1 and isinstance(inner[1], int) else 1
        step = self._step_with(node)
        entry = _value_at(step, inner[:length])
        if entry == []:
            return not any("main" in self._kinds_to(node, other) for other in self.nodes)
        wanted: tuple[Any, Any] = (None, None)
        if isinstance(entry, dict):
            extra = inner[length:]
            if extra not in (("from",), ("output",), ("input",), ("back",)):
                return False
            wanted = entry.get("output"), entry.get("input")
            entry = entry.get("from")
        source = self._find_node(entry)
        if source is None:
            return False
        outputs = (
            (self.result_document.get("connections") or {})
            .get(source.get("name"), {})
            .get("main", [])
        )
        return any(
            edge["node"] == node.get("name")
            and (not isinstance(wanted[0], int) or wanted[0] == output)
            and (not isinstance(wanted[1], int) or wanted[1] == edge.get("index", 0))
            for output, targets in enumerate(outputs)
            for edge in targets or ()
        ) and all(port is None or isinstance(port, int) for port in wanted)

    def _step_with(self, node: Any) -> Any:
        return next(
            step for step, other in zip(self._steps, self.nodes, strict=False) if other is node
        )

    def _is_elsewhere(self, leaf: Leaf) -> bool:
        """Returns whether the node of the leaf's step has its value at another place."""
        if not self.is_plan:
            index = next((part for part in leaf.at if isinstance(part, int)), None)
        else:
            step = self._step_of(leaf)
            index = step[0] if step is not None else None
        if index is None or index >= len(self.nodes):
            return False
        return _is_in_notes(leaf.value, self.nodes[index]) or any(
            _is_same(leaf.value, other.value) for other in self._leaves_of_node(index)
        )

    def _leaves_of_node(self, index: int) -> Sequence[Leaf]:
        if index not in self._node_leaves:
            node = self.nodes[index]
            self._node_leaves[index] = list(
                leaves_of({k: v for k, v in node.items() if k not in ("id", "position")})
            )
        return self._node_leaves[index]

    def _is_of_source(self, finding: Diagnostic, leaf: Leaf) -> bool:
        """Returns whether a finding is about the edges of the source that an input names."""
        step = self._step_of(leaf)
        if not self.is_plan or step is None or step[1][0] not in _SOURCES:
            return False
        entry = _value_at(self._steps[step[0]], step[1][:2])
        source = self._find_node(entry.get("from") if isinstance(entry, dict) else entry)
        names = finding.node is not None and source is not None
        return names and finding.node == source.get("name") and "edge" in finding.message

    @cached_property
    def _node_leaves(self) -> dict[int, Sequence[Leaf]]:
        return {}

    def _is_read(self, leaf: Leaf) -> bool:
        """Returns whether the result differs without the leaf, or with another value."""
        if self._has_effect(self.draft, self.result_document, leaf):
            return True
        alone = _without_other_names(self.draft, leaf)
        return alone is not None and self._has_effect(
            alone, self._document_of(self._compile(alone)), leaf
        )

    def _has_effect(self, draft: Any, built: Any, leaf: Leaf) -> bool:
        result = json.dumps(built, sort_keys=True, default=str)
        return any(
            json.dumps(self._document_of(self._compile(changed)), sort_keys=True, default=str)
            != result
            for changed in _make_changes(draft, leaf)
        )


def _make_changes(draft: Any, leaf: Leaf) -> Iterator[Any]:
    """Yields the draft without a leaf, and with another value there."""
    if not leaf.at:
        return
    for value in (_ABSENT, _change_value(leaf.value)):
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
    """Returns the draft without other names of a step's operation; None for other leaves.

    If an operation has several names, removing any one of them changes nothing.
    """
    if leaf.at[0] != "steps" or leaf.key not in _OPERATIONS:
        return None
    changed = copy.deepcopy(draft)
    step = _value_at(changed, leaf.at[:2])
    for at in ((), ("params",)):
        holder = _value_at(step, at)
        for key in _OPERATIONS if isinstance(holder, dict) else ():
            if (*leaf.at[:2], *at, key) != leaf.at:
                holder.pop(key, None)
    return changed


def _change_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value} or other" if isinstance(value, str) and value else "other"


def _is_about(finding: Diagnostic, leaf: Leaf) -> bool:
    """Returns whether a finding is about a leaf: at its route, or above it with its key."""
    places = (finding.at, *(place.at for place in finding.related))
    if leaf.at in places:
        return True
    if leaf.value in ({}, []) and finding.at[: len(leaf.at)] == leaf.at:
        return True  # the leaf is an empty container in which something is missing
    if finding.at == leaf.at[:-1] and _is_input(finding.at):
        return True
    if leaf.at[:1] == ("connections",) and _is_of_edge(finding, leaf):
        return True
    if leaf.at[:2] == finding.at[:2] and len(leaf.at) > _PARAMETER:
        removed = finding.message.partition(_REMOVED)[2]
        if removed and _has_word(removed, str(leaf.at[_PARAMETER])):
            return True
    if _is_of_unknown_tool(finding) and leaf.at[: len(finding.at) - 1] == finding.at[:-1]:
        return True
    if not any(leaf.at[: len(place)] == place for place in places):
        return False
    if finding.code in _OF_ALL:
        return True
    if finding.code == _STRIPPED:
        listed = finding.message.partition(": ")[2].split(", ")
        names = (f"{holder}{part}" for part in leaf.at for holder in ("", "nodes.", "settings."))
        return any(name in listed for name in names)
    # The keys from that of the finding's own place on.
    start = max(0, len(finding.at) - 1)
    below = [part for part in leaf.at[start:] if isinstance(part, str)]
    quoted = [finding.token or "", *_QUOTED.findall(finding.message)]
    wanted = {leaf.key, *below[:2]}
    if any(_has_word(text, word) for text in quoted for word in wanted):
        return True
    value = str(leaf.value)[:_QUOTED_CHARS]
    if leaf.key in _VERSIONS:
        return _has_word(finding.message, f"version {value}")
    is_near = finding.rule.kind == "wrong" or finding.at == leaf.at[:-1]
    return is_near and len(value) > 1 and value in quoted


def _is_of_edge(finding: Diagnostic, leaf: Leaf) -> bool:
    """Returns whether a finding is about the connection of a leaf, or about all of its source."""
    # A connection can be written as a list, whose entries are leaves.
    length = _EDGE if len(leaf.at) > _EDGE else _EDGE - 1
    if len(finding.at) >= _EDGE and finding.at[:length] == leaf.at[:length]:
        return True
    return finding.node in leaf.at[1:2] and "edge" in finding.message


def _is_input(at: Route) -> bool:
    return len(at) > 1 and isinstance(at[-1], int) and at[-2] in _SOURCES


def _is_formal(leaf: Leaf) -> bool:
    """Returns whether a leaf is an unset key outside of parameters, or a name of an output.

    In parameters null and empty values are values.
    """
    is_unset = leaf.value is None or leaf.value in ("", [], {})
    if is_unset:
        return not any(key in leaf.at for key in _PARAMS)
    is_output = leaf.at[0] == "steps" and leaf.at[2:3] in (("outputs",), ("output",))
    return is_output and isinstance(leaf.value, str) and len(leaf.at) <= 4


def _is_of_unknown_tool(finding: Diagnostic) -> bool:
    """Returns whether a finding is an error about the tool of a step, which is then not built."""
    return finding.rule.kind == "wrong" and finding.at[-1:] in [(key,) for key in _TOOLS]


def _has_word(text: str, word: str) -> bool:
    return bool(word) and bool(re.search(rf"(?<!\w){re.escape(word[:_QUOTED_CHARS])}(?!\w)", text))


def _unwrap(document: Any) -> Any:
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


def _is_same(drafted: Any, written: Any) -> bool:
    """Returns whether a written value is a drafted one, in the form of its parameter."""
    if written is _ABSENT:
        return False
    if isinstance(drafted, dict | list) or drafted is None or isinstance(drafted, bool):
        return bool(drafted == written) and type(drafted) is type(written)
    if isinstance(written, dict):  # a locator
        return "__rl" in written and _is_same(drafted, written.get("value"))
    return not isinstance(written, list) and _strip_marks(drafted) == _strip_marks(written)


def _is_type(drafted: Any, written: Any) -> bool:
    """Returns whether a type is a drafted one: as written, without its package, or its variant."""
    if not isinstance(drafted, str) or not isinstance(written, str) or not drafted:
        return False
    names = (written, written.rpartition(".")[2], written.removesuffix(_TOOL_SUFFIX))
    return drafted.strip() in names


def _is_name(drafted: Any, name: Any) -> bool:
    """Returns whether a name of a node has all words of an id or an action, in their order."""
    words = _WORDS.findall(str(drafted).replace("_", " ").casefold())
    return bool(words) and words == _WORDS.findall(str(name).casefold())[: len(words)]


def _is_in_notes(drafted: Any, node: Mapping[str, Any]) -> bool:
    text = str(drafted).strip()
    return isinstance(drafted, str) and bool(text) and text in str(node.get("notes") or "")


def _strip_marks(value: Any) -> str:
    """Returns a value without expression marks, and without the names of nodes in it."""
    text = str(value).strip().removeprefix("=").strip()
    return _REFERENCE.sub("$()", text)


def count_fates(
    draft: Any, compile_: Compile, lower: Lower, classes: Mapping[Route, str] | None = None
) -> list[tuple[Leaf, str, Fate]]:
    """Returns each leaf of a draft with its class and fate; only oddities if there are any."""
    outcome = Outcome(draft, compile_, lower)
    named = classes or {}
    return [
        (leaf, _class_of(leaf, named), outcome.fate(leaf))
        for leaf in leaves_of(draft)
        if not named or _class_of(leaf, named) in named.values()
    ]


def _class_of(leaf: Leaf, classes: Mapping[Route, str]) -> str:
    """Returns the class of a leaf: that of the nearest oddity above it, else its key."""
    for length in range(len(leaf.at), 0, -1):
        if leaf.at[:length] in classes:
            return classes[leaf.at[:length]]
    places = [part for part in leaf.at if isinstance(part, str)]
    if places[:1] in (["steps"], ["nodes"]):
        inner = places[1] if len(places) > 1 else "itself"
        return f"{places[0]}/{inner}"
    return places[0] if places else "document"
