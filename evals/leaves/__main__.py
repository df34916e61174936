"""Counts the values of drafts that are lost: neither in the compiled result nor in a finding.

``python -m evals.leaves [--every N] [--show N]`` prints a table of leaves by form of draft and
class; ``--every`` uses each Nth workflow, ``--show`` prints lost leaves of each class.
``--effects`` asks n8n which written parameters it drops because they have no effect, and prints
those that no finding names.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.alarms.alarm import CORPORA
from evals.differential.oracle import Question
from evals.differential.questions import read_tools
from evals.leaves.effects import Written, find_dropped, list_written, questions_of
from evals.leaves.fates import Leaf, Outcome, count_fates
from evals.leaves.oddities import NATIVE_ODDITIES, ODDITIES, Odd, make_odd
from evals.leaves.plans import plan_of
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

FORMS = ("plans", "native", "odd plans", "odd native")
_ASKED_AT_ONCE = 4_000
FATES = ("written", "moved", "reported", "read", "noted", "formal", "lost")


def make_drafts(form: str, every: int) -> Iterator[tuple[str, Any, dict[Route, str]]]:
    """Yields the drafts of a form: a name, the draft, and the classes of its oddities."""
    corpora = CORPORA[:2] if form.endswith("native") else CORPORA[:1]
    for corpus in corpora:
        for number, (key, workflow) in enumerate(corpus.workflows()):
            if (
                number % every
                or not isinstance(workflow.get("nodes"), list)
                or not workflow["nodes"]
            ):
                continue
            if form == "native":
                yield key, workflow, {}
                continue
            if form == "odd native":
                yield from _odd_drafts(key, workflow, NATIVE_ODDITIES)
                continue
            plan = plan_of(workflow)
            if not plan["steps"]:
                continue
            if form == "plans":
                yield key, plan, {}
                continue
            yield from _odd_drafts(key, {**plan, "steps": plan["steps"][:6]}, ODDITIES)


def _odd_drafts(
    key: str, draft: Mapping[str, Any], oddities: Mapping[str, Odd]
) -> Iterator[tuple[str, Any, dict[Route, str]]]:
    for kind in oddities:
        odd, place = make_odd(draft, kind, key)
        if place is not None:
            yield f"{key} {kind}", odd, {place: kind}


def make_compiler(registry: Registry) -> Any:
    """Returns a function that compiles drafts as conversations do."""

    def compile_(draft: Any) -> Compilation:
        return compile_with_fixes(
            draft, N8N, registry, CompileOptions(purpose="import", seed="leaves")
        )

    return compile_


def make_lowerer(registry: Registry) -> Any:
    """Returns a function that makes the workflow of a plan, even of a refused one."""
    setting = CompileOptions(purpose="import", seed="leaves")

    def lower(document: Any) -> Any:
        reading = N8N.reading
        plan, _ = read_plan(
            document,
            reading.plan_keys,
            N8N.resolving.target_options,
            reading.step_settings,
            reading.model_keys,
        )
        if plan is None:
            return None
        choices, _ = resolve_steps(plan, N8N, registry, setting)
        return N8N.building.lower(plan, choices, registry, setting).document

    return lower


def count_leaves(
    registry: Registry, form: str, every: int
) -> tuple[Counter[tuple[str, str]], dict[str, list[tuple[str, Leaf]]]]:
    """Returns the leaves by class and fate, and the lost ones of each class."""
    fates: Counter[tuple[str, str]] = Counter()
    lost: dict[str, list[tuple[str, Leaf]]] = defaultdict(list)
    compile_, lower = make_compiler(registry), make_lowerer(registry)
    for key, draft, classes in make_drafts(form, every):
        for leaf, kind, fate in count_fates(draft, compile_, lower, classes):
            fates[kind, fate] += 1
            if fate == "lost":
                lost[kind].append((key, leaf))
    return fates, lost


def count_dropped(
    registry: Registry, catalog: Path, form: str, every: int
) -> tuple[int, list[Written]]:
    """Returns the number of parameters in artifacts, and those that n8n drops unreported."""
    compile_, lower = make_compiler(registry), make_lowerer(registry)
    homes = (paths.n8n_home(), paths.node())
    tools = read_tools(catalog)
    total, dropped = 0, []
    written: list[Written] = []
    questions: list[Question] = []
    for key, draft, _ in make_drafts(form, every):
        outcome = Outcome(draft, compile_, lower)
        artifact = outcome.compilation.artifact
        if artifact is None:
            continue
        written += list_written(key, outcome)
        questions += questions_of(key, artifact, tools)
        if len(questions) > _ASKED_AT_ONCE:
            dropped += find_dropped(written, questions, catalog, homes)
            total, written, questions = total + len(written), [], []
    dropped += find_dropped(written, questions, catalog, homes)
    return total + len(written), dropped


def print_dropped(registry: Registry, catalog: Path, options: argparse.Namespace) -> int:
    """Prints the parameters that n8n drops, by form; returns their number."""
    lost = 0
    for form in [options.form] if options.form else FORMS[:2]:
        total, dropped = count_dropped(registry, catalog, form, options.every)
        print(f"{form}: of {total:,} parameters n8n drops {len(dropped)} unreported")
        for item in dropped[: options.show]:
            print(f"    {item.draft} {item.leaf.at} = {json.dumps(item.leaf.value)[:100]}")
        lost += len(dropped)
    return lost


def main() -> int:
    """Prints the tables; returns 1 if a leaf is lost."""
    parser = argparse.ArgumentParser(prog="python -m evals.leaves")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--form", choices=FORMS)
    parser.add_argument("--effects", action="store_true")
    options = parser.parse_args()
    catalog = provide_catalog()
    registry = registry_from(catalog.read_bytes())
    if options.effects:
        return 1 if print_dropped(registry, catalog, options) else 0
    total = 0
    for form in [options.form] if options.form else FORMS:
        fates, lost = count_leaves(registry, form, options.every)
        print(f"\n| {form} | {' | '.join(FATES)} |\n|{'---|' * (len(FATES) + 1)}")
        kinds = sorted({kind for kind, _ in fates}, key=lambda kind: (-fates[kind, "lost"], kind))
        for kind in kinds:
            cells = [fates[kind, fate] for fate in FATES]
            print(f"| {kind} | {' | '.join(map(str, cells))} |")
            for key, leaf in lost[kind][: options.show]:
                print(f"    {key} {leaf.at} = {json.dumps(leaf.value)[:100]}")
        total += sum(fates[kind, "lost"] for kind in kinds)
    print(f"\nlost: {total}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
