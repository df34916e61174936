"""Judges the workflow that a conversation made, by the rubric of `rubric.md`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.compiler.pipeline import Compilation

Judgement = Literal["right", "usable", "wrong", "not judged"]
_PACKAGES = {"": "n8n-nodes-base.", "lc": "@n8n/n8n-nodes-langchain."}
_TOOL_SUFFIX = "Tool"


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the set with the parts that its workflow must have."""

    id: str
    text: str
    is_sealed: bool = False
    paths: Sequence[Sequence[str]] = ()
    has: Mapping[str, Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The judgement of a workflow, what it lacks, and whether all of that is reported."""

    judgement: Judgement
    lacks: tuple[str, ...] = ()
    is_reported: bool = True


def judge(request: Request, compilation: Compilation | None, todo: Iterable[str]) -> Score:
    """Returns the score of a result; None means that nothing was built."""
    if not request.paths:
        return Score("not judged")
    artifact = compilation.artifact if compilation is not None else None
    if compilation is None or artifact is None:
        return Score("wrong", ("a workflow",))
    nodes, edges = artifact["nodes"], list(_list_edges(artifact))
    absent = [" > ".join(path) for path in request.paths if not _has_path(path, nodes, edges)]
    reported = [d for d in compilation.diagnostics if d.rule.severity != "info"]
    texts = [*todo, *(f"{d.message} {d.node or ''}" for d in reported)]
    if absent:
        about_values = {"MissingParameter", "MissingCredential"}
        named = any(d.rule.error_type not in about_values for d in reported)
        return Score("wrong", tuple(absent), named)
    lacks: list[str] = []
    silent = 0
    for kind, wanted in (request.has or {}).items():
        matching = [node for node in nodes if _is_of(kind, node)]
        for text in wanted:
            if any(_contains(node, text) for node in matching):
                continue
            lacks.append(f"{kind}: {text}")
            silent += not any(node["name"] in line for node in matching for line in texts)
    return Score("usable", tuple(lacks), not silent) if lacks else Score("right")


def _list_edges(artifact: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for source, kinds in artifact["connections"].items():
        for outputs in kinds.values():
            for targets in outputs:
                for target in targets or ():
                    yield source, target["node"]


def _has_path(
    path: Sequence[str], nodes: Sequence[Mapping[str, Any]], edges: Sequence[tuple[str, str]]
) -> bool:
    """Returns whether nodes of these types follow each other, with any others between them."""
    follows: dict[str, set[str]] = {}
    for source, target in edges:
        follows.setdefault(source, set()).add(target)
    reached = {node["name"] for node in nodes if _is_of(path[0], node)}
    for kind in path[1:]:
        after: set[str] = set()
        pending = [target for name in reached for target in follows.get(name, ())]
        while pending:
            name = pending.pop()
            if name not in after:
                after.add(name)
                pending += follows.get(name, ())
        reached = {node["name"] for node in nodes if node["name"] in after and _is_of(kind, node)}
    return bool(reached)


def _is_of(kinds: str, node: Mapping[str, Any]) -> bool:
    """Returns whether a node is of one of the types, or a variant of it for agents."""
    for kind in kinds.split("|"):
        package, _, name = kind.rpartition(":")
        if node.get("type") in (full := _PACKAGES[package] + name, full + _TOOL_SUFFIX):
            return True
    return False


def _contains(node: Mapping[str, Any], text: str) -> bool:
    """Returns whether a node holds a text, or a parameter a value where the text is KEY=VALUE."""
    written = json.dumps(
        {key: value for key, value in node.items() if key not in ("name", "notes", "id")},
        ensure_ascii=False,
    )
    key, equals, value = text.partition("=")
    if equals:
        return f'"{key}": "{value}"' in written or f'"{key}": {value}' in written
    return text.casefold() in written.casefold()
