"""Measures the time of resolving names with the given registry and with 100,000 tools."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve import resolve_name
from grounded_builder.resolve.tool_search import find_tools
from scripts.read_usage import lines

_GROWN = 100_000


def time_resolver(folder: Path, registry: Registry) -> None:
    """Prints the times of resolving names and of searching with a registry."""
    texts = [row["text"] for row in lines(folder / "naming_mistakes.jsonl")]
    labels = [row["label"] for row in lines(folder / "labels.jsonl.gz")]
    texts += random.Random(11).sample(labels, 1_000)
    titles = [row["title"] for row in islice(lines(folder / "intents.jsonl.gz"), 500)]
    context = NameContext()
    freeze_gc()
    _print_time("resolve, strict", lambda text: resolve_name(text, registry), texts)
    _print_time("resolve, words", lambda text: resolve_name(text, registry, context), texts)
    _print_time("search, words alone", registry.search.find, titles)
    _print_time("search", lambda text: find_tools(text, registry), titles)


def time_grown_catalog(registry: Registry) -> None:
    """Prints the times on a catalog whose tools combine the names of two real ones."""
    rows = list(registry.tools.values())
    draw = random.Random(7)
    tools = dict(registry.tools)
    while len(tools) < _GROWN:
        tool_row, other = draw.choice(rows), draw.choice(rows)
        number = len(tools)
        tools[f"grown.{tool_row.id.rpartition('.')[2]}{number}"] = _combine_tools(
            tool_row, other, number
        )
    big = Registry(registry.header, "grown", tools, {}, lambda _k, _i: b"{}", lambda _e, _v: None)
    started = perf_counter()
    resolve_name("wram up", big, NameContext())
    print(f"grown to {len(tools)} tools, indexes built in {perf_counter() - started:.1f} s")
    texts = []
    for row in draw.sample(rows, 200):
        name = row.name
        texts += [name[1:], name.lower() + " send", f"{row.id.rpartition('.')[2]}Create"]
    context = NameContext()
    _print_time("resolve at 100,000, strict", lambda text: resolve_name(text, big), texts)
    _print_time("resolve at 100,000, words", lambda text: resolve_name(text, big, context), texts)


def _combine_tools(tool_row: ToolRow, other: ToolRow, number: int) -> ToolRow:
    return replace(
        tool_row,
        id=f"grown.{tool_row.id.rpartition('.')[2]}{number}",
        name=f"{tool_row.name} {other.name} {number}",
        aliases=(),
        package="grown",
        operations=tool_row.operations[:3],
    )


def _print_time(title: str, call: Callable[[str], Any], texts: list[str]) -> None:
    spent = []
    for text in texts:
        started = perf_counter()
        call(text)
        spent.append((perf_counter() - started) * 1000)
    cuts = quantiles(spent, n=100)
    print(f"{title:<28} p50={cuts[49]:.3f} ms p95={cuts[94]:.3f} ms worst={max(spent):.2f} ms")
