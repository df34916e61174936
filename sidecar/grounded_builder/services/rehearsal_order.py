"""Reads what a caller asks of a rehearsal, such as samples, faults and expectations."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, get_args

from grounded_builder.domains.n8n.expectations import (
    FAULTS,
    Expectation,
    ExpectationError,
    Fault,
    read_expectations,
)
from grounded_builder.services.trial_run import Samples

_MOST_NODES = 200
_MOST_ITEMS = 50
_MOST_FILE_BYTES = 1_000_000
_MOST_FILES_BYTES = 5_000_000
_SHOWN_NAMES = 12


class OrderError(ValueError):
    """A rehearsal is asked for in a way that cannot be read; ``key`` is the field."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class RehearsalOrder:
    """What to rehearse: the content, sample items for triggers by node name, expectations.

    The expectations of the content itself are judged too.
    ``faults`` are the errors that nodes get in place of answers. ``moment`` is the time at which
    triggers start, None for now. ``earlier`` is the JSON of a rehearsal to compare with. ``size``
    is the length of outside content in bytes.
    """

    content: Any
    samples: Samples = field(default_factory=dict)
    expectations: tuple[Expectation, ...] = ()
    faults: Mapping[str, Fault] = field(default_factory=dict)
    moment: datetime | None = None
    earlier: Mapping[str, Any] | None = None
    size: int = 0


def read_order(content: Any, asked: Mapping[str, Any], size: int = 0) -> RehearsalOrder:
    """Reads ``samples``, ``expectations``, ``faults``, ``at`` and ``against``.

    Raises `OrderError` at the first value that cannot be read.
    """
    try:
        expectations = read_expectations(asked.get("expectations") or [])
    except ExpectationError as error:
        raise OrderError("expectations", str(error)) from error
    return RehearsalOrder(
        content,
        _read_samples(asked.get("samples") or {}),
        expectations,
        _read_faults(asked.get("faults") or {}),
        _read_moment(asked.get("at")),
        _read_earlier(asked.get("against")),
        size,
    )


def expect_names(order: RehearsalOrder, nodes: Collection[str], triggers: Collection[str]) -> None:
    """Raises `OrderError` where a sample is for no trigger, or a fault for no node."""
    for key, asked, known in (
        ("samples", order.samples, triggers),
        ("faults", order.faults, nodes),
    ):
        for name in asked:
            if name not in known:
                kind = "trigger" if key == "samples" else "node"
                listed = ", ".join(f'"{one}"' for one in list(known)[:_SHOWN_NAMES])
                message = f'{key} name "{name[:80]}", which is not a {kind} of the workflow'
                message = f"{message}; its {kind}s are {listed or 'none'}"
                if key == "samples" and name in nodes:
                    message += '; an expectation with "when" gives the items of other nodes'
                raise OrderError(key, message)


def _read_samples(value: Any) -> Samples:
    if not isinstance(value, Mapping):
        raise OrderError("samples", 'samples are {"name of a trigger": [{"field": "value"}]}')
    _expect_few("samples", value)
    total = 0
    for name, items in value.items():
        is_list = isinstance(items, list) and all(isinstance(item, Mapping) for item in items)
        if not is_list or not 0 < len(items) <= _MOST_ITEMS:
            message = f'samples of "{name}" are not a list of 1 to {_MOST_ITEMS} objects'
            raise OrderError("samples", message)
        total += sum(_measure_files(str(name), item) for item in items)
    if total > _MOST_FILES_BYTES:
        limit = _MOST_FILES_BYTES // 1_000_000
        raise OrderError("samples", f"the files of samples have more than {limit} MB together")
    return value


def _measure_files(name: str, item: Mapping[str, Any]) -> int:
    """Returns the size of an item's files; raises `OrderError` for one that cannot be decoded."""
    files = item.get("binary") if isinstance(item.get("json"), Mapping) else None
    if files is None:
        return 0
    place = f'binary of a sample of "{name}"'
    if not isinstance(files, Mapping):
        raise OrderError("samples", f'{place} is not {{"data": {{"mimeType": "", "data": ""}}}}')
    total = 0
    for key, file in files.items():
        text = file.get("data") if isinstance(file, Mapping) else None
        if not isinstance(text, str) or not isinstance(file.get("mimeType"), str):
            message = f'"{key}" in {place} needs mimeType, and data in Base64'
            raise OrderError("samples", message)
        try:
            size = len(b64decode(text, validate=True))
        except (Base64Error, ValueError) as error:
            raise OrderError("samples", f'data of "{key}" in {place}: {error}') from error
        if size > _MOST_FILE_BYTES:
            limit = _MOST_FILE_BYTES // 1_000_000
            raise OrderError("samples", f'"{key}" in {place} has more than {limit} MB')
        total += size
    return total


def _read_faults(value: Any) -> Mapping[str, Fault]:
    if not isinstance(value, Mapping):
        raise OrderError("faults", 'faults are {"name of a node": "429"}')
    _expect_few("faults", value)
    faults: dict[str, Fault] = {}
    for name, asked in value.items():
        fault = next((known for known in get_args(Fault) if str(asked) == known), None)
        if fault is None:
            message = f'fault "{str(asked)[:40]}" of "{name}" is not one of {", ".join(FAULTS)}'
            raise OrderError("faults", message)
        faults[str(name)] = fault
    return faults


def _read_moment(value: Any) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        message = f'at "{str(value)[:40]}" is not a time as 2026-03-01T09:00:00+01:00'
        raise OrderError("at", message) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _read_earlier(value: Any) -> Mapping[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not isinstance(value.get("runs"), list):
        raise OrderError("against", "against is not the JSON of an earlier rehearsal")
    return value


def _expect_few(key: str, value: Mapping[str, Any]) -> None:
    if len(value) > _MOST_NODES:
        raise OrderError(key, f"{key} name {len(value)} nodes; at most {_MOST_NODES} are read")
