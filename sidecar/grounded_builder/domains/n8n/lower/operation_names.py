"""Lists a node's operations, and finds those that a text names by value, label or words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from grounded_builder.catalog.guarded_verbs import guarded_stems, is_asked_for
from grounded_builder.catalog.name_index import fold_name, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import is_verb, synonym_groups
from grounded_builder.catalog.tokenize import STOP, split_identifier, stem
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.resolve.operation import resolve_operation

Params = Mapping[str, Any]

_RESOURCE = "resource"
_OPERATION = "operation"
_SEND = "send"
_CREATE = "create"
_MAX_TEXT = 300
MAX_TITLES = 8
# "Get all" and "get many" are one operation, and not that of getting one.
_ALL = "all"
_QUANTITIES = {"many": _ALL, "multiple": _ALL}
_SILENT = STOP - {_ALL}


@dataclass(frozen=True, eq=False)
class NodeOperation:
    """An operation of a node at a version: the parameters that select it, and its names.

    ``params`` are those that name it, ``presets`` the others with which n8n offers it. ``labels``
    are the texts that n8n shows for the values of parameters, ``own`` the stems of the tool's name.
    """

    params: Params
    presets: Params
    action: str
    description: str
    labels: Mapping[tuple[str, str], Sequence[str]]
    own: frozenset[str]

    @cached_property
    def title(self) -> str:
        """The values of the operation: ``message/post``."""
        return "/".join(map(str, self.params.values()))

    @cached_property
    def action_names(self) -> tuple[str, ...]:
        """The names of its action."""
        return self._names_of(list(self.params)[-1])

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The names of the object of its action."""
        return (
            self._names_of(_RESOURCE) if len(self.params) > 1 and _RESOURCE in self.params else ()
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names that also state its object: n8n's title, and pairs of values and labels."""
        values = " ".join(map(str, self.params.values()))
        pairs = [f"{thing} {action}" for thing, action in product(self.objects, self.action_names)]
        turned = [f"{action} {thing}" for thing, action in product(self.objects, self.action_names)]
        return tuple(dict.fromkeys((self.action, values, *pairs, *turned)))

    @cached_property
    def guarded_verb_stems(self) -> frozenset[str]:
        """The stems of guarded verbs in its name, values and description."""
        verb = next(iter(split_identifier(self.description)), "")
        return guarded_stems((self.action, *map(str, self.params.values()), verb)) - self.own

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The stems of the verbs in its own name."""
        return frozenset(
            stem(parts[0]) for n in (self.action, *self.action_names) if (parts := _words(n))
        )

    def _names_of(self, key: str) -> tuple[str, ...]:
        value = str(self.params[key])
        return (value, *self.labels.get((key, value), ()))


@dataclass(frozen=True, slots=True)
class OperationMatch:
    """The operations that a text names; ``is_exact`` if it has their spelling or their words."""

    operations: tuple[NodeOperation, ...]
    is_exact: bool


def list_operations(
    tool: str, version: float | None, spec: NodeSpec, registry: Registry
) -> tuple[NodeOperation, ...]:
    """Returns the operations that a node has at a version."""
    variants = registry.tool(tool)["variants"]
    variant = next((item for item in variants if version in item["versions"]), None)
    entries = [
        entry
        for entry in (variant or {}).get("operations") or ()
        if version in entry.get("versions", (version,))
    ]
    if any(_RESOURCE in entry["params"] for entry in entries):
        # An entry without a resource is declared for a resource that the node does not have.
        entries = [entry for entry in entries if _RESOURCE in entry["params"]]
    labels = _read_labels(spec, {key for entry in entries for key in entry["params"]})
    row = registry.tools[tool]
    names = (row.name, id_tail(tool))
    own = frozenset(stem(word) for name in names for word in split_identifier(name))
    operations: dict[tuple[str, str], NodeOperation] = {}
    for entry in entries:
        operation = _make_operation(entry, labels, own)
        operations.setdefault((operation.title, operation.action), operation)
    return tuple(operations.values())


def match_operations(
    text: str,
    operations: Sequence[NodeOperation],
    tool: str,
    registry: Registry,
    known: Params,
) -> OperationMatch:
    """Returns the operations that a text names, none where it names none of them.

    A guarded operation is named only by its verb. ``known`` are selecting values already written.
    """
    text = " ".join(text[:_MAX_TEXT].split())
    for written in dict.fromkeys((_without_tool_name(text, tool, registry), text)):
        match = _match_names(written, operations)
        if match.operations:
            return match
    carried = _match_carried(text, operations)
    if carried:
        return OperationMatch(carried, is_exact=False)
    resolution = resolve_operation(text, tool, registry, known)
    if resolution.status != "resolved":
        return OperationMatch((), is_exact=False)
    fits = [item for item in operations if item.params.items() <= dict(resolution.params).items()]
    verb = _leading_verb(text, operations)
    groups = synonym_groups(verb)
    fits = [o for o in fits if verb in o.verbs or any(groups & synonym_groups(v) for v in o.verbs)]
    return OperationMatch(tuple(_only_asked(fits, text)), is_exact=False)


def _match_carried(text: str, operations: Sequence[NodeOperation]) -> tuple[NodeOperation, ...]:
    """Returns the operations that create the message which a text sends: it is made where it goes.

    They may add words, such as what the message belongs to.
    """
    verb = _leading_verb(text, operations)
    if _SEND not in synonym_groups(verb):
        return ()
    others = {word for word in _words_of(text, stem) if word != verb}
    return tuple(
        operation
        for operation in operations
        if any(_CREATE in synonym_groups(made) for made in operation.verbs)
        and any(
            others <= (words := set(_words_of(name, stem)) - operation.verbs)
            and any(_SEND in synonym_groups(word) for word in words)
            for name in operation.names
        )
        and not operation.guarded_verb_stems
    )


def match_objects(text: str, operations: Iterable[NodeOperation]) -> tuple[NodeOperation, ...]:
    """Returns the operations on what a text names: those of a resource."""
    wanted = _words_of(text, stem)
    return tuple(
        operation
        for operation in operations
        if any(_words_of(name, stem) == wanted for name in operation.objects)
    )


def _make_operation(
    entry: Mapping[str, Any],
    labels: Mapping[tuple[str, str], Sequence[str]],
    own: frozenset[str],
) -> NodeOperation:
    given: Params = entry["params"]
    # Values of other parameters are conditions under which n8n offers the operation.
    params = {key: given[key] for key in (_RESOURCE, _OPERATION) if key in given} or dict(given)
    presets = {key: value for key, value in given.items() if key not in params}
    description = str(entry.get("description") or "")
    return NodeOperation(params, presets, str(entry["name"]), description, labels, own)


def _read_labels(spec: NodeSpec, keys: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Returns the labels of the values of the selecting parameters."""
    labels: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        for prop in spec.declarations.root.by_name.get(key, ()):
            for option in prop.raw.get("options") or ():
                if isinstance(option, dict) and isinstance(option.get("name"), str):
                    known = labels.setdefault((key, str(option.get("value"))), [])
                    if option["name"] not in known:
                        known.append(option["name"])
    return labels


def _without_tool_name(text: str, tool: str, registry: Registry) -> str:
    """Returns a text without the name or the id of the tool before it."""
    words = split_identifier(text)
    names = {tool, id_tail(tool), registry.tools[tool].name, *registry.tools[tool].aliases}
    for name in sorted(map(split_identifier, names), key=len, reverse=True):
        if name and words[: len(name)] == name and len(words) > len(name):
            return " ".join(words[len(name) :])
    return text


def _match_names(text: str, operations: Sequence[NodeOperation]) -> OperationMatch:
    """Returns the operations with the best kind of match: spelling, then words, then stems."""
    folded = fold_name(text)
    if not folded:
        return OperationMatch((), is_exact=False)
    fits = [o for o in operations if folded in {fold_name(n) for n in (*o.names, *o.action_names)}]
    if fits:
        return OperationMatch(tuple(fits), is_exact=True)
    verb = _leading_verb(text, operations)
    asked = _only_asked(operations, text)
    for normalize in (str, stem):
        words = _words_of(text, normalize)
        fits, is_exact = _least_spare(words, asked, normalize, verb)
        fits = fits or _largest_within(words, asked, normalize, verb)
        if fits:
            return OperationMatch(tuple(fits), is_exact)
    return OperationMatch((), is_exact=False)


def _leading_verb(text: str, operations: Iterable[NodeOperation]) -> str:
    """Returns the stem of the first word that is a verb in general or of an operation, else ""."""
    verbs = {verb for operation in operations for verb in operation.verbs}
    words = split_identifier(text)
    return next((stem(word) for word in words if stem(word) in verbs or is_verb(word)), "")


def _words(text: str) -> tuple[str, ...]:
    words = [_QUANTITIES.get(word, word) for word in split_identifier(text)]
    return tuple(word for word in words if word not in _SILENT) or tuple(words)


def _words_of(text: str, normalize: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(map(normalize, _words(text)))


def _least_spare(
    words: Sequence[str],
    operations: Iterable[NodeOperation],
    normalize: Callable[[str], str],
    verb: str,
) -> tuple[list[NodeOperation], bool]:
    """Returns the operations with a name that has all the words and the fewest others, if any.

    A name with others must begin with the verb. The second value is whether there are no others.
    """
    wanted = Counter(words)
    ranked: list[tuple[int, NodeOperation]] = []
    for operation in operations:
        spare = [
            sum((Counter(parts) - wanted).values())
            for name in (*operation.names, *operation.action_names, *operation.objects)
            if not wanted - Counter(parts := _words_of(name, normalize))
        ]
        if spare and (min(spare) == 0 or verb in operation.verbs):
            ranked.append((min(spare), operation))
    least = min((spare for spare, _ in ranked), default=0)
    return [operation for spare, operation in ranked if spare == least], least == 0


def _largest_within(
    words: Sequence[str],
    operations: Iterable[NodeOperation],
    normalize: Callable[[str], str],
    verb: str,
) -> list[NodeOperation]:
    """Returns the operations of which the words contain a whole name, the largest of all.

    The first verb of the words must be the operation's.
    """
    written = Counter(words)
    ranked: list[tuple[int, bool, NodeOperation]] = []
    for operation in operations:
        if verb not in operation.verbs:
            continue
        sizes = []
        for name in operation.names:
            whole = _words_of(name, normalize)
            parts = [part for part in whole if part != _ALL]
            if len(parts) > 1 and not Counter(parts) - written:
                is_all = (_ALL in whole) == (_ALL in written)
                sizes.append((len(parts), is_all))
        if sizes:
            ranked.append((*max(sizes), operation))
    best = max((tuple(facts) for *facts, _ in ranked), default=None)
    return [operation for *facts, operation in ranked if tuple(facts) == best]


def _only_asked(operations: Iterable[NodeOperation], text: str) -> list[NodeOperation]:
    """Returns the operations without those whose guarded verbs the text lacks."""
    words = split_identifier(text)
    return [item for item in operations if is_asked_for(item.guarded_verb_stems, words)]


def list_titles(operations: Sequence[NodeOperation]) -> str:
    """Returns the titles of the first operations as text."""
    shown = ", ".join(item.title for item in operations[:MAX_TITLES])
    return f"{shown}, ..." if len(operations) > MAX_TITLES else shown
