"""Measures the memory of this process, and sets or lifts the operating system's limit on it."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAGE = resource.getpagesize()
_DATA = 5
"""The field of ``/proc/self/statm`` that RLIMIT_DATA bounds: data and stack, in pages (proc(5))."""
_UNKNOWN_BYTES = 1_000_000_000


def data_size() -> int:
    """Returns the data size of this process in bytes; 1 GB on a system without ``/proc``."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[_DATA]) * _PAGE
    except OSError:
        return _UNKNOWN_BYTES


def limit_data(growth: int) -> None:
    """Limits the data of this process to its present size plus ``growth`` bytes."""
    resource.setrlimit(resource.RLIMIT_DATA, (data_size() + growth, resource.RLIM_INFINITY))


def lift_data_limit() -> None:
    """Removes the limit on the data of this process."""
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@contextmanager
def outside_data_limit() -> Iterator[None]:
    """Exempts the data that is reserved within the context from the limit."""
    limit, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        yield
        return
    before = data_size()
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (limit + data_size() - before, hard))
