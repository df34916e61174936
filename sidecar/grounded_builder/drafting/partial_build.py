"""Finds the largest part of a plan or document that compiles by removing wrong values and steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import orjson

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.fixes import StaleEditError
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.edit_operations import Remove
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import EXPECT
from grounded_builder.resolve.diagnose import ReferenceCatalogs

_TIMES = 8
_PARAMS_DEPTH = 4
_MAX_JOINED = 100_000
"""The most inputs that are followed through removed steps of a plan."""
_MAX_DROPPED = 20
"""The most nodes that are taken out of a native document at once; each is an edit of the whole."""
# What a policy forbids is reported and not left out.
_MEANT = frozenset({"PolicyError"})


@dataclass(frozen=True, slots=True)
class PartialBuild:
    """The part of a plan or document that compiles, and the removed parts."""

    plan: Mapping[str, Any]
    compilation: Compilation
    left_out: tuple[str, ...]


def largest_part(
    before: Compilation,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> PartialBuild | None:
    """Returns the part without wrong values and steps; None where it does nothing."""
    plan = _normalize(before.document)
    if plan is None:
        return _largest_part_of_document(before, domain, registry, options, references)
    whole, compilation = plan, compile_with_fixes(plan, domain, registry, options, references)
    for _ in range(_TIMES):
        if compilation.verdict != "wrong":
            break
        rest = without_wrong(plan, compilation.diagnostics)
        if rest is None:
            return None
        plan = rest
        compilation = compile_with_fixes(plan, domain, registry, options, references)
    if compilation.verdict == "wrong" or compilation.plan is None:
        return None
    tools = [str(node.get("tool_id")) for node in compilation.plan.nodes]
    acts = any("trigger" not in registry.tools[tool].capabilities for tool in tools)
    return PartialBuild(plan, compilation, _describe_removed(whole, plan)) if acts else None


def _largest_part_of_document(
    before: Compilation,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> PartialBuild | None:
    """Returns the part of a native document without wrong parameters, edges and nodes."""
    compilation, left_out = before, dict[str, None]()
    for _ in range(_TIMES):
        if compilation.verdict != "wrong":
            break
        rest = _document_without_wrong(compilation, EditContext(domain, registry, options))
        if rest is None:
            return None
        document, removed = rest
        left_out.update(dict.fromkeys(removed))
        compilation = compile_with_fixes(document, domain, registry, options, references)
    if compilation.artifact is None or not _acts(compilation, domain, registry):
        return None
    return PartialBuild(compilation.document, compilation, tuple(left_out))


def _acts(compilation: Compilation, domain: Domain, registry: Registry) -> bool:
    """Returns whether a document has a connected node that is no trigger."""
    graph = domain.reading.read(compilation.document).graph
    if graph is None:
        return False
    joined = {name for edge in graph.edges for name in (edge.source, edge.target)}
    tools = (registry.tools.get(node.tool or "") for node in graph.nodes if node.name in joined)
    return any(tool is not None and "trigger" not in tool.capabilities for tool in tools)


def _document_without_wrong(
    compilation: Compilation, context: EditContext
) -> tuple[Any, list[str]] | None:
    """Returns a document without what is wrong, and what was removed; None if it is not located.

    The neighbours of a removed node are joined, and its sub-nodes go with it.
    """
    reading, editing = context.domain.reading, context.domain.editing
    graph = reading.read(compilation.document).graph
    if graph is None or editing is None:
        return None
    nodes = {node.at: node for node in graph.nodes}
    edges = {edge.at for edge in graph.edges}
    depth = len(reading.params_route)
    edits: dict[Route, str] = {}
    dropped: dict[str, str] = {}
    for diagnostic in compilation.diagnostics:
        if diagnostic.rule.kind != "wrong":
            continue
        at = diagnostic.at
        node = next((nodes[at[:size]] for size in range(len(at) + 1) if at[:size] in nodes), None)
        if diagnostic.rule.error_type in _MEANT or not at:
            return None
        tail = at[len(node.at) :] if node is not None else at
        if node is None and at[:1] == (EXPECT,):
            edits[at[:2]] = f"an expectation: {diagnostic.message}"
        elif node is None:
            route = next((at[:size] for size in range(len(at)) if at[:size] in edges), at)
            edits[route] = f"a connection: {diagnostic.message}"
        elif tail[:depth] == reading.params_route and len(tail) > depth:
            text = f'"{tail[depth]}" of "{node.name}": {diagnostic.message}'
            edits[(*node.at, *tail[: depth + 1])] = text
        else:
            dropped[node.name] = f'"{node.name}" ({str(node.tool)[:80]})'
    if len(dropped) > _MAX_DROPPED:
        return None
    document = compilation.document
    try:
        document = _without_places(document, sorted(edits, key=_order_of_removal, reverse=True))
        changes = tuple(Remove(name, ()) for name in dropped)
        document = editing.apply(document, changes, context).document
    except (StaleEditError, ValueError):
        return None
    return document, [*edits.values(), *dropped.values()]


def _without_places(document: Any, routes: Iterable[Route]) -> Any:
    """Returns a copy of a document without some places; raises StaleEditError if one is absent.

    The document is copied once, as there may be thousands of places in one list.
    """
    copy = deepcopy(document)
    for route in routes:
        holder = copy
        try:
            for key in route[:-1]:
                holder = holder[key]
            del holder[route[-1]]
        except (KeyError, IndexError, TypeError) as error:
            raise StaleEditError(route) from error
    return copy


def _order_of_removal(route: Route) -> tuple[tuple[int, str], ...]:
    """Returns the key by which routes are sorted so that entries of a list are in its order."""
    return tuple((part, "") if isinstance(part, int) else (-1, part) for part in route)


def _normalize(document: Any) -> dict[str, Any] | None:
    """Returns a drafted plan with an id, parameters and inputs at every step; None of anything
    else.
    """
    steps = document.get("steps") if isinstance(document, dict) else None
    if (
        not isinstance(steps, list)
        or not steps
        or not all(isinstance(item, dict) for item in steps)
    ):
        return None
    made: list[dict[str, Any]] = []
    straight = not any("inputs" in item for item in steps)
    for number, item in enumerate(steps, 1):
        given, params = item.get("id"), item.get("params")
        step = {**item, "id": given if isinstance(given, str) and given else f"step{number}"}
        step["params"] = params if isinstance(params, dict) else {}
        inputs = item.get("inputs")
        if straight and made and not item.get("for"):
            step["inputs"] = [next((s["id"] for s in reversed(made) if not s.get("for")), "")]
        elif isinstance(inputs, str | dict):
            step["inputs"] = [inputs]
        elif inputs is None:
            step.pop("inputs", None)
        made.append(step)
    if len({entry["id"] for entry in made}) < len(made):
        return None
    if not all(isinstance(step.get("inputs", []), list) for step in made):
        return None
    if not all(_is_plain(input_) for step in made for input_ in step.get("inputs", ())):
        return None
    return {**document, "steps": made, "metadata": {"clauses": []}}


def _is_plain(source: Any) -> bool:
    return isinstance(source, str) or (isinstance(source, dict) and "from" in source)


def _describe_removed(whole: Mapping[str, Any], rest: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns descriptions of the removed parts of a plan."""
    steps = {step["id"]: step for step in rest["steps"]}
    removed: list[str] = []
    expected, kept = (len(plan.get(EXPECT) or ()) for plan in (whole, rest))
    if kept < expected:
        removed.append(f"{expected - kept} of {expected} expectations")
    for step in whole["steps"]:
        if step["id"] not in steps:
            removed.append(f'step "{step["id"]}" ({str(step.get("tool"))[:80]})')
            continue
        lost = [key for key in step["params"] if key not in steps[step["id"]]["params"]]
        removed += [f'"{key}" of step "{step["id"]}"' for key in lost]
    return tuple(removed)


def without_wrong(
    plan: Mapping[str, Any], diagnostics: Iterable[Diagnostic]
) -> dict[str, Any] | None:
    """Returns the plan without the wrong parameters, else steps; None when none is located.

    Each parameter that is left out is an open point with its reason.
    What followed a step that is taken out follows what it followed; its sub-nodes go with it.
    """
    steps = [dict(step) for step in plan["steps"]]
    dropped: set[str] = set()
    notes: list[dict[str, str]] = []
    changed = False
    expectations: set[int | str | None] = set()
    for diagnostic in diagnostics:
        if diagnostic.rule.kind == "wrong" and diagnostic.at[:1] == (EXPECT,):
            expectations.add(diagnostic.at[1] if len(diagnostic.at) > 1 else None)
        if (
            diagnostic.rule.kind != "wrong"
            or diagnostic.at[:1] != ("steps",)
            or len(diagnostic.at) < 2
        ):
            continue
        if diagnostic.rule.error_type in _MEANT:
            return None
        step = steps[int(diagnostic.at[1])]
        key = (
            diagnostic.at[3]
            if len(diagnostic.at) >= _PARAMS_DEPTH and diagnostic.at[2] == "params"
            else None
        )
        if key in step["params"]:
            step["params"] = {k: v for k, v in step["params"].items() if k != key}
            text = f'"{key}" of {_title(step["tool"])} was left out: {diagnostic.message}'
            notes.append({"step": step["id"], "text": text})
            changed = True
        elif diagnostic.at[2:3] != ("params",):
            dropped.add(step["id"])
    if expectations:
        plan, changed = _without_expectations(plan, expectations), True
    if not dropped and not changed:
        return None
    dropped |= {step["id"] for step in steps if _serves_only(step, dropped)}
    sources = {step["id"]: step.get("inputs", []) for step in steps}
    results = _reconnect((step for step in steps if step["id"] not in dropped), sources, dropped)
    if results is None:
        return None
    clauses = [
        {**clause, "steps": [step for step in clause["steps"] if step not in dropped]}
        for clause in plan["metadata"]["clauses"]
    ]
    metadata = {
        **plan["metadata"],
        "clauses": clauses,
        "open": [*plan["metadata"].get("open", ()), *notes],
    }
    return {**plan, "steps": results, "metadata": metadata}


def _without_expectations(
    plan: Mapping[str, Any], indices: Collection[int | str | None]
) -> Mapping[str, Any]:
    """Returns a plan without the expectations at these places, None being all of them."""
    listed = plan[EXPECT]
    kept = (
        [item for index, item in enumerate(listed) if index not in indices]
        if isinstance(listed, list) and None not in indices
        else []
    )
    return {**plan, EXPECT: kept}


def _serves_only(step: Mapping[str, Any], dropped: Collection[str]) -> bool:
    """Returns whether a step is a sub-node of these steps and of no other."""
    hosts = step.get("for")
    hosts = hosts if isinstance(hosts, list) else [hosts] if hosts else []
    return bool(hosts) and all(host in dropped for host in hosts)


def _title(tool: str) -> str:
    return tool.rsplit("/", 1)[-1].rsplit(".", 1)[-1]


def _reconnect(
    steps: Iterable[dict[str, Any]], sources: Mapping[str, list[Any]], gone: Collection[str]
) -> list[dict[str, Any]] | None:
    """Returns steps with the sources of removed steps in their place, None beyond the limit."""
    results: list[dict[str, Any]] = []
    left = _MAX_JOINED
    for step in steps:
        if not any(_name(source) in gone for source in step.get("inputs", ())):
            results.append(step)
            continue
        inputs: dict[bytes, Any] = {}
        for item in _behind(step["inputs"], sources, gone):
            left -= 1
            if left < 0:
                return None
            if item is not None and _name(item) != step["id"]:
                inputs.setdefault(orjson.dumps(item, option=orjson.OPT_SORT_KEYS), item)
        results.append({**step, "inputs": list(inputs.values())})
    return results


def _behind(
    inputs: Iterable[Any], sources: Mapping[str, list[Any]], gone: Collection[str]
) -> Iterator[Any]:
    """Yields inputs, or the sources of a removed step in its place; an edge back stays one.

    Yields None for each removed step.
    """
    seen: set[tuple[str, bool]] = set()
    stack = [(source, False) for source in inputs][::-1]
    while stack:
        source, is_back = stack.pop()
        name = _name(source)
        plain = source if isinstance(source, dict) else {"from": source}
        if name not in gone:
            yield {**plain, "back": True} if is_back else source
            continue
        yield None
        is_back = is_back or bool(plain.get("back"))
        if (name, is_back) not in seen:
            seen.add((name, is_back))
            stack += [(before, is_back) for before in reversed(sources[name])]


def _name(source: Any) -> str:
    return str(source["from"] if isinstance(source, dict) else source)
