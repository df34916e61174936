"""Counts the leaves of drafts that neither the result nor a finding has.

``python -m evals.leaves [--every N] [--show N]`` prints a table of leaves by form of draft and
class; ``--every`` takes each Nth workflow, ``--show`` prints lost leaves of each class.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from evals.alarms.alarm import CORPORA
from evals.leaves.fates import Leaf, count_fates
from evals.leaves.oddities import ODDITIES, make_odd
from evals.leaves.plans import plan_of
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.n8n_server import kept_catalog
from tests.support.registries import registry_from

FORMS = ("plans", "native", "odd plans")
FATES = ("written", "moved", "reported", "read", "noted", "lost")


def drafts(form: str, every: int) -> Iterator[tuple[str, Any, dict[Route, str]]]:
    """Yields the drafts of a form: a name, the draft, and the classes of its oddities."""
    corpora = CORPORA[:2] if form == "native" else CORPORA[:1]
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
            plan = plan_of(workflow)
            if not plan["steps"]:
                continue
            if form == "plans":
                yield key, plan, {}
                continue
            small = {**plan, "steps": plan["steps"][:6]}
            for kind in ODDITIES:
                odd, place = make_odd(small, kind, key)
                if place is not None:
                    yield f"{key} {kind}", odd, {place: kind}


def compiler(registry: Registry) -> Any:
    """Returns the function that compiles drafts as conversations do."""

    def compile_(draft: Any) -> Compilation:
        return compile_with_fixes(
            draft, N8N, registry, CompileOptions(purpose="import", seed="leaves")
        )

    return compile_


def lowerer(registry: Registry) -> Any:
    """Returns the function that makes the workflow of a plan, also of one that is refused."""
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


def count(
    registry: Registry, form: str, every: int
) -> tuple[Counter[tuple[str, str]], dict[str, list[tuple[str, Leaf]]]]:
    """Returns the leaves by class and fate, and the lost ones of each class."""
    fates: Counter[tuple[str, str]] = Counter()
    lost: dict[str, list[tuple[str, Leaf]]] = defaultdict(list)
    compile_, lower = compiler(registry), lowerer(registry)
    for key, draft, classes in drafts(form, every):
        for leaf, kind, fate in count_fates(draft, compile_, lower, classes):
            fates[kind, fate] += 1
            if fate in ("noted", "lost"):
                lost[kind].append((key, leaf))
    return fates, lost


def main() -> int:
    """Prints the tables; returns 1 if a leaf is lost."""
    parser = argparse.ArgumentParser(prog="python -m evals.leaves")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--form", choices=FORMS)
    options = parser.parse_args()
    registry = registry_from(kept_catalog().read_bytes())
    total = 0
    for form in [options.form] if options.form else FORMS:
        fates, lost = count(registry, form, options.every)
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
