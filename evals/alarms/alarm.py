"""Defines corpora of real workflows, and finds alarms: diagnostics of class `wrong` about them."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.ir.options import CompileOptions
from tests.support.time_bounds import PATIENCE_S

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "n8n"

# Findings about the name or version of a type are judged on the document as written.
NAMING = frozenset({"GB201", "GB202", "GB203", "GB204", "GB205", "GB206", "GB207"})

Document = Mapping[str, Any]
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Workflows of one origin: a file of JSON lines and the key of the workflow in a line."""

    name: str
    file: str
    key: str

    def workflows(self) -> Iterator[tuple[str, Document]]:
        """Yields the id and document of each line that contains a workflow."""
        with gzip.open(DATA / self.file) as lines:
            for line in lines:
                entry = json.loads(line)
                if isinstance(entry.get(self.key), dict):
                    yield entry["id"], entry[self.key]


CORPORA = (
    Corpus("real", "workflows.jsonl.gz", "workflow"),
    Corpus("by models", "llm_generated.jsonl.gz", "workflow"),
    Corpus("clean", "repair_pairs.jsonl.gz", "clean"),
)


def read_shipped_workflows(n8n_dir: Path, node: Path) -> list[tuple[str, Document]]:
    """Returns the templates and samples that ship with the installed n8n."""
    script = Path(__file__).with_name("shipped.mjs")
    env = {"PATH": os.environ.get("PATH", ""), "GROUNDED_N8N_DIR": str(n8n_dir)}
    done = subprocess.run(
        [str(node), str(script)], stdout=subprocess.PIPE, env=env, timeout=PATIENCE_S, check=True
    )
    entries = (json.loads(line) for line in done.stdout.splitlines())
    return [(entry["id"], entry["workflow"]) for entry in entries]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A finding of class ``wrong`` about a workflow, and its node."""

    workflow: str
    document: Document
    finding: Diagnostic
    node: Mapping[str, Any] | None

    @property
    def code(self) -> str:
        """Returns the code of the rule."""
        return self.finding.code

    @property
    def tool(self) -> str:
        """Returns the type of the node with its version."""
        if self.node is None:
            return "-"
        version = self.node.get("typeVersion")
        return str(self.node.get("type")) + ("" if version is None else f"@{version}")

    @property
    def route(self) -> tuple[str | int, ...]:
        """Returns the route below the parameters of the node; empty if it is elsewhere."""
        at = self.finding.at
        return at[at.index("parameters") + 1 :] if "parameters" in at[:5] else ()

    @property
    def edge(self) -> tuple[str, str, int, int] | None:
        """Returns source, kind, output index and position of the edge, or None.

        The position is 0 if the finding is about all edges of an output.
        """
        at = self.finding.at
        if "connections" not in at[:2]:
            return None
        rest = at[at.index("connections") + 1 :]
        if len(rest) < 3 or not isinstance(rest[2], int):
            return None
        position = rest[3] if len(rest) > 3 else 0
        return str(rest[0]), str(rest[1]), rest[2], position if isinstance(position, int) else 0

    @property
    def place(self) -> str:
        """Returns the parameter without indices, or the kind of the edge, or the key."""
        if self.route:
            return ".".join(part for part in self.route if isinstance(part, str))
        if "connections" in self.finding.at[:2]:
            edge = self.edge
            return f"{edge[1]} edge" if edge else "connections"
        last = self.finding.at[-1] if self.finding.at else ""
        return last if isinstance(last, str) else ""

    @property
    def key(self) -> Key:
        """Returns code, tool and place, which alarms of one kind share."""
        return self.code, self.tool, self.place


def find_alarms(
    workflows: Iterable[tuple[str, Document]], registry: Registry
) -> Iterator[tuple[str, list[Alarm]]]:
    """Yields the id of each workflow with its alarms, which may be empty."""
    for id_, document in workflows:
        findings = compile_draft(document, N8N, registry, CompileOptions()).diagnostics
        wrong = [finding for finding in findings if finding.rule.kind == "wrong"]
        entries = _replace_types(document, registry) if wrong else document
        yield (
            id_,
            [
                _make_alarm(id_, document if diagnostic.code in NAMING else entries, diagnostic)
                for diagnostic in wrong
            ],
        )


def _make_alarm(workflow: str, document: Document, finding: Diagnostic) -> Alarm:
    return Alarm(workflow, document, finding, _node_of(document, finding))


def _replace_types(document: Document, registry: Registry) -> Document:
    """Returns the document with inexact types replaced, to which the other findings refer."""
    graph = read(document).graph
    if graph is None or not isinstance(document.get("nodes"), list):
        return document
    bound = resolve_graph(graph, N8N, registry)[0].nodes
    types = {
        resolved_node.node.at: resolved_node.spec.id
        for resolved_node in bound
        if resolved_node.spec is not None
    }
    nodes = [
        {**node, "type": types[("nodes", index)]}
        if isinstance(node, dict) and ("nodes", index) in types
        else node
        for index, node in enumerate(document["nodes"])
    ]
    return {**document, "nodes": nodes}


def _node_of(document: Document, finding: Diagnostic) -> Mapping[str, Any] | None:
    nodes = document.get("nodes")
    if not isinstance(nodes, list):
        return None
    at = finding.at
    if "nodes" in at[:2]:
        index = at[at.index("nodes") + 1] if len(at) > at.index("nodes") + 1 else None
        entries = nodes[index] if isinstance(index, int) and index < len(nodes) else None
    else:
        entries = next(
            (n for n in nodes if isinstance(n, dict) and n.get("name") == finding.node), None
        )
    return entries if isinstance(entries, dict) else None
