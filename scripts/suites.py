"""The suites of `make test`, in the order they run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_BIN = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Suite:
    """Commands run one after another; a pytest suite gets those of its `paths` that exist."""

    name: str
    commands: tuple[tuple[str, ...], ...]
    budget_s: int
    paths: tuple[str, ...] = ()
    cwd: str = "."
    pytest: bool = False
    needs_n8n: bool = False
    needs_browser: bool = False
    needs_postgres: bool = False
    needs_octave: bool = False
    needs_scale: bool = False


def _tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(_BIN / name), *arguments)


_PYTEST = (sys.executable, "-m", "pytest", "--durations=5")

SUITES = (
    Suite(
        "lint",
        (
            _tool("ruff", "check", "."),
            _tool("ruff", "format", "--check", "."),
            _tool("mypy"),
            _tool("lint-imports"),
        ),
        budget_s=120,
    ),
    Suite(
        "node",
        (("npm", "run", "check"), ("npm", "test")),
        budget_s=180,
        paths=("node-catalog-sync",),
        cwd="node-catalog-sync",
    ),
    Suite(
        "n8n-node",
        (("npm", "run", "types:check"), ("npm", "run", "lint"), ("npm", "test")),
        budget_s=180,
        paths=("n8n-node",),
        cwd="n8n-node",
    ),
    Suite(
        "unit",
        (_PYTEST,),
        budget_s=420,
        paths=("tests/unit", "tests/golden", "evals/routing"),
        pytest=True,
    ),
    Suite("fuzz", (_PYTEST,), budget_s=120, paths=("tests/fuzz",), pytest=True),
    Suite("faults", (_PYTEST,), budget_s=120, paths=("evals/faults",), pytest=True),
    Suite(
        "simulink-faults", (_PYTEST,), budget_s=180, paths=("evals/simulink_faults",), pytest=True
    ),
    Suite("repairs", (_PYTEST,), budget_s=120, paths=("evals/repairs",), pytest=True),
    Suite(
        "runtime", (_PYTEST,), budget_s=240, paths=("tests/runtime",), pytest=True, needs_n8n=True
    ),
    Suite(
        "differential",
        (_PYTEST,),
        budget_s=180,
        paths=("evals/differential",),
        pytest=True,
        needs_n8n=True,
    ),
    Suite("api", (_PYTEST,), budget_s=300, paths=("tests/api",), pytest=True, needs_n8n=True),
    Suite(
        "postgres",
        ((*_PYTEST, "--database", "postgresql"),),
        budget_s=360,
        paths=(
            "tests/unit/storage",
            "tests/unit/services/test_conversation_record.py",
            "tests/unit/domains/n8n/deploy/test_ledger.py",
            "tests/api",
        ),
        pytest=True,
        needs_n8n=True,
        needs_postgres=True,
    ),
    Suite(
        "octave",
        (_PYTEST,),
        budget_s=300,
        paths=("tests/octave",),
        pytest=True,
        needs_octave=True,
    ),
    Suite(
        "scale",
        (_PYTEST,),
        budget_s=120,
        paths=("tests/scale",),
        pytest=True,
        needs_postgres=True,
        needs_scale=True,
    ),
    Suite("alarms", (_PYTEST,), budget_s=180, paths=("evals/alarms",), pytest=True, needs_n8n=True),
    Suite("drafts", (_PYTEST,), budget_s=180, paths=("evals/drafts",), pytest=True, needs_n8n=True),
    Suite(
        "e2e",
        (_PYTEST,),
        budget_s=900,
        paths=("tests/e2e",),
        pytest=True,
        needs_n8n=True,
        needs_browser=True,
        needs_octave=True,
    ),
    Suite("audit", ((sys.executable, "-m", "scripts.audit"),), budget_s=60),
)
