"""Defines the suites of `make test` in the order in which they start, the longest first."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_BIN = Path(sys.executable).parent


LANES = 6
"""Suites that run at once on two cores; those that use n8n wait for it most of their time."""

N8N_SERVERS = 2
"""The n8n servers of one run; each serves one suite at a time, which changes what is in it."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Commands run one after another; a pytest suite gets those of its `paths` that exist.

    `budget_s` is what the suite may take beside the suites of the other lanes. `needs` are
    arguments of `scripts/system.sh`.
    """

    name: str
    commands: tuple[tuple[str, ...], ...]
    budget_s: int
    paths: tuple[str, ...] = ()
    cwd: str = "."
    pytest: bool = False
    needs_n8n: bool = False
    needs: tuple[str, ...] = ()


def _tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(_BIN / name), *arguments)


_PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=5")


def _tests(
    name: str, budget_s: int, *paths: str, needs_n8n: bool = False, needs: tuple[str, ...] = ()
) -> Suite:
    return Suite(name, (_PYTEST,), budget_s, paths, pytest=True, needs_n8n=needs_n8n, needs=needs)


def _unit_tests(name: str, *paths: str) -> Suite:
    return Suite(name, ((*_PYTEST, "-m", "not long"),), budget_s=120, paths=paths, pytest=True)


_TESTS = Path(__file__).parent.parent / "tests"


def _files(folder: str, *beginnings: str) -> tuple[str, ...]:
    """Returns the test files of a folder whose names begin so."""
    matches = (path for name in beginnings for path in (_TESTS / folder).glob(f"test_{name}*.py"))
    return tuple(sorted(f"tests/{folder}/{path.name}" for path in matches))


def _others(folder: str, excluded: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what a folder holds besides what other suites run."""
    names = (
        f"tests/{folder}/{path.name}"
        for path in sorted((_TESTS / folder).iterdir())
        if path.name.startswith("test_") or any(path.glob("**/test_*.py"))
    )
    return tuple(name for name in names if name not in excluded)


_IMPORTS = _files("e2e", "import", "trial")
"""Half of the tests on a real n8n, by the time they take; the others run beside them."""
_JOBS = _files("api", "job", "serve", "session", "workers")
"""Half of the tests of the HTTP API, by the time they take."""
_LONG = tuple(
    sorted(
        path.relative_to(_TESTS.parent).as_posix()
        for path in (_TESTS / "unit").glob("**/test_*.py")
        if "pytest.mark.long" in path.read_text("utf-8")
    )
)
"""Files with long unit tests, which are in `make test` and not in the quick `make check`."""
_SERVICES = tuple(f"tests/unit/{name}" for name in ("interfaces", "services", "storage"))
"""A quarter of the unit tests, by the time they take; so are n8n, the other domains, the rest."""
_N8N = "tests/unit/domains/n8n"

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
    _tests("e2e", 480, *_others("e2e", _IMPORTS), needs_n8n=True, needs=("browser", "octave")),
    _tests("imports", 420, *_IMPORTS, needs_n8n=True),
    Suite(
        "postgres",
        ((*_PYTEST, "--database", "postgresql"),),
        budget_s=420,
        paths=(
            "tests/unit/storage",
            "tests/unit/services/test_conversation_record.py",
            "tests/unit/domains/n8n/deploy/test_ledger.py",
            "tests/api",
        ),
        pytest=True,
        needs=("postgres",),
    ),
    _tests("jobs", 300, *_JOBS),
    Suite("long", ((*_PYTEST, "-m", "long"),), budget_s=300, paths=_LONG, pytest=True),
    _tests("scale", 240, "tests/scale", needs=("postgres", "scale")),
    _tests("runtime", 240, "tests/runtime"),
    _tests("api", 300, *_others("api", _JOBS)),
    _tests("rehearsal", 120, "tests/rehearsal"),
    _tests("octave", 240, "tests/octave", needs=("octave",)),
    _tests("drafts", 150, "evals/drafts", needs_n8n=True),
    _tests("alarms", 90, "evals/alarms", needs_n8n=True),
    Suite(
        "proxy",
        (("npm", "run", "check"),),
        budget_s=30,
        paths=("rehearsal-proxy",),
        cwd="rehearsal-proxy",
    ),
    Suite(
        "node",
        (("npm", "run", "check"), ("npm", "test")),
        budget_s=120,
        paths=("node-catalog-sync",),
        cwd="node-catalog-sync",
    ),
    _tests(
        "floors",
        180,
        "evals/differential",
        "evals/faults",
        "evals/rehearsal_faults",
        "evals/repairs",
        "evals/routing",
        "evals/simulink_faults",
    ),
    _unit_tests("unit", *_others("unit", ("tests/unit/domains", *_SERVICES)), "tests/golden"),
    _unit_tests("unit-n8n", _N8N),
    _unit_tests("unit-services", *_SERVICES),
    _unit_tests("unit-domains", *_others("unit/domains", (_N8N,))),
    Suite("patterns", ((sys.executable, "-m", "tests.patterns"),), budget_s=120),
    _tests("fuzz", 120, "tests/fuzz"),
    Suite(
        "n8n-node",
        (("npm", "run", "types:check"), ("npm", "run", "lint"), ("npm", "test")),
        budget_s=60,
        paths=("n8n-node",),
        cwd="n8n-node",
    ),
    Suite("audit", ((sys.executable, "-m", "scripts.audit"),), budget_s=60),
)
