"""Repairs injected faults and classifies each result: restored, same meaning, left, or changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal

from evals.faults.fault import Fault, apply_changes
from evals.faults.finding import Finders
from evals.faults.injection import FINDERS as SHARED_FINDERS
from evals.faults.scene import Scene
from evals.repairs import edge_faults, name_faults, value_faults
from evals.repairs.executed_workflow import meaning_of
from evals.repairs.kinds import Mechanical
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, repair_document
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

Ending = Literal["restored", "same meaning", "left", "something else"]
ENDINGS: tuple[Ending, ...] = ("restored", "same meaning", "left", "something else")
OWN_FINDERS: Finders = {**name_faults.FINDERS, **value_faults.FINDERS, **edge_faults.FINDERS}
_CANDIDATES = 200
_OWN = Path(__file__).with_name("workflows")


@dataclass(frozen=True, slots=True)
class Repaired:
    """One case: the sound workflow, its fault, and the result of repair."""

    kind: Mechanical
    sound: Any
    fault: Fault
    faulty: Any
    after: Compilation
    ending: Ending


@dataclass
class Tally:
    """The number of cases of one kind by ending."""

    kind: Mechanical
    counts: Counter[Ending] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        return self.counts.total()

    @property
    def repaired_count(self) -> int:
        return self.counts["restored"] + self.counts["same meaning"]

    @property
    def share(self) -> float:
        return self.repaired_count / self.n if self.n else 0.0


@dataclass(frozen=True)
class Workshop:
    """Repairs documents against one catalog, and caches the results of the sound workflows."""

    registry: Registry
    options: CompileOptions = field(default_factory=CompileOptions)
    _sound: dict[int, Compilation] = field(default_factory=dict)

    def repair(self, document: Any) -> Compilation:
        return repair_document(document, N8N, self.registry, self.options)

    def cases(self, kind: Mechanical, scenes: Sequence[Scene], seed: int) -> Iterator[Repaired]:
        """Yields one case per workflow that is sound and that repair leaves unchanged."""
        find = (SHARED_FINDERS if kind.shared else OWN_FINDERS)[kind.name]
        rng = Random(f"{seed} {kind.name}")
        for scene in rng.sample(scenes, len(scenes)):
            faults = list(islice(find(scene, rng), _CANDIDATES))
            if not faults:
                continue
            key = id(scene.document)
            if key not in self._sound:
                self._sound[key] = self.repair(scene.document)
            sound = self._sound[key]
            # Skips workflows that repair changes, because their routes would move.
            if sound.verdict == "wrong" or sound.corrections:
                continue
            fault = rng.choice(faults)
            faulty = apply_changes(scene.document, fault.changes)
            after = self.repair(faulty)
            ending = self._grade_ending(sound, faulty, after)
            yield Repaired(kind, sound.document, fault, faulty, after, ending)

    def _grade_ending(self, sound: Compilation, faulty: Any, after: Compilation) -> Ending:
        if _to_json(after.document) == _to_json(sound.document):
            return "restored"
        became = _to_json(meaning_of(after.document, self.registry))
        if became == _to_json(meaning_of(sound.document, self.registry)):
            return "same meaning" if _is_clean(after, sound) else "left"
        if became == _to_json(meaning_of(faulty, self.registry)) or _reports_fault(after, sound):
            return "left"
        return "something else"


def read_more_own() -> Iterator[Any]:
    """Yields the workflows next to this file, for kinds that no other workflow accepts."""
    for file in sorted(_OWN.glob("*.json")):
        yield json.loads(file.read_text("utf-8"))


def tally_cases(kind: Mechanical, cases: Sequence[Repaired]) -> Tally:
    tally = Tally(kind)
    tally.counts.update(case.ending for case in cases)
    return tally


def format_table(tallies: Sequence[Tally]) -> str:
    """Returns a Markdown table with one row per kind and one for the total."""
    lines = ["| kind | n | restored | same meaning | left | something else |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    total: Counter[Ending] = Counter()
    for tally in tallies:
        total.update(tally.counts)
        lines.append(_format_row(tally.kind.name, tally.counts))
    lines.append(_format_row("**all**", total))
    return "\n".join(lines)


def _format_row(title: str, counts: Counter[Ending]) -> str:
    return f"| {title} | {counts.total()} | " + " | ".join(str(counts[e]) for e in ENDINGS) + " |"


def _is_clean(after: Compilation, sound: Compilation) -> bool:
    """Checks whether the result has the verdict of the sound document and no new findings."""
    return after.verdict == sound.verdict and not _new_faults(after, sound)


def _reports_fault(after: Compilation, sound: Compilation) -> bool:
    """Checks whether a new finding, other than a note, reports the remaining fault."""
    return bool(_new_faults(after, sound))


def _new_faults(after: Compilation, sound: Compilation) -> Counter[str]:
    return _count_codes(after) - _count_codes(sound)


def _count_codes(compilation: Compilation) -> Counter[str]:
    return Counter(d.code for d in compilation.diagnostics if d.rule.severity != "info")


def _to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
