"""Reports unconnected data inputs of nodes that combine several inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, effective_parameters
from grounded_builder.domains.n8n.check.connections.sub_node_inputs import UNCONNECTED_INPUT
from grounded_builder.domains.n8n.javascript.evaluate import evaluate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISSING_MERGE_INPUT = Rule.advice(
    "N8N345",
    "missing-merge-input",
    "InvalidConnection",
    "An input of a combining node is not connected.",
)


def check_unconnected_inputs(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports nodes with several data inputs of which only some are connected."""
    for name, ports in wiring.ports.items():
        mains = ports.inputs.get(MAIN, ()) if ports.inputs is not None else ()
        if len(mains) < 2 or name not in wiring.before:
            continue
        fed = {edge.target_index for edge in wiring.before[name]}
        open_ = [index for index in range(len(mains)) if index not in fed]
        if not open_:
            continue
        bound = resolved.by_name[name]
        needed = [index for index in open_ if index in _required_inputs(bound, fed, resolved)]
        yield _never_runs(bound, needed, mains) if needed else _missing_input(bound, open_, mains)


def _required_inputs(bound: ResolvedNode, fed: set[int], resolved: ResolvedGraph) -> Sequence[int]:
    """Returns the inputs without which n8n never runs the node (n8n-core workflow-execute).

    n8n requires them only in execution order v1, and not if the first input alone is connected.
    """
    settings = resolved.graph.document.get("settings")
    order = settings.get("executionOrder") if isinstance(settings, Mapping) else None
    if order != "v1" or max(fed) == 0:
        return ()
    declared: Any = bound.spec.traits.get("required_inputs")
    if isinstance(declared, str):
        declared = _evaluate_declaration(declared, bound)
    return declared if isinstance(declared, list) else ()


def _evaluate_declaration(declared: str, bound: ResolvedNode) -> Any:
    """Returns the value of the declared expression for these parameters, None if unknown."""
    code = declared.strip().removeprefix("=").strip().removeprefix("{{").removesuffix("}}").strip()
    try:
        asked = [code, effective_parameters(bound), bound.spec.version]
        return _evaluate_json(json.dumps(asked, sort_keys=True))
    except (TypeError, ValueError, RecursionError, UnknownAnswerError):
        return None


@lru_cache(512)
def _evaluate_json(question: str) -> Any:
    return evaluate(*json.loads(question))


def _never_runs(bound: ResolvedNode, needed: Sequence[int], mains: Sequence[Port]) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNCONNECTED_INPUT,
        bound.node.at,
        f'"{name}" waits for data on {_format_inputs(needed, mains)}, which has no edge: '
        "it never runs",
        help=f"connect {_format_inputs(needed, mains)}",
        node=name,
        token=str(needed[0]),
    )


def _missing_input(
    bound: ResolvedNode, indices: Sequence[int], mains: Sequence[Port]
) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        MISSING_MERGE_INPUT,
        bound.node.at,
        f'no edge connects to {_format_inputs(indices, mains)} of "{name}"',
        help=f"connect {_format_inputs(indices, mains)}, or reduce the number of inputs",
        node=name,
        token=str(indices[0]),
    )


def _format_inputs(indices: Sequence[int], mains: Sequence[Port]) -> str:
    shown = [
        f"{index} ({mains[index].name})" if mains[index].name else str(index) for index in indices
    ]
    return f"input{'s' if len(shown) > 1 else ''} {', '.join(shown)}"
