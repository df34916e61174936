"""Reads expectations about the runs of a workflow: JSON that a rehearsal judges without a model.

An expectation is an object with one subject. ``requests`` describes requests, ``count`` how many of
them are sent (at least one without it), ``each`` what every one of them has, and with ``distinct``
no two are equal. ``order`` lists requests of which the first of each is sent before the first of
the next. ``node`` names a node of which ``runs`` or ``items`` are counted, or which ``fails``.
``answer`` describes what the caller of a webhook gets. ``when`` is a scenario: the ``expect``
beside it are about runs of their own, with these samples of triggers, answers and faults.
``why`` repeats an expectation in words, and ``trigger`` limits it to the runs of one trigger.

A request is described by ``node``, ``protocol``, ``method``, ``host``, ``path``, ``query`` and
``body``. Texts may contain ``*`` for any text. An object describes some of the fields of an object.
``{"contains": x}`` describes a text with ``x`` in it and a list with an item like ``x``, with a
list all of its entries; ``{"exists": true}`` is any value, ``{"not": x}`` any that is not ``x``. A
count is a number, bounds, or ``{"items_of": node}``: as many as the node has items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind

MALFORMED_EXPECTATION = Rule.wrong(
    "N8N105", "malformed-expectation", "InvalidDocument", "An expectation cannot be judged."
)

Subject = Literal["requests", "order", "node", "answer", "when"]
Fault = Literal["404", "429", "500", "cut", "timeout"]
"""An error in place of an answer: its status, a connection that ends, or one that stays silent."""

FAULTS: tuple[str, ...] = get_args(Fault)
"""The names of all faults."""

_SUBJECTS: tuple[str, ...] = get_args(Subject)
_MAX_EXPECTATIONS = 200
MAX_SCENARIOS = 8
_MAX_DEPTH = 12
_MAX_VALUES = 5_000
_ABOUT = frozenset({"trigger", "why"})
_KEYS: Mapping[str, frozenset[str]] = {
    "requests": _ABOUT | {"requests", "count", "each", "distinct"},
    "order": _ABOUT | {"order"},
    "node": _ABOUT | {"node", "runs", "items", "fails"},
    "answer": _ABOUT | {"answer"},
    "when": _ABOUT | {"when", "expect"},
}
_REQUEST_TEXTS = ("node", "protocol", "method", "host", "path")
_REQUEST_KEYS = frozenset({*_REQUEST_TEXTS, "query", "body"})
_ANSWER_KEYS = frozenset({"status", "content_type", "body"})
_WHEN_KEYS = frozenset({"samples", "answers", "faults"})
_EXACT_KEYS = frozenset({"status", "body"})
_COUNT_KEYS = frozenset({"at_least", "at_most"})
_HELP = "docs/rehearsal.md describes expectations"

NameOf = Callable[[str], str | None]
"""Returns the node of the workflow that a name in an expectation means, None where none is it."""


class ExpectationError(ValueError):
    """An expectation cannot be read; the message names it and what is wrong.

    ``at`` is the route of the wrong value from the list of expectations.
    """

    def __init__(self, message: str, at: Route = ()) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True)
class ExactAnswer:
    """The answer that a node gets to each of its requests: a status and a JSON value."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a run begins with and meets.

    ``samples`` are the items of triggers, ``items`` those that nodes output in place of running,
    ``answers`` what nodes get to their requests, ``faults`` the errors that they get; all by the
    name of the node.
    """

    samples: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    items: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    answers: Mapping[str, ExactAnswer] = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One checked expectation, as it was written; those of a scenario are ``inner``."""

    subject: Subject
    content: Mapping[str, Any]
    inner: tuple[Expectation, ...] = ()

    @property
    def why(self) -> str:
        """The words of the expectation, "" without any."""
        why = self.content.get("why")
        return " ".join(why.split()) if isinstance(why, str) else ""

    @property
    def scenario(self) -> Scenario:
        """The scenario of an expectation with the subject "when"."""
        when = self.content.get("when") or {}
        given = when.get("answers") or {}
        return Scenario(
            when.get("samples") or {},
            {node: value for node, value in given.items() if isinstance(value, list)},
            {
                node: ExactAnswer(value.get("status", 200), value.get("body"))
                for node, value in given.items()
                if isinstance(value, Mapping)
            },
            {node: cast("Fault", str(fault)) for node, fault in (when.get("faults") or {}).items()},
        )


def read_expectations(value: Any, name_of: NameOf | None = None) -> tuple[Expectation, ...]:
    """Checks expectations from outside; raises ExpectationError.

    Names of nodes are replaced by those that ``name_of`` returns.
    """
    expect_list(value)
    read = tuple(
        read_expectation(item, f"expectation {number}", name_of)
        for number, item in enumerate(value, 1)
    )
    _expect_few_scenarios(read)
    return read


def expect_list(value: Any) -> None:
    """Raises ExpectationError for anything but a list of a length that is judged."""
    if not isinstance(value, list):
        raise ExpectationError("expectations are a list of objects")
    if len(value) > _MAX_EXPECTATIONS:
        raise ExpectationError(f"{len(value)} expectations; at most {_MAX_EXPECTATIONS} are judged")


def check_expectations(
    value: Any, names: Mapping[str, str] | None
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Diagnostic, ...]]:
    """Returns the expectations of a draft with the names of nodes, and what is wrong with others.

    ``names`` has the node for each name that the draft may use, None where any name may be one.
    Routes begin with "expect".
    """
    known = names or {}
    nodes = frozenset(known.values())

    def name_of(name: str) -> str | None:
        return name if names is None or name in nodes - known.keys() else known.get(name)

    read: list[Expectation] = []
    findings: list[Diagnostic] = []
    try:
        expect_list(value)
    except ExpectationError as error:
        return (), (_report(error, ()),)
    for index, item in enumerate(value):
        try:
            read.append(read_expectation(item, f"expectation {index + 1}", name_of))
        except ExpectationError as error:
            findings.append(_report(error, (index,)))
    try:
        _expect_few_scenarios(read)
    except ExpectationError as error:
        findings.append(_report(error, ()))
    return tuple(item.content for item in read), tuple(findings)


def _report(error: ExpectationError, route: Route) -> Diagnostic:
    at = ("expect", *route, *error.at)
    return new_diagnostic(MALFORMED_EXPECTATION, at, str(error), help=_HELP)


def _expect_few_scenarios(read: Sequence[Expectation]) -> None:
    number = sum(item.subject == "when" for item in read)
    if number > MAX_SCENARIOS:
        raise ExpectationError(f"{number} scenarios; at most {MAX_SCENARIOS} are rehearsed")


def read_expectation(value: Any, name: str, name_of: NameOf | None = None) -> Expectation:
    """Checks one expectation; ``name`` is what errors call it."""
    if not isinstance(value, Mapping):
        raise ExpectationError(f"{name} is {name_json_kind(value)}, not an object")
    _expect_small(value, name)
    return _read(_rename(value, name, name_of), name, is_inside=False)


def _read(value: Mapping[str, Any], name: str, *, is_inside: bool) -> Expectation:
    subjects = [subject for subject in _SUBJECTS if subject in value]
    if len(subjects) != 1:
        raise ExpectationError(f"{name} needs one of {', '.join(_SUBJECTS)}")
    subject = cast("Subject", subjects[0])
    _expect_keys(value, _KEYS[subject], name)
    for key in ("trigger", "why"):
        if not isinstance(value.get(key, ""), str):
            raise ExpectationError(f"{key} of {name} is not a text", (key,))
    if subject == "when":
        if is_inside:
            raise ExpectationError(f"{name} is a scenario inside a scenario", ("when",))
        return Expectation(subject, value, _read_when(value, name))
    _READERS[subject](value, name)
    return Expectation(subject, value)


def _read_requests(value: Mapping[str, Any], name: str) -> None:
    _read_request(value["requests"], name, ("requests",))
    _read_count(value.get("count"), f"count of {name}", ("count",))
    if "each" in value:
        _read_request(value["each"], name, ("each",))
    if not isinstance(value.get("distinct", False), bool):
        raise ExpectationError(f"distinct of {name} is neither true nor false", ("distinct",))


def _read_order(value: Mapping[str, Any], name: str) -> None:
    if not isinstance(value["order"], list) or len(value["order"]) < 2:
        raise ExpectationError(f"order of {name} is not a list of two or more requests", ("order",))
    for index, described in enumerate(value["order"]):
        _read_request(described, name, ("order", index))


def _read_node(value: Mapping[str, Any], name: str) -> None:
    if not isinstance(value["node"], str):
        raise ExpectationError(f"node of {name} is not the name of a node", ("node",))
    if not value.keys() & {"runs", "items", "fails"}:
        raise ExpectationError(f"{name} needs one of runs, items, fails")
    for key in ("runs", "items"):
        _read_count(value.get(key), f"{key} of {name}", (key,))
    if not isinstance(value.get("fails", False), bool):
        raise ExpectationError(f"fails of {name} is neither true nor false", ("fails",))


def _read_answer(value: Mapping[str, Any], name: str) -> None:
    answer = value["answer"]
    if not isinstance(answer, Mapping):
        raise ExpectationError(f"answer of {name} is not an object", ("answer",))
    _expect_keys(answer, _ANSWER_KEYS, f"answer of {name}", ("answer",))
    if "status" in answer and not _is_count(answer["status"]):
        raise ExpectationError(f"status of {name} is not a number", ("answer", "status"))


_READERS: Mapping[str, Callable[[Mapping[str, Any], str], None]] = {
    "requests": _read_requests,
    "order": _read_order,
    "node": _read_node,
    "answer": _read_answer,
}


def _read_when(value: Mapping[str, Any], name: str) -> tuple[Expectation, ...]:
    when, inner = value["when"], value.get("expect")
    if not isinstance(when, Mapping):
        raise ExpectationError(f"when of {name} is not an object", ("when",))
    _expect_keys(when, _WHEN_KEYS, f"when of {name}", ("when",))
    for key in _WHEN_KEYS:
        if not isinstance(when.get(key, {}), Mapping):
            message = f"{key} of {name} is not an object by names of nodes"
            raise ExpectationError(message, ("when", key))
    for node, items in when.get("samples", {}).items():
        if not _is_items(items):
            message = f'samples of "{node}" in {name} are not a list of objects'
            raise ExpectationError(message, ("when", "samples", node))
    for node, given in when.get("answers", {}).items():
        at: Route = ("when", "answers", node)
        if isinstance(given, Mapping):
            _expect_keys(given, _EXACT_KEYS, f'the answer to "{node}" in {name}', at)
            if "body" not in given or not _is_status(given.get("status", 200)):
                message = f'the answer to "{node}" in {name} has no body, or no status of HTTP'
                raise ExpectationError(message, at)
        elif not _is_items(given):
            message = f'the answer to "{node}" in {name} is neither a list of items nor a body'
            raise ExpectationError(message, at)
    for node, fault in when.get("faults", {}).items():
        if str(fault) not in FAULTS:
            message = f'the fault of "{node}" in {name} is none of {", ".join(FAULTS)}'
            raise ExpectationError(message, ("when", "faults", node))
    if not isinstance(inner, list) or not inner:
        raise ExpectationError(f'{name} lacks "expect", a list of expectations', ("expect",))
    read: list[Expectation] = []
    for index, item in enumerate(inner):
        if not isinstance(item, Mapping):
            raise ExpectationError(f"an entry of {name} is not an object", ("expect", index))
        try:
            read.append(_read(item, f"entry {index + 1} of {name}", is_inside=True))
        except ExpectationError as error:
            raise ExpectationError(str(error), ("expect", index, *error.at)) from error
    return tuple(read)


def _read_request(value: Any, name: str, at: Route) -> None:
    if not isinstance(value, Mapping):
        raise ExpectationError(f"a request of {name} is not an object", at)
    _expect_keys(value, _REQUEST_KEYS, name, at)
    for key in _REQUEST_TEXTS:
        if not isinstance(value.get(key, ""), str):
            raise ExpectationError(f"{key} of {name} is not a text", (*at, key))
    if not isinstance(value.get("query", {}), Mapping):
        raise ExpectationError(f"query of {name} is not an object", (*at, "query"))


def _read_count(value: Any, name: str, at: Route) -> None:
    if value is None or _is_count(value):
        return
    if not isinstance(value, Mapping) or not value:
        raise ExpectationError(
            f"{name} is neither a number nor at_least and at_most nor items_of", at
        )
    if value.keys() == {"items_of"}:
        if not isinstance(value["items_of"], str):
            raise ExpectationError(f"items_of in {name} is not the name of a node", at)
        return
    _expect_keys(value, _COUNT_KEYS, name, at)
    if not all(_is_count(bound) for bound in value.values()):
        raise ExpectationError(f"{name} has a bound that is not a number", at)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_status(value: Any) -> bool:
    return _is_count(value) and 200 <= value <= 599


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)


def _expect_keys(
    value: Mapping[str, Any], known: frozenset[str], name: str, at: Route = ()
) -> None:
    for key in value:
        if key not in known:
            raise ExpectationError(
                f'{name} has the unknown key "{key}"; known: {", ".join(sorted(known))}',
                (*at, str(key)),
            )


def _expect_small(value: Any, name: str) -> None:
    """Raises ExpectationError for an expectation that is deeper or longer than any is."""
    left = _MAX_VALUES
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        left -= 1
        inner: Sequence[Any] = ()
        if isinstance(item, Mapping):
            inner = list(item.values())
        elif isinstance(item, list):
            inner = item
        if left < len(inner) or depth > _MAX_DEPTH:
            raise ExpectationError(
                f"{name} has more than {_MAX_VALUES:,} values, or is nested more than"
                f" {_MAX_DEPTH} deep"
            )
        stack += [(entry, depth + 1) for entry in inner]


def _rename(value: Mapping[str, Any], name: str, name_of: NameOf | None) -> Mapping[str, Any]:
    """Returns an expectation with the names that nodes have; what is malformed stays as it is."""
    if name_of is None:
        return value

    def find(text: Any, at: Route) -> Any:
        if not isinstance(text, str):
            return text
        node = name_of(text)
        if node is None:
            message = f'{name} names the node "{text}", which the draft does not have'
            raise ExpectationError(message, at)
        return node

    return _with_names(value, find, ())


def _with_names(
    value: Mapping[str, Any], find: Callable[[Any, Route], Any], at: Route
) -> Mapping[str, Any]:
    """Returns an expectation in which ``find`` replaced each name of a node."""
    result = dict(value)
    for key in ("trigger", "node"):
        if key in value:
            result[key] = find(value[key], (*at, key))
    for key, inner in (
        *((key, "items_of") for key in ("count", "runs", "items")),
        *((key, "node") for key in ("requests", "each")),
    ):
        part = value.get(key)
        if isinstance(part, Mapping) and inner in part:
            result[key] = {**part, inner: find(part[inner], (*at, key, inner))}
    if isinstance(value.get("order"), list):
        result["order"] = [
            {**item, "node": find(item["node"], (*at, "order", index, "node"))}
            if isinstance(item, Mapping) and "node" in item
            else item
            for index, item in enumerate(value["order"])
        ]
    if isinstance(value.get("expect"), list):
        result["expect"] = [
            _with_names(item, find, (*at, "expect", index)) if isinstance(item, Mapping) else item
            for index, item in enumerate(value["expect"])
        ]
    if isinstance(value.get("when"), Mapping):
        result["when"] = {
            key: {find(node, (*at, "when", key, node)): item for node, item in named.items()}
            if isinstance(named, Mapping)
            else named
            for key, named in value["when"].items()
        }
    return result
