"""Count the hostile drafts that pass: `python -m tests.policy.count` prints one line each way."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import (
    Compilation,
    compile_draft,
    compile_with_fixes,
    repair_document,
)
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Purpose
from tests.policy.bypasses import all_bypasses, would_be_built
from tests.policy.hostile_drafts import OPEN_SEED, SEALED_SEED, Hostile, hostile_drafts
from tests.support.registries import registry_from

_POLICY = frozenset({"GB401", "GB404"})


def _import_case(case: Hostile, registry: Registry) -> Compilation:
    return compile_with_fixes(case.draft, N8N, registry, _compile_options(case, "publish"))


def _build_case(case: Hostile, registry: Registry) -> Compilation:
    return compile_with_fixes(case.draft, N8N, registry, _compile_options(case, "import"))


def _repair_case(case: Hostile, registry: Registry) -> Compilation:
    """What repair makes of a draft is imported."""
    mended = repair_document(case.draft, N8N, registry, _compile_options(case, "judge"))
    return compile_draft(mended.document, N8N, registry, _compile_options(case, "publish"))


def _edit_case(case: Hostile, registry: Registry) -> Compilation:
    """Nodes are changed in what policy does not look at."""
    draft = copy.deepcopy(case.draft)
    for node in draft["nodes"]:
        node["notes"] = "changed"
    return compile_with_fixes(draft, N8N, registry, _compile_options(case, "import"))


def _try_case(case: Hostile, registry: Registry) -> Compilation:
    """A trial sends nothing that a policy keeps out; what needs approval runs as a stand-in."""
    return compile_with_fixes(case.draft, N8N, registry, _compile_options(case, "judge"))


WAYS: dict[str, Callable[[Hostile, Registry], Compilation]] = {
    "built": _build_case,
    "imported": _import_case,
    "repaired": _repair_case,
    "edited": _edit_case,
    "tried": _try_case,
}


def bypasses(seed: int, registry: Registry) -> list[tuple[str, Hostile, Compilation]]:
    """Returns the drafts that would be published: no finding of policy stops them."""
    passed = []
    for case in hostile_drafts(seed):
        for way, compile_ in WAYS.items():
            compilation = compile_(case, registry)
            if compilation.artifact is None or (way == "tried" and not case.policy.is_restricting):
                continue
            if not _POLICY & {diagnostic.code for diagnostic in compilation.diagnostics}:
                passed.append((way, case, compilation))
    return passed


def _compile_options(case: Hostile, purpose: Purpose) -> CompileOptions:
    return CompileOptions(purpose=purpose, policy=case.policy)


def main() -> None:
    """Print the count of either half; `open` leaves the sealed one shut."""
    from tests.support.n8n_server import provide_catalog

    path = Path(sys.argv[2]) if len(sys.argv) > 2 else provide_catalog()
    registry = registry_from(path.read_bytes())
    seeds: dict[str, Any] = {"open": OPEN_SEED, "sealed": SEALED_SEED}
    if sys.argv[1:2] == ["open"]:
        seeds.pop("sealed")
    for name, seed in seeds.items():
        print(f"{name}: {would_be_built(name, registry)} edits are built where policy is open")
        for way, bypassing in all_bypasses(name, registry).items():
            print(f"{name}: {len(bypassing)} bypasses {way}", *bypassing, sep="\n  ")
        passed = bypasses(seed, registry)
        drafts = len(list(hostile_drafts(seed)))
        print(f"{name}: {len(passed)} bypasses in {drafts} drafts, {len(WAYS)} ways each")
        for way, case, _ in passed:
            print(f"  {way} {case.family}: {case.draft['nodes'][1:]}")


if __name__ == "__main__":
    main()
