"""Determines for the keyword planner what tools accept, serve, start and do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import is_verb
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.catalog.tool import Operation, ToolRow
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.mentions import Mention, find_mentions

# Up to three words, from each word on.
_NAME = re.compile(r"(?<!\w)(?=(\w+(?: \w+){0,2}))\w+")
_SHORT = 5
_SMALL_WORDS = ("to", "from", "a")
FlowName = tuple[str, Mapping[str, Any], tuple[str, ...]]
"""A flow tool, the parameters of what it does under a name, and the stems of that name."""


class ToolFacts:
    """One catalog for one request."""

    def __init__(self, domain: Domain, registry: Registry) -> None:
        self.domain = domain
        self.registry = registry
        self._operations = _OPERATIONS.setdefault(registry, {})

    def row(self, tool: str) -> ToolRow:
        """Returns the row of a tool."""
        return self.registry.tools[tool]

    def spec(self, tool: str) -> Any:
        """Returns the tool, compiled at its usual version."""
        return self.registry.spec(tool, self.row(tool).preferred_version)

    def is_trigger(self, tool: str) -> bool:
        """Returns whether a tool starts a graph."""
        return "trigger" in self.row(tool).capabilities

    def is_installed(self, tool: str) -> bool:
        """Returns whether a tool can be used at all."""
        row = self.registry.tools.get(tool)
        return row is not None and row.availability == "installed"

    def wants(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Returns the kinds of sub-node that a tool cannot work without."""
        return self.domain.prompting.required_sub_nodes(self.spec(tool), params or {})

    def takes(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Returns the kinds of sub-node that a tool can have."""
        return self.domain.prompting.accepted_sub_nodes(self.spec(tool), params or {})

    def serves(self, tool: str, params: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Returns the kinds by which a tool works for another one."""
        return self.domain.prompting.sub_node_kinds(self.spec(tool), params or {})

    def joins(self, tool: str) -> bool:
        """Returns whether a tool has several inputs in the line, or waits for some of them."""
        variants, version = self.registry.tool(tool)["variants"], self.row(tool).preferred_version
        usual = next((v for v in variants if version in v["versions"]), variants[-1])
        inputs = usual.get("inputs")
        mains = [i for i in inputs if i["kind"] == "main"] if isinstance(inputs, list) else ()
        return len(mains) > 1 or "required_inputs" in (usual.get("traits") or {})

    def variant(self, tool: str, kind: str) -> str | None:
        """Returns the tool that does the same as another one, as a sub-node of a kind."""
        if kind in self.row(tool).capabilities:
            return tool
        same = (
            row.id
            for row in self.registry.tools.values()
            if tool in row.equivalent_to and kind in row.capabilities and self.is_installed(row.id)
        )
        return next(same, None)

    def brands(self, text: str, kind: str) -> Iterator[tuple[str, int, int]]:
        """Yields the tools of a kind of sub-node that a text names, with their places.

        A tool is named by its name, or in a capital by the first word of it or a keyword of it.
        """
        named: dict[str, list[str]] = defaultdict(list)
        for row in sorted(self.registry.tools.values(), key=lambda row: row.id):
            is_current = self.is_installed(row.id) and not row.is_superseded
            is_plain = row.id not in self.registry.names.variants
            if kind in row.capabilities and is_current and is_plain:
                first = row.name.split(" ")[0]
                for name in {row.name.casefold(), first.casefold(), *row.keywords}:
                    if kind not in self.wants(row.id):
                        named[name].append(row.id)
        end = 0
        for match in _NAME.finditer(text):
            words = match[1].casefold().split(" ")
            for size in range(len(words), 0, -1):
                name = " ".join(words[:size])
                tools = named.get(name, ())
                is_whole = tools and name == self.row(tools[0]).name.casefold()
                is_name = match[0][0].isupper() or (is_whole and len(name) > _SHORT)
                is_first = len(tools) == 1 or (tools and name in self.row(tools[0]).name.casefold())
                if tools and is_name and is_first and match.start() >= end:
                    end = match.start() + len(name)
                    yield tools[0], match.start(), end
                    break

    def mentions(self, text: str) -> list[Mention]:
        """Returns the names in a text; the product itself is no tool of its graphs."""
        own = self.domain.name.casefold()
        return [m for m in find_mentions(text, self.registry) if m.text.casefold() != own]

    def find_by_title(self, text: str) -> str | None:
        """Returns the current tool that a whole text is the name of."""
        tools = [
            tool
            for tool in self.registry.names.by_plain(text)
            if self.is_installed(tool) and not self.row(tool).is_superseded
        ]
        derived = self.registry.names.variants
        own = [tool for tool in tools if tool not in derived and not self.serves(tool)] or tools
        return own[0] if own else None

    def find_action_tool(self, mention: Mention) -> str | None:
        """Returns the tool of a name that does something in the line, where there is one."""
        candidates = [tool for tool in mention.tools if not self.is_trigger(tool)]
        plain = [tool for tool in candidates if not self.serves(tool)]
        titled = None if candidates else self.find_by_title(mention.text)
        candidates += [titled] if titled is not None and not self.is_trigger(titled) else []
        return next(iter(plain or candidates), None)

    def find_trigger_tool(self, mention: Mention) -> str | None:
        """Returns the tool that starts a graph for a name."""
        for tool in mention.tools:
            if self.is_trigger(tool):
                return tool
            for starter in self.registry.names.starters.get(tool, ()):
                if self.is_installed(starter) and not self.row(starter).is_superseded:
                    return starter
        return None

    def operations(self, tool: str) -> list[Operation]:
        """Returns what a tool does at its usual version; older ones may have done other things."""
        known = self._operations.get(tool)
        if known is None:
            known = self._operations[tool] = self._read_operations(tool)
        return list(known)

    def _read_operations(self, tool: str) -> list[Operation]:
        variants, version = self.registry.tool(tool)["variants"], self.row(tool).preferred_version
        usual = next(
            (variant for variant in variants if version in variant["versions"]), variants[-1]
        )
        results = [Operation(o["name"], o["params"]) for o in usual.get("operations") or ()]
        events = self.domain.prompting.trigger_events
        return results if results or events is None else list(events(usual))

    def usual_operations(self, tool: str) -> list[Operation]:
        """Returns what a tool does where nothing of its operation is set."""
        default_parameters = self.domain.prompting.default_parameters
        defaults = {} if default_parameters is None else default_parameters(self.spec(tool))
        return [o for o in self.operations(tool) if o.params.items() <= defaults.items()]

    def operations_of(self, tool: str, params: Mapping[str, Any]) -> list[Operation]:
        """Returns the operations of a tool that parameters choose; the usual ones where none."""
        chosen = [o for o in self.operations(tool) if o.params.items() <= params.items()]
        return chosen or self.usual_operations(tool)

    def is_action_word(self, word: str) -> bool:
        """Returns whether a word names the action of an operation of any tool."""
        return is_verb(word) or stem(word) in _action_stems(self.registry)

    def find_schedule_tool(self) -> str | None:
        """Returns the tool that starts a graph by the clock."""
        for row in self.registry.tools.values():
            is_current = self.is_installed(row.id) and not row.is_superseded
            if is_current and {"trigger", "schedule"} <= {*row.capabilities}:
                return row.id
        return None

    def flow_tools(self) -> tuple[str, ...]:
        """Returns the tools of the product itself that need no account and stand in the line."""
        known = _FLOW_TOOLS.get(self.registry)
        if known is None:
            known = _FLOW_TOOLS[self.registry] = tuple(self._read_flow_tools())
        return known

    def _read_flow_tools(self) -> Iterator[str]:
        packages = self.domain.resolving.core_packages
        for row in self.registry.tools.values():
            if row.package not in packages or row.is_superseded or row.availability != "installed":
                continue
            variants = self.registry.tool(row.id)["variants"]
            logins = variants[-1].get("credentials") or ()
            accounts = any(c.get("required") and not c.get("displayOptions") for c in logins)
            derived = row.id in self.registry.names.variants
            if not (accounts or derived or self.is_trigger(row.id) or self.serves(row.id)):
                yield row.id

    def flow_names(self) -> tuple[FlowName, ...]:
        """Returns the names of the flow tools and of what they do, as stems."""
        known = _FLOW_NAMES.get(self.registry)
        if known is None:
            known = _FLOW_NAMES[self.registry] = tuple(self._read_flow_names())
        return known

    def _read_flow_names(self) -> Iterator[FlowName]:
        for tool in self.flow_tools():
            names: list[tuple[str, Mapping[str, Any]]] = [(self.row(tool).name, {})]
            names += [(o.name, o.params) for o in self.operations(tool)]
            for name, params in names:
                words = (part for part in split_identifier(name) if part not in _SMALL_WORDS)
                if parts := tuple(map(stem, words)):
                    yield tool, params, parts

    def described_words(self, tool: str, words: Iterable[str]) -> set[str]:
        """Returns those words that a tool's name or description has."""
        row = self.row(tool)
        known = {stem(word) for word in split_identifier(f"{row.name} {row.description}")}
        return {word for word in words if stem(word) in known}


def _action_stems(registry: Registry) -> frozenset[str]:
    """Returns the stems of what the operations and flow tools of a catalog do; read once."""
    known = _READ.get(registry)
    if known is not None:
        return known
    rows = registry.tools.values()
    names = [
        split_identifier(operation.name)
        for row in rows
        if "trigger" not in row.capabilities
        for operation in row.operations
    ]
    flow = [split_identifier(row.name) for row in rows if row.is_generic]
    first = (parts[0] for parts in (*names, *flow) if len(parts) > 1)
    _READ[registry] = frozenset(map(stem, first))
    return _READ[registry]


_READ: WeakKeyDictionary[Registry, frozenset[str]] = WeakKeyDictionary()
# Of each catalog, read once: a request asks for them with every clause.
_FLOW_TOOLS: WeakKeyDictionary[Registry, tuple[str, ...]] = WeakKeyDictionary()
_FLOW_NAMES: WeakKeyDictionary[Registry, tuple[FlowName, ...]] = WeakKeyDictionary()
_OPERATIONS: WeakKeyDictionary[Registry, dict[str, list[Operation]]] = WeakKeyDictionary()
