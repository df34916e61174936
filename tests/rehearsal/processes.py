"""Finds the running programs of stages that this process started."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def list_processes(*words: str) -> list[int]:
    """Returns the descendants of this process whose command line has all these words."""
    parents: dict[int, int] = {}
    lines: dict[int, bytes] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            number = int(folder.name)
            lines[number] = (folder / "cmdline").read_bytes()
            parents[number] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    return [
        number
        for number, line in lines.items()
        if all(word.encode() in line for word in words) and _descends(number, parents)
    ]


def _descends(number: int, parents: dict[int, int]) -> bool:
    while number in parents:
        number = parents[number]
        if number == os.getpid():
            return True
    return False
