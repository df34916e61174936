"""Judges a rehearsal by expectations in JSON, such as the requests that it has to send.

An expectation is an object with one subject: ``requests`` describes requests and ``count`` how many
of them are sent (at least one without it), ``each`` what every one of them has; ``order`` lists
requests of which the first of each is sent before the first of the next; ``node`` names a node, of
which ``runs`` or ``items`` are counted, or which ``fails``. ``why`` repeats it in words, and
``trigger`` limits it to the run of one trigger.

A request is described by ``node``, ``method``, ``host``, ``path``, ``query`` and ``body``. Texts
may contain ``*`` for any text. An object describes some of the fields of an object.
``{"contains": x}`` holds for a text with ``x`` in it and for a list with an item like ``x``;
``{"exists": true}`` for any value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl

from grounded_builder.domains.n8n.rehearsal.exchange import Request
from grounded_builder.domains.n8n.rehearsal.rehearse import RehearsedRun

Subject = Literal["requests", "order", "node"]

_MAX_EXPECTATIONS = 200
_SHOWN = 160
_KEYS: Mapping[str, frozenset[str]] = {
    "requests": frozenset({"requests", "count", "each", "trigger", "why"}),
    "order": frozenset({"order", "trigger", "why"}),
    "node": frozenset({"node", "runs", "items", "fails", "trigger", "why"}),
}
_REQUEST_KEYS = frozenset({"node", "method", "host", "path", "query", "body"})
_COUNT_KEYS = frozenset({"at_least", "at_most"})


class ExpectationError(ValueError):
    """An expectation cannot be read; the message names it and what is wrong."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an expectation is met; ``miss`` states what happened instead."""

    expectation: str
    is_met: bool
    miss: str = ""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One checked expectation, as it was written."""

    subject: Subject
    content: Mapping[str, Any]

    def describe(self) -> str:
        """Returns the words of the expectation, or its JSON."""
        why = self.content.get("why")
        return why if isinstance(why, str) and why else _shorten(self.content)


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request with the node that sent it."""

    node: str
    request: Request


def read_expectations(value: Any) -> tuple[Expectation, ...]:
    """Checks expectations from outside; raises ExpectationError."""
    if not isinstance(value, list):
        raise ExpectationError("expectations are a list of objects")
    if len(value) > _MAX_EXPECTATIONS:
        raise ExpectationError(f"{len(value)} expectations; at most {_MAX_EXPECTATIONS} are judged")
    return tuple(_read(item, f"expectation {number}") for number, item in enumerate(value, 1))


def judge(expectations: Sequence[Expectation], run: RehearsedRun) -> tuple[Verdict, ...]:
    """Returns the verdict on each expectation about this run, in order."""
    sent = [
        *(
            _Sent(rehearsed.step.node, exchange.request)
            for rehearsed in run.steps
            for exchange in rehearsed.exchanges
        ),
        *(_Sent("", exchange.request) for exchange in run.loose),
    ]
    sent.sort(key=lambda item: item.request.at_ms)
    judged = []
    for expectation in expectations:
        if expectation.content.get("trigger", run.trigger) != run.trigger:
            continue
        miss = "; ".join(_list_misses(expectation, run, sent))
        judged.append(Verdict(expectation.describe(), not miss, miss))
    return tuple(judged)


def _read(value: Any, name: str) -> Expectation:
    if not isinstance(value, Mapping):
        raise ExpectationError(f"{name} is not an object")
    subjects = [subject for subject in get_args(Subject) if subject in value]
    if len(subjects) != 1:
        raise ExpectationError(f"{name} needs one of {', '.join(get_args(Subject))}")
    subject: Subject = subjects[0]
    _expect_keys(value, _KEYS[subject], name)
    if not isinstance(value.get("trigger", ""), str):
        raise ExpectationError(f"trigger of {name} is not the name of a node")
    if subject == "node":
        _read_node(value, name)
    elif subject == "order":
        if not isinstance(value["order"], list) or len(value["order"]) < 2:
            raise ExpectationError(f"order of {name} is not a list of two or more requests")
        for described in value["order"]:
            _read_request(described, name)
    else:
        _read_request(value["requests"], name)
        _read_count(value.get("count"), f"count of {name}")
        if "each" in value:
            _read_request(value["each"], name)
    return Expectation(subject, value)


def _read_node(value: Mapping[str, Any], name: str) -> None:
    if not isinstance(value["node"], str):
        raise ExpectationError(f"node of {name} is not the name of a node")
    if len(value.keys() & {"runs", "items", "fails"}) == 0:
        raise ExpectationError(f"{name} needs one of runs, items, fails")
    for key in ("runs", "items"):
        _read_count(value.get(key), f"{key} of {name}")
    if not isinstance(value.get("fails", False), bool):
        raise ExpectationError(f"fails of {name} is neither true nor false")


def _read_request(value: Any, name: str) -> None:
    if not isinstance(value, Mapping):
        raise ExpectationError(f"a request of {name} is not an object")
    _expect_keys(value, _REQUEST_KEYS, name)
    for key in ("node", "method", "host", "path"):
        if not isinstance(value.get(key, ""), str):
            raise ExpectationError(f"{key} of {name} is not a text")
    if not isinstance(value.get("query", {}), Mapping):
        raise ExpectationError(f"query of {name} is not an object")


def _read_count(value: Any, name: str) -> None:
    if value is None or _is_count(value):
        return
    if not isinstance(value, Mapping) or not value:
        raise ExpectationError(f"{name} is neither a number nor at_least and at_most")
    _expect_keys(value, _COUNT_KEYS, name)
    if not all(_is_count(bound) for bound in value.values()):
        raise ExpectationError(f"{name} has a bound that is not a number")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _expect_keys(value: Mapping[str, Any], known: frozenset[str], name: str) -> None:
    for key in value:
        if key not in known:
            raise ExpectationError(
                f'{name} has the unknown key "{key}"; known: {", ".join(sorted(known))}'
            )


def _list_misses(
    expectation: Expectation, run: RehearsedRun, sent: Sequence[_Sent]
) -> Iterator[str]:
    """Yields in words what does not agree with an expectation."""
    content = expectation.content
    if expectation.subject == "requests":
        matching = [item for item in sent if _fits_request(content["requests"], item)]
        count = content.get("count", {"at_least": 1})
        if not _fits_count(count, len(matching)):
            yield f"{len(matching)} such requests were sent, {_say_count(count)} expected"
        for item in matching:
            if not _fits_request(content.get("each", {}), item):
                yield f"one of them is {_describe(item)}"
                break
    elif expectation.subject == "order":
        positions = [
            next((at for at, item in enumerate(sent) if _fits_request(wanted, item)), None)
            for wanted in content["order"]
        ]
        yield from _list_disorder(content["order"], positions)
    else:
        yield from _list_node_misses(content, run)


def _list_disorder(
    wanted: Sequence[Mapping[str, Any]], positions: Sequence[int | None]
) -> Iterator[str]:
    latest = -1
    for described, position in zip(wanted, positions, strict=True):
        if position is None:
            yield f"no request is {_shorten(described)}"
        elif position < latest:
            yield f"{_shorten(described)} was sent before the one that it follows"
        latest = max(latest, -1 if position is None else position)


def _list_node_misses(content: Mapping[str, Any], run: RehearsedRun) -> Iterator[str]:
    steps = [item.step for item in run.steps if item.step.node == content["node"]]
    items = sum(step.count_items() for step in steps)
    for key, number in (("runs", len(steps)), ("items", items)):
        if key in content and not _fits_count(content[key], number):
            yield f'"{content["node"]}" has {number} {key}, {_say_count(content[key])} expected'
    if "fails" in content:
        failed = any(step.error for step in steps)
        if failed != content["fails"]:
            yield f'"{content["node"]}" {"failed" if failed else "did not fail"}'


def _fits_count(wanted: Any, number: int) -> bool:
    if isinstance(wanted, Mapping):
        lowest, highest = wanted.get("at_least", 0), wanted.get("at_most", number)
        return bool(lowest <= number <= highest)
    return bool(number == wanted)


def _say_count(wanted: Any) -> str:
    if not isinstance(wanted, Mapping):
        return str(wanted)
    return " and ".join(f"{key.replace('_', ' ')} {bound}" for key, bound in wanted.items())


def _fits_request(wanted: Mapping[str, Any], sent: _Sent) -> bool:
    request = sent.request
    texts = {
        "node": sent.node,
        "method": request.method,
        "host": request.host,
        "path": request.parts.path,
    }
    if not all(_fits_text(wanted[key], text) for key, text in texts.items() if key in wanted):
        return False
    if "query" in wanted and not _fits(wanted["query"], dict(request.query)):
        return False
    return "body" not in wanted or any(_fits(wanted["body"], body) for body in _bodies(request))


def _bodies(request: Request) -> Iterator[Any]:
    """Yields the readings of a body: JSON, the fields of a form, and its text."""
    text = request.body.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        yield json.loads(text)
    if "urlencoded" in request.headers.get("content-type", ""):
        yield dict(parse_qsl(text, keep_blank_values=True))
    yield text


def _fits(wanted: Any, value: Any) -> bool:
    """Returns whether a value is as described; a number and its text are equal."""
    if isinstance(wanted, Mapping):
        if wanted.keys() == {"contains"}:
            return _contains(wanted["contains"], value)
        if wanted.keys() == {"exists"}:
            return bool(wanted["exists"])
        return isinstance(value, Mapping) and all(
            _fits(item, value[key]) if key in value else item == {"exists": False}
            for key, item in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(value, list)
            and len(wanted) == len(value)
            and all(_fits(item, given) for item, given in zip(wanted, value, strict=True))
        )
    if isinstance(wanted, str):
        return _fits_text(wanted, value if isinstance(value, str) else _shorten(value))
    return bool(wanted == value) or (not isinstance(wanted, bool) and str(wanted) == str(value))


def _contains(wanted: Any, value: Any) -> bool:
    if isinstance(value, list):
        return any(_fits(wanted, item) for item in value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return str(wanted).casefold() in text.casefold()


def _fits_text(wanted: str, text: str) -> bool:
    """Returns whether a text is as described, whatever its case; only ``*`` is special."""
    pattern = wanted.casefold().replace("[", "[[]").replace("?", "[?]")
    return fnmatchcase(text.casefold(), pattern)


def _describe(sent: _Sent) -> str:
    body = sent.request.body.decode("utf-8", "replace")
    return f"{sent.request.method} {sent.request.url} {body}"[:_SHOWN]


def _shorten(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_SHOWN]
