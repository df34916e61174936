"""Chooses the operation of a step: as written anywhere in it, else by its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from grounded_builder.catalog.guarded_verbs import is_asked_for
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.lower.operation_fit import ParameterFit
from grounded_builder.domains.n8n.lower.operation_names import (
    MAX_TITLES,
    NodeOperation,
    OperationMatch,
    list_operations,
    list_titles,
    match_objects,
    match_operations,
)
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Step

UNCLEAR_OPERATION = Rule.incomplete(
    "GB341", "unclear-operation", "MissingParameter", "A step can mean several operations."
)
CHOSEN_OPERATION = Rule.info(
    "GB342", "chosen-operation", "The operation of a step was read from words or chosen."
)

# The keys by which steps name an operation, whatever the node calls its selecting parameters.
_RESOURCE = "resource"
_ACTION = "action"
_TEXT_KEYS = (_RESOURCE, "operation", _ACTION)
_MAX_QUOTED = 80


@dataclass(frozen=True, slots=True)
class ChosenOperation:
    """The selecting parameters of a step, and the step without the texts that were read as them.

    ``selectors`` are all selecting parameters of the node. ``origin`` is where parameters were
    written that are not at their name in the parameters.
    """

    preset: Mapping[str, Any]
    step: Step
    selectors: frozenset[str] = frozenset()
    origin: Mapping[str, Route] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that can name an operation, its key and its place."""

    text: str
    key: str
    at: Route


def choose_operation(choice: StepResolution, node: str, registry: Registry) -> ChosenOperation:
    """Returns the operation of a step; one that stays open is reported with its candidates."""
    if choice.spec is None or choice.tool is None:
        return ChosenOperation(choice.preset, choice.step)
    return _Selection(choice, choice.tool.id, node, registry).choose()


class _Selection:
    """The choice of an operation for one step."""

    def __init__(self, choice: StepResolution, tool: str, node: str, registry: Registry) -> None:
        self.tool, self.node, self.registry = tool, node, registry
        self.step, self.spec = choice.step, choice.spec
        self.operations = list_operations(self.tool, choice.version, self.spec, registry)
        self.selectors = list(dict.fromkeys(key for o in self.operations for key in o.params))
        self.params = dict(choice.step.params)
        self.known: dict[str, Any] = dict(choice.preset)
        self.origin: dict[str, Route] = {}
        self.texts: list[_Text] = []
        self.lists: list[tuple[_Text, ...]] = []
        self.diagnostics: list[Diagnostic] = []

    def choose(self) -> ChosenOperation:
        """Returns the operation that the step states, else the one that its parameters mean."""
        self._collect()
        possible = [
            operation
            for operation in self.operations
            if all(operation.params.get(key, value) == value for key, value in self.known.items())
        ]
        pool, is_named, is_loose = possible, False, False
        for entries in self.lists:
            named = [o for text in entries for o in self._match(text, pool).operations]
            if len(set(named)) > 1:
                self.texts = [replace(entries[0], text=", ".join(text.text for text in entries))]
                return self._report_unclear(named)
            pool, is_named = named or pool, bool(named)
        for text in self.texts:
            match = self._match(text, pool)
            if match.operations and not self._is_contradicted(text, match, pool):
                pool, is_named = list(match.operations), True
                is_loose = is_loose or not match.is_exact
                self.origin = dict.fromkeys(self.selectors, text.at) | self.origin
                if not match.is_exact and len(pool) == 1:
                    self._note(text, f'"{text.text[:_MAX_QUOTED]}" was read as {pool[0].title}')
            elif text.key != _ACTION:
                self.params.setdefault(text.key, text.text)
                self.origin[text.key] = text.at
                pool = []
        if not pool:
            self._note_unread_action(None)
            return self._result({})
        return self._pick(pool, is_named=is_named, is_loose=is_loose)

    def _is_contradicted(
        self, text: _Text, match: OperationMatch, pool: Sequence[NodeOperation]
    ) -> bool:
        """Returns whether the parameters belong to others than an action loosely names."""
        if text.key != _ACTION or match.is_exact:
            return False
        fit = ParameterFit(self.spec, self.known, self.params)
        scores = {o: fit.score({**o.presets, **o.params}) for o in pool if self._is_asked(o)}
        named = max((scores.get(o, 0.0) for o in match.operations), default=0.0)
        return max(scores.values(), default=0.0) >= named + 1.0 - fit.TOLERANCE

    def _match(self, text: _Text, pool: Sequence[NodeOperation]) -> OperationMatch:
        if text.key == _RESOURCE:
            named = match_objects(text.text, pool)
            if named:
                return OperationMatch(named, is_exact=True)
        return match_operations(text.text, pool, self.tool, self.registry, self.known)

    def _collect(self) -> None:
        """Sorts what the step writes into values of selecting parameters, and texts to be read."""
        declared = self.spec.declarations.root.by_name
        by_fold = {fold_name(key): key for key in self.selectors}
        for key, value in self.step.params.items():
            selector = key if key in declared else by_fold.get(fold_name(key), key)
            if selector in self.selectors or self._is_for_operation(key, value):
                del self.params[key]
                self._take(selector, value, (*self.step.params_at, key))
        for key, value in self.step.stated.items():
            self._take(key, value, (*self.step.at, key))
        if self.step.action and self.step.action != self.step.tool:
            self.texts.append(_Text(self.step.action, _ACTION, (*self.step.at, _ACTION)))

    def _is_for_operation(self, key: str, value: Any) -> bool:
        """Returns whether a key that usually names an operation is no parameter of this value."""
        declared = self.spec.declarations.root.by_name.get(key, ())
        is_choice = all(prop.type == "options" for prop in declared)
        return (
            key in _TEXT_KEYS
            and is_choice
            and (
                not declared
                or isinstance(value, list)
                or (_is_text(value) and value not in self._values_of(key))
            )
        )

    def _take(self, key: str, value: Any, at: Route) -> None:
        """Takes the value of a selecting parameter, or a text that is none of its values.

        A list states its only entry; of several texts the operations are alternatives.
        """
        if isinstance(value, list) and self.operations and all(map(_is_text, value)):
            texts = tuple(_Text(entry, key, (*at, index)) for index, entry in enumerate(value))
            if len(texts) > 1:
                self.lists.append(texts)
                return
            if texts:
                value = texts[0].text
                self._note(texts[0], f'a list with "{value[:_MAX_QUOTED]}" was read as this value')
        is_value = key in self.selectors and (not _is_text(value) or value in self._values_of(key))
        if is_value and (key not in self.origin or self.known[key] == value):
            self.known[key] = value
            self.origin[key] = at
        elif isinstance(value, str) and self.operations:
            self.texts.append(_Text(value, key, at))
        else:
            self.params.setdefault(key, value)
            self.origin[key] = at

    def _values_of(self, key: str) -> list[Any]:
        return [
            option.get("value")
            for prop in self.spec.declarations.root.by_name.get(key, ())
            for option in prop.raw.get("options") or ()
            if isinstance(option, dict)
        ]

    @cached_property
    def _default(self) -> NodeOperation | None:
        """The operation that n8n runs with the written values alone."""
        simple, _ = fill(self.spec.declarations, dict(self.known))
        return next(
            (
                operation
                for operation in self.operations
                if all(simple.get(key) == value for key, value in operation.params.items())
            ),
            None,
        )

    def _pick(
        self, pool: Sequence[NodeOperation], *, is_named: bool, is_loose: bool
    ) -> ChosenOperation:
        """Returns the operation of the pool that takes the written parameters best.

        Of several that only some words name, what a step leaves out chooses none.
        """
        if len(pool) == 1 and (is_named or self.known):
            if not is_named:
                self._note_unread_action(None)
            is_default = pool[0] is self._default and not is_named
            return self._result({} if is_default else {**pool[0].presets, **pool[0].params})
        fit = ParameterFit(self.spec, self.known, self.params)
        scores = {o: fit.score({**o.presets, **o.params}) for o in pool}
        safe = [o for o in pool if is_named or self._is_asked(o)]
        best = max((scores[o] for o in safe), default=-1.0)
        equal = [o for o in safe if scores[o] >= best - fit.TOLERANCE]
        default = self._default
        unasked = [
            o for o in pool
            if o not in safe
            and (scores[o] > best + fit.TOLERANCE
                 or (o is default and scores[o] >= best - fit.TOLERANCE))
        ]  # fmt: skip
        if unasked:
            if unasked == [default] and scores[unasked[0]] > best + fit.TOLERANCE:
                return self._choose_from(unasked[0], pool, is_named=False)
            return self._report_unclear([*unasked, *(o for o in equal if best > 0)])
        if is_named and len(equal) > 1 and any(o.guarded_verb_stems for o in equal):
            return self._report_unclear(equal)
        if default in equal:
            return self._choose_from(default, pool, is_named=is_named)
        top = [o for o in equal if scores[o] == best]
        is_stated = is_named or "operation" in self.known
        if default is None and best <= fit.score({}) and not is_stated:
            return self._result({})  # the required parameter is reported as missing
        has_unread = not is_named and any(text.key == _ACTION for text in self.texts)
        if has_unread and default in scores and (len(top) > 1 or scores[default] > 0):
            return self._report_unclear([default, *top])
        if is_loose and len(top) > 1:
            match = match_operations(self.step.id, top, self.tool, self.registry, self.known)
            top = list(match.operations) or top
            return (
                self._report_unclear(top)
                if len(top) > 1
                else self._choose_from(top[0], pool, is_named=is_named)
            )
        lacks = {o: fit.count_missing({**o.presets, **o.params}) for o in top}
        top = [o for o in top if lacks[o] == min(lacks.values())]
        resource = default.params.get(_RESOURCE) if default else None
        top = [o for o in top if o.params.get(_RESOURCE) == resource] or top
        if len(top) > 1:
            match = match_operations(self.step.id, top, self.tool, self.registry, self.known)
            top = list(match.operations) or top
        if len(top) == 1:
            return self._choose_from(top[0], pool, is_named=is_named)
        return self._report_unclear(top)

    def _is_asked(self, operation: NodeOperation) -> bool:
        texts = (*(text.text for text in self.texts), *map(str, self.known.values()))
        words = [word for text in texts for word in split_identifier(text)]
        return is_asked_for(operation.guarded_verb_stems, words)

    def _choose_from(
        self, operation: NodeOperation, pool: Sequence[NodeOperation], *, is_named: bool
    ) -> ChosenOperation:
        """Returns the chosen operation, with a note unless it is the node's default."""
        is_default = operation is self._default
        place = self.step.params_at if self.step.params else self.step.at
        if is_named or "operation" in self.known:
            others = list_titles([other for other in pool if other is not operation])
            places = (*(text.at for text in self.texts), *self.origin.values(), place)
            message = f"{operation.title} is used; the words also fit {others}"
            self._note(_Text("", "", places[0]), message)
        else:
            self._note_unread_action(operation)
            if not is_default:
                text = f"the parameters belong to the operation {operation.title}"
                self._note(_Text("", "", place), text)
        return self._result(
            {} if is_default and not is_named else {**operation.presets, **operation.params}
        )

    def _result(self, selected: Mapping[str, Any]) -> ChosenOperation:
        step = replace(self.step, params=self.params)
        preset = {**selected, **self.known}
        return ChosenOperation(
            preset, step, frozenset(self.selectors), self.origin, tuple(self.diagnostics)
        )

    def _note_unread_action(self, operation: NodeOperation | None) -> None:
        """Notes an action that names no operation, or another one than the parameters state."""
        text = next((text for text in self.texts if text.key == _ACTION), None)
        if text is None:
            return
        quoted = f'"{text.text[:_MAX_QUOTED]}"'
        if operation is None:
            match = match_operations(text.text, self.operations, self.tool, self.registry, {})
            if match.is_exact:
                named = list_titles(match.operations)
                self._note(text, f"{quoted} names {named}, but the parameters state another one")
        elif operation.params.keys() & set(_TEXT_KEYS):
            self._note(text, f"{quoted} names no operation; {operation.title} is used")

    def _note(self, text: _Text, message: str) -> None:
        self.diagnostics.append(
            new_diagnostic(
                CHOSEN_OPERATION, text.at, message, node=self.node, token=text.text or None
            )
        )

    def _report_unclear(self, candidates: Iterable[NodeOperation]) -> ChosenOperation:
        """Reports several possible operations; the node keeps the written parameters."""
        candidates = list(dict.fromkeys(candidates))
        keys = " and ".join(f'"{key}"' for key in self.selectors)
        text = next(iter(self.texts), None)
        why = f'"{text.text[:_MAX_QUOTED]}" can mean' if text else "its parameters fit"
        self.diagnostics.append(
            new_diagnostic(
                UNCLEAR_OPERATION,
                text.at if text else self.step.at,
                f'the operation of "{self.node}" is not clear: {why} {list_titles(candidates)}',
                help=f"set {keys}",
                node=self.node,
                token=text.text if text else self.step.tool,
                alternatives=(item.title for item in candidates[:MAX_TITLES]),
            )
        )
        return self._result({})


def _is_text(value: Any) -> bool:
    """Returns whether a value is a text that is no expression."""
    return isinstance(value, str) and not value.startswith("=") and "{{" not in value
