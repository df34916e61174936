"""Compares two rehearsals from their JSON: requests, items and errors of each node.

Values of one run alone are no differences, but are counted as ``left_out``: the number of the
execution, moments that lie equally far from the start of their runs, and random tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Any

_MOST_DIFFERENCES = 200
_SHOWN = 300
_DEEPEST = 60
# A moment is made at any time of a run; a date may be that of the next day.
_NEAR_S = 60.0
_DAY_S = 86_400.0
_DATE_LENGTH = 10
_SHORTEST_TOKEN = 16
# A year after 2001 in seconds has ten digits, in milliseconds thirteen.
_SECOND_DIGITS, _MILLISECOND_DIGITS = 10, 13
_WORD = re.compile(r"[\w.:+-]+")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


def compare_rehearsals(
    earlier: Mapping[str, Any], later: Mapping[str, Any], written: str = ""
) -> Mapping[str, Any]:
    """Returns the differences by run and node.

    ``written`` is the text of the workflow: a token that it contains is not random.
    """
    before, after = _index_runs(earlier), _index_runs(later)
    left_out = 0
    runs: list[Mapping[str, Any]] = []
    for name in before.keys() & after.keys():
        comparison = _Comparison(_Run(before[name]), _Run(after[name]), written)
        content = comparison.compare()
        left_out += comparison.left_out
        if content:
            runs.append({**_name_run(name), **content})
    runs.sort(key=lambda run: list(after).index((run["trigger"], run["reason"])))
    only = {
        "removed_runs": [_name_run(name) for name in before if name not in after],
        "added_runs": [_name_run(name) for name in after if name not in before],
    }
    return {
        "equal": not runs and not any(only.values()),
        "runs": runs,
        **only,
        "left_out": left_out,
    }


def difference_lines(difference: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines that describe a difference, from its JSON."""
    if difference["equal"]:
        yield "no difference from the earlier rehearsal"
    for key, word in (("removed_runs", "no longer run"), ("added_runs", "run only now")):
        yield from (f'"{run["trigger"]}": {word}' for run in difference[key])
    for run in difference["runs"]:
        why = f" ({run['reason']})" if run["reason"] else ""
        yield f'"{run["trigger"]}"{why}:'
        yield from (f"  {line}" for line in _list_changes(run["changes"]))
        for node in run["nodes"]:
            yield f'  "{node["node"]}"'
            yield from (f"    {line}" for line in _list_changes(node["changes"]))
            for request in node["requests"]:
                sign = {"added": "+", "removed": "-", "changed": "~"}[request["change"]]
                yield f"    {sign} {request['method']} {request['url']}"[:_SHOWN]
                yield from (f"        {line}" for line in _list_changes(request["changes"]))


def _list_changes(changes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for change in changes:
        values = (json.dumps(change[key], ensure_ascii=False) for key in ("earlier", "later"))
        before, after = (text[: _SHOWN // 2] for text in values)
        yield f"{change['at']}: {before} -> {after}"


def _index_runs(content: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    runs = [run for run in _as_list(content.get("runs")) if isinstance(run, Mapping)]
    return {(str(run.get("trigger")), str(run.get("reason") or "")): run for run in runs}


def _name_run(name: tuple[str, str]) -> Mapping[str, str]:
    return {"trigger": name[0], "reason": name[1]}


@dataclass(frozen=True, slots=True)
class _Run:
    """A run with its steps by node."""

    content: Mapping[str, Any]

    @property
    def start(self) -> float | None:
        """The start in seconds since 1970, None where it is not known."""
        moment = _read_moment(str(self.content.get("started") or ""))
        return None if moment is None else moment.timestamp()

    @property
    def execution(self) -> str:
        """The number that n8n gave the execution."""
        return str(self.content.get("execution") or "")

    def group_steps(self) -> dict[str, list[Mapping[str, Any]]]:
        """Returns the steps by the name of their node, in the order of the first ones."""
        steps: dict[str, list[Mapping[str, Any]]] = {}
        for step in _as_list(self.content.get("steps")):
            if isinstance(step, Mapping):
                steps.setdefault(str(step.get("node")), []).append(step)
        loose = _as_list(self.content.get("loose_requests"))
        return {**steps, **({"": [{"requests": loose}]} if loose else {})}


@dataclass(slots=True)
class _Comparison:
    """Compares two runs, and counts in ``left_out`` the values that differ in every run."""

    before: _Run
    after: _Run
    written: str
    left_out: int = 0
    _listed: int = field(default=0, init=False)

    def compare(self) -> Mapping[str, Any]:
        """Returns the differences of the runs, empty where there are none."""
        keys = ("status", "refusal", "answer")
        changes = [
            change
            for key in keys
            for change in self._walk(
                f"/{key}", self.before.content.get(key), self.after.content.get(key)
            )
        ]
        before, after = self.before.group_steps(), self.after.group_steps()
        compared = (
            self._compare_node(name, before.get(name, []), after.get(name, []))
            for name in {**after, **before}
        )
        nodes = [node for node in compared if node["changes"] or node["requests"]]
        return {"changes": changes, "nodes": nodes} if changes or nodes else {}

    def _compare_node(
        self, name: str, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        changes = [
            change
            for key, count in (("runs", len), ("items", _count_items), ("error", _join_errors))
            for change in self._walk(f"/{key}", count(before), count(after))
        ]
        requests = list(self._compare_requests(_list_requests(before), _list_requests(after)))
        return {"node": name, "changes": changes, "requests": requests}

    def _compare_requests(
        self, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
    ) -> Iterator[Mapping[str, Any]]:
        """Yields the requests that are sent in one run only, or differently.

        Requests of the same method and address without its query belong together, in their order;
        between those, the rest does.
        """
        first, second = [_identify(item) for item in before], [_identify(item) for item in after]
        matcher = SequenceMatcher(None, first, second, autojunk=False)
        for _, start, end, new_start, new_end in matcher.get_opcodes():
            old, new = before[start:end], after[new_start:new_end]
            for earlier, later in zip(old, new, strict=False):
                changes = [
                    change
                    for key in ("method", "url", "body", "status")
                    for change in self._walk(f"/{key}", earlier.get(key), later.get(key))
                ]
                if changes:
                    yield _describe("changed", later, changes)
            yield from (_describe("removed", item, ()) for item in old[len(new) :])
            yield from (_describe("added", item, ()) for item in new[len(old) :])

    def _walk(
        self, at: str, before: Any, after: Any, depth: int = 0
    ) -> Iterator[Mapping[str, Any]]:
        """Yields each differing value below a path."""
        if self._listed >= _MOST_DIFFERENCES or before == after:
            return
        if isinstance(before, Mapping) and isinstance(after, Mapping) and depth < _DEEPEST:
            for key in {**before, **after}:
                yield from self._walk(f"{at}/{key}", before.get(key), after.get(key), depth + 1)
        elif isinstance(before, list) and isinstance(after, list) and depth < _DEEPEST:
            for index in range(max(len(before), len(after))):
                old, new = (side[index] if index < len(side) else None for side in (before, after))
                yield from self._walk(f"{at}/{index}", old, new, depth + 1)
        elif self._are_of_the_run(before, after):
            self.left_out += 1
        else:
            self._listed += 1
            yield {"at": at, "earlier": before, "later": after}

    def _are_of_the_run(self, before: Any, after: Any) -> bool:
        """Returns whether two plain values differ only in what every run makes anew."""
        if any(isinstance(value, Mapping | list | bool | None) for value in (before, after)):
            return False
        texts = (str(before), str(after))
        words = tuple(_WORD.findall(text) for text in texts)
        if len(words[0]) != len(words[1]) or _WORD.sub("", texts[0]) != _WORD.sub("", texts[1]):
            return False
        pairs = (pair for pair in zip(*words, strict=True) if pair[0] != pair[1])
        return all(self._is_new_each_time(*pair) for pair in pairs)

    def _is_new_each_time(self, before: str, after: str) -> bool:
        if (before, after) == (self.before.execution, self.after.execution):
            return True
        if after in self.written:
            return False
        is_random = _is_token(before) and _is_token(after) and len(before) == len(after)
        return is_random or self._is_equally_far(before, after)

    def _is_equally_far(self, before: str, after: str) -> bool:
        starts, moments = (self.before.start, self.after.start), (before, after)
        read = [_read_moment(text.rstrip(".:")) for text in moments]
        if starts[0] is None or starts[1] is None or read[0] is None or read[1] is None:
            return False
        is_date = len(before) == len(after) == _DATE_LENGTH and "-" in before
        far = [moment.timestamp() for moment in read if moment is not None]
        shift = (far[0] - starts[0]) - (far[1] - starts[1])
        return abs(shift) <= (_DAY_S if is_date else _NEAR_S)


def _identify(request: Mapping[str, Any]) -> str:
    """Returns the method and the address of a request without its query."""
    return f"{request.get('method')} {str(request.get('url')).partition('?')[0]}"


def _describe(
    change: str, request: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    content = {"change": change, "method": request.get("method"), "url": request.get("url")}
    return {**content, "body": request.get("body"), "changes": list(changes)}


def _list_requests(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [
        request
        for step in steps
        for request in _as_list(step.get("requests"))
        if isinstance(request, Mapping)
    ]


def _count_items(steps: Sequence[Mapping[str, Any]]) -> int:
    counts = (step.get("items") for step in steps)
    return sum(count for count in counts if isinstance(count, int))


def _join_errors(steps: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(dict.fromkeys(str(step["error"]) for step in steps if step.get("error")))


def _is_token(word: str) -> bool:
    """Returns whether a word looks random: long, of letters and digits, or many digits."""
    digits = sum(letter.isdigit() for letter in word)
    plain = word.replace("-", "").replace("_", "")
    return len(word) >= _SHORTEST_TOKEN and digits > 0 and plain.isalnum()


def _read_moment(text: str) -> datetime | None:
    """Reads a moment in ISO 8601, or in seconds or milliseconds since 1970."""
    try:
        if text.isdecimal() and len(text) in (_SECOND_DIGITS, _MILLISECOND_DIGITS):
            seconds = int(text) / (1_000 if len(text) == _MILLISECOND_DIGITS else 1)
            return datetime.fromtimestamp(seconds, UTC)
        moment = datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
