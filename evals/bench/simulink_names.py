"""Measures how names of Simulink blocks resolve: collected mistakes, and seeded mutations of names.

``python -m evals.bench.simulink_names [COUNT]`` also measures the names of
``simulink_spoken_names.jsonl``. A name is right if it resolves to its block, asked if it stays
unresolved with that block among the candidates, and wrong if it resolves to another block.
Inventions are names of no block, so an invention that resolves is wrong too.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.domains.simulink.resolve import resolve
from grounded_builder.domains.simulink.resolve.name_index import fold
from scripts.simulink.sources import SHARED
from tests.support.simulink import simulink_registry

SPOKEN_NAMES = Path(__file__).parent / "simulink_spoken_names.jsonl"
_SEED = 9
_CATEGORIES = ("Sources", "Sinks", "Math Operations", "Discrete", "Continuous", "Signal Routing")
_STRANGE = ("Universal", "Smart", "Quantum", "Advanced", "Hyper", "Neural", "Turbo", "Auto")
_BEHIND = ("Controller", "Manager", "Estimator", "Reader", "Optimizer", "Regulator", "Monitor")
_INVENTED = ("Servo Motor", "Flux Capacitor", "Graph Designer", "Data Logger Pro", "Robot Arm")

Mutation = Callable[[ToolRow, random.Random], str | None]


def main() -> None:
    """Prints the shares by kind of mistake."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6_000
    registry = simulink_registry()
    collected = SHARED / "naming_mistakes.jsonl"
    if collected.exists():
        _report("collected mistakes", list(_read_collected(collected)), registry)
    _report("names of one block in plans", list(read_spoken_names("right")), registry)
    _report("names of no single block", list(read_spoken_names("")), registry)
    drawn = list(_mutate_names(registry, count))
    for kind in dict.fromkeys(kind for kind, _, _ in drawn):
        _report(kind, [item for item in drawn if item[0] == kind], registry)
    _report("all mutations", drawn, registry)
    _report("inventions", list(_invent_names(registry, count // 4)), registry)


def _report(title: str, asked: list[tuple[str, str, str]], registry: Registry) -> None:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    started = perf_counter()
    for _, text, path in asked:
        answer = resolve(text, registry)
        if answer.tool is not None:
            same = answer.tool == path or path in registry.tools[answer.tool].equivalent_to
            same = same or answer.tool in getattr(registry.tools.get(path), "equivalent_to", ())
            state = "right" if same else "wrong"
            wrong += [] if same else [f"{text!r} -> {answer.tool}, not {path or 'any'}"]
        elif not path:
            state = "right"
        else:
            state = (
                "asked" if path in [candidate.tool for candidate in answer.candidates] else "missed"
            )
        counts[state] += 1
    spent = 1000 * (perf_counter() - started) / max(1, len(asked))
    total = max(1, len(asked))
    shares = ", ".join(f"{state} {100 * n / total:.1f} %" for state, n in sorted(counts.items()))
    print(f"{title}: {len(asked)} names, {shares}; {spent:.2f} ms each")
    for line in wrong[:12]:
        print(f"  wrong: {line}")


def read_spoken_names(answer: str) -> Iterator[tuple[str, str, str]]:
    """Yields names from plans of models: of one block, or with ``answer`` "" of no single block."""
    for line in SPOKEN_NAMES.read_text("utf-8").splitlines():
        value = json.loads(line)
        if bool(value["right"]) == bool(answer):
            yield "plan", value["text"], value["right"] or ""


def _read_collected(path: Path) -> Iterator[tuple[str, str, str]]:
    for line in path.read_text("utf-8").splitlines():
        value = json.loads(line)
        yield value["kind"], value["text"], value["expected"]


def _mutate_names(registry: Registry, count: int) -> Iterator[tuple[str, str, str]]:
    chance = random.Random(_SEED)
    rows = [row for row in registry.tools.values() if not row.hidden]
    rows = [row for row in rows if "pattern" not in row.capabilities]
    base = [row for row in rows if row.package == "simulink"]
    for number in range(count):
        kind, mutation = _MUTATIONS[number % len(_MUTATIONS)]
        row = chance.choice(base if number % 2 else rows)
        text = mutation(row, chance)
        if text and text not in registry.tools:
            yield kind, text, _find_expected(text, row, base) if "/" not in text else row.id


def _find_expected(text: str, row: ToolRow, base: list[ToolRow]) -> str:
    """Returns the expected block of a bare name: that of the base library with the same name."""
    same = (tool_row.id for tool_row in base if fold(tool_row.name) == fold(row.name))
    called = (
        tool_row.id
        for tool_row in base
        if fold(text) in map(fold, tool_row.aliases) and fold(text) in map(fold, row.aliases)
    )
    return next(same, None) or next(called, row.id)


def _invent_names(registry: Registry, count: int) -> Iterator[tuple[str, str, str]]:
    chance = random.Random(_SEED + 1)
    rows = [row for row in registry.tools.values() if row.package == "simulink" and not row.hidden]
    known = {
        " ".join(split_identifier(name))
        for row in registry.tools.values()
        for name in (row.name, *row.aliases)
    }
    for name in _INVENTED:
        yield "invented", name, ""
    for _ in range(count):
        row = chance.choice(rows)
        words = row.name.split()
        made = chance.choice(
            (
                f"{chance.choice(_STRANGE)} {row.name}",
                f"{row.name} {chance.choice(_BEHIND)}",
                f"{row.package}/{chance.choice(_CATEGORIES)}/{chance.choice(_STRANGE)} {words[-1]}",
            )
        )
        if " ".join(split_identifier(made.rsplit("/", 1)[-1])) not in known:
            yield "invented", made, ""


def _misspell(row: ToolRow, chance: random.Random) -> str | None:
    """Returns the name with a letter of a longer word doubled, dropped or swapped with the next."""
    places = [match.span() for match in re.finditer(r"[A-Za-z]{6,}", row.name)]
    if not places:
        return None
    start, end = chance.choice(places)
    at = chance.randrange(start + 1, end - 2)
    name = row.name
    kind = chance.randrange(3)
    if kind == 0:
        return name[:at] + name[at] + name[at:]
    if kind == 1:
        return name[:at] + name[at + 1 :]
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _drop_spaces(row: ToolRow, chance: random.Random) -> str:
    head, _, name = row.id.rpartition("/")
    return f"{head}/{name.replace(' ', '')}" if chance.random() < 0.5 else row.name.replace(" ", "")


def _change_case(row: ToolRow, chance: random.Random) -> str:
    text = chance.choice((row.id, row.name))
    return chance.choice((text.lower(), text.upper(), text.replace(" ", "_"), text.title()))


def _insert_line_feed(row: ToolRow, chance: random.Random) -> str | None:
    spaces = [at for at, mark in enumerate(row.id) if mark == " "]
    if not spaces:
        return None
    at = chance.choice(spaces)
    return f"{row.id[:at]}\n{row.id[at + 1 :]}"


def _change_category(row: ToolRow, chance: random.Random) -> str | None:
    if row.package != "simulink":
        return None
    return f"simulink/{chance.choice(_CATEGORIES)}/{row.id.rpartition('/')[2]}"


def _make_browser_path(row: ToolRow, _: random.Random) -> str | None:
    middle = f"{row.category}/" if row.category else ""
    return f"{row.family}/{middle}{row.id.rpartition('/')[2]}" if row.family else None


_MUTATIONS: tuple[tuple[str, Mutation], ...] = (
    ("bare name", lambda row, _: row.name),
    ("white space left out", _drop_spaces),
    ("case and marks", _change_case),
    ("line feed in the path", _insert_line_feed),
    ("wrong category", _change_category),
    ("browser's path", _make_browser_path),
    ("copy's number", lambda row, chance: f"{row.name}{chance.randrange(1, 30)}"),
    ("the word block behind", lambda row, _: f"{row.name} block"),
    ("another name", lambda row, chance: chance.choice(row.aliases) if row.aliases else None),
    ("slip of the pen", _misspell),
)

if __name__ == "__main__":
    main()
