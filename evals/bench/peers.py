"""Compares the findings of n8n-mcp and this compiler on the same workflows with injected faults.

``make bench-peers`` runs it. n8n-mcp is installed from the npm registry into the cache, without its
install scripts, and is called through its own WorkflowValidator, once per workflow. It finds a
fault if it reports an error that it did not report before the injection; at the place, if that
error names a node of the fault.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

from evals.bench.refuted_errors import is_refuted, only_asks_for_values
from evals.faults.bench import SEED, SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import Case, find_cases, read_real_workflows, read_scenes
from evals.faults.judge import Finding, Judge, judge_over
from evals.faults.kinds import KINDS
from evals.faults.outcome import Verdict, judge_cases
from evals.faults.scene import read_scene
from runtime import install, paths
from tests.support.n8n_server import provide_catalog

VERSION = "2.87.0"
_SCRIPT = Path(__file__).with_name("n8n_mcp.cjs")
_QUIET = ("--no-audit", "--no-fund", "--no-progress", "--loglevel=error")


@dataclass(frozen=True, slots=True)
class Answer:
    """The findings of n8n-mcp for one workflow, as pairs of a node name and a message."""

    ms: float
    errors: frozenset[tuple[str | None, str]]
    warnings: frozenset[tuple[str | None, str]]


def main() -> None:
    """Prints the latency, the share of workflows reported as wrong, and the results by fault."""
    options = _parse_options()
    if not SHARED.exists():
        raise SystemExit(f"no real workflows: {SHARED} is absent")
    content = (options.catalog or provide_catalog()).read_bytes()
    judge = judge_over(content)
    workflows = list(read_real_workflows(SHARED))
    home = _install_peers()
    verdicts, ours = _time_judge(judge, workflows)
    theirs = list(_ask_peers(home, workflows))
    print("| validate, each file once | p50 ms | p95 ms | called wrong | called incomplete |")
    print("|---|---:|---:|---:|---:|")
    _print_row("ours", ours, verdicts["wrong"], verdicts["incomplete"])
    _print_row(
        f"n8n-mcp {VERSION}",
        [their.ms for their in theirs],
        sum(bool(their.errors) for their in theirs),
    )
    _print_alarms(Catalog.read(content), workflows, theirs)
    _print_faults(home, content, judge, workflows, options.cases)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.bench.peers", description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: of the installed n8n")
    parser.add_argument("--cases", type=int, default=40, help="cases a kind")
    return parser.parse_args()


def _install_peers() -> Path:
    """Returns the folder of n8n-mcp, installed on first use; the package contains its database."""
    home = paths.cache() / "peers" / f"n8n-mcp-{VERSION}"
    if (home / "node_modules" / "n8n-mcp" / "data" / "nodes.db").exists():
        return home
    home.mkdir(parents=True, exist_ok=True)
    print(f"installing n8n-mcp {VERSION} into {home}", file=sys.stderr)
    env = {**os.environ, **install.machine_config(), "PATH": install.path_with_node()}
    command = [*install.npm(), "install", f"n8n-mcp@{VERSION}", "--ignore-scripts"]
    subprocess.run([*command, "--omit=optional", *_QUIET], cwd=home, env=env, check=True)
    return home


def _ask_peers(home: Path, workflows: Iterable[Any]) -> Iterator[Answer]:
    """Yields the answers of n8n-mcp in the order of the workflows."""
    lines = [json.dumps({"id": at, "workflow": workflow}) for at, workflow in enumerate(workflows)]
    env = {
        "PATH": install.path_with_node(),
        "MCP_MODE": "stdio",
        "DISABLE_CONSOLE_OUTPUT": "true",
        "N8N_MCP_TELEMETRY_DISABLED": "true",
    }
    done = subprocess.run(
        [str(paths.node()), str(_SCRIPT), str(home)],
        input="\n".join(lines).encode(),
        stdout=subprocess.PIPE,
        env=env,
        check=True,
    )
    for line in done.stdout.splitlines():
        value = json.loads(line)
        yield Answer(
            value["ms"], _read_findings(value["errors"]), _read_findings(value["warnings"])
        )


def _read_findings(answers: list[dict[str, Any]]) -> frozenset[tuple[str | None, str]]:
    return frozenset((item["node"], item["message"]) for item in answers)


def _time_judge(judge: Judge, workflows: list[Any]) -> tuple[Counter[str], list[float]]:
    spent: list[float] = []
    verdicts: Counter[str] = Counter()
    for workflow in workflows:
        begun = perf_counter()
        findings = judge(workflow)
        spent.append((perf_counter() - begun) * 1000)
        gravest = {item.gravity for item in findings}
        verdicts[
            "wrong" if "wrong" in gravest else "incomplete" if "incomplete" in gravest else ""
        ] += 1
    return verdicts, spent


def _print_row(title: str, spent: list[float], wrong: int, incomplete: int | None = None) -> None:
    cuts = quantiles(spent, n=100)
    share = f"{wrong / len(spent):.1%}"
    rest = "-" if incomplete is None else f"{incomplete / len(spent):.1%}"
    print(f"| {title} | {cuts[49]:.2f} | {cuts[94]:.2f} | {share} | {rest} |")


def _print_alarms(catalog: Catalog, workflows: list[Any], theirs: list[Answer]) -> None:
    """Prints how many errors of n8n-mcp the catalog alone refutes; the rest is undecided."""
    asking = sum(bool(their.errors) and only_asks_for_values(their.errors) for their in theirs)
    refuted = 0
    for workflow, answer in zip(workflows, theirs, strict=True):
        scene = read_scene(workflow, catalog)
        refuted += scene is not None and any(is_refuted(error, scene) for error in answer.errors)
    print(f"\nn8n-mcp calls {asking} workflows wrong that only lack values, and {refuted}")
    print("for a type, a version or an option that is installed and listed.")


def _print_faults(
    home: Path, content: bytes, judge: Judge, workflows: list[Any], most: int
) -> None:
    """Prints the results of both on the same cases, compared with those before the injection."""
    scenes = read_scenes(iter(workflows), Catalog.read(content))
    entries: dict[int, list[Finding]] = {}
    judged = [
        outcome
        for kind in KINDS
        for outcome in islice(judge_cases(find_cases(kind, scenes, SEED), judge, entries), most)
    ]
    used = list({id(outcome.case.scene): outcome.case.scene for outcome in judged}.values())
    before = dict(
        zip(map(id, used), _ask_peers(home, (scene.document for scene in used)), strict=True)
    )
    after = _ask_peers(home, (outcome.case.make_document() for outcome in judged))
    mine: Counter[tuple[str, Verdict]] = Counter()
    peer: Counter[tuple[str, Verdict]] = Counter()
    for outcome, answer in zip(judged, after, strict=True):
        name = outcome.case.kind.name
        mine[name, outcome.verdict] += 1
        peer[name, _grade_answer(outcome.case, before[id(outcome.case.scene)], answer)] += 1
    columns = "at place | any error | silent"
    print(f"\n| kind | n | ours: {columns} | n8n-mcp: {columns} |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for hard, title in ((True, "**all hard**"), (False, "**all soft**")):
        names = [kind.name for kind in KINDS if kind.hard is hard]
        for shown in (*([name] for name in names), names):
            cells = [*_count_cells(mine, shown), *_count_cells(peer, shown)[1:]]
            print(f"| {shown[0] if len(shown) == 1 else title} | {' | '.join(map(str, cells))} |")


def _count_cells(
    counts: Counter[tuple[str, Verdict]], names: list[str]
) -> tuple[int, int, int, int]:
    chosen: Counter[Verdict] = Counter()
    for (name, verdict), count in counts.items():
        if name in names:
            chosen[verdict] += count
    there = chosen["error at place"]
    return chosen.total(), there, there + chosen["error elsewhere"], chosen["silent"]


def _grade_answer(case: Case, before: Answer, after: Answer) -> Verdict:
    """Returns the verdict of n8n-mcp on a case, by the node names in its new findings.

    A fault without a node counts as found by any new error.
    """
    fresh = after.errors - before.errors
    nodes = case.fault.place.nodes
    if any(_names_node(item, nodes) for item in fresh):
        return "error at place"
    if fresh:
        return "error elsewhere"
    remarks = after.warnings - before.warnings
    return "remark at place" if any(_names_node(remark, nodes) for remark in remarks) else "silent"


def _names_node(answers: tuple[str | None, str], nodes: tuple[str, ...]) -> bool:
    node, message = answers
    return not nodes or node in nodes or any(f'"{name}"' in message for name in nodes)


if __name__ == "__main__":
    main()
