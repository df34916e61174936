"""Inputs for data that no edge feeds, at nodes that bring several streams together."""

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


def check_unfed(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find a node with several data inputs of which some are fed and some are not."""
    for name, ports in wiring.ports.items():
        mains = ports.inputs.get(MAIN, ()) if ports.inputs is not None else ()
        if len(mains) < 2 or name not in wiring.before:
            continue
        fed = {edge.target_index for edge in wiring.before[name]}
        open_ = [index for index in range(len(mains)) if index not in fed]
        if not open_:
            continue
        bound = resolved.by_name[name]
        needed = [index for index in open_ if index in _required(bound, fed, resolved)]
        yield _starved(bound, needed, mains) if needed else _open(bound, open_, mains)


def _required(bound: ResolvedNode, fed: set[int], resolved: ResolvedGraph) -> Sequence[int]:
    """Inputs without which n8n never runs the node (n8n-core workflow-execute).

    It asks so in execution order v1 only, and of a node that it sees several inputs of: one
    that is fed on the first alone runs at once.
    """
    settings = resolved.graph.document.get("settings")
    order = settings.get("executionOrder") if isinstance(settings, Mapping) else None
    if order != "v1" or max(fed) == 0:
        return ()
    declared: Any = bound.spec.traits.get("required_inputs")
    if isinstance(declared, str):
        declared = _evaluated(declared, bound)
    return declared if isinstance(declared, list) else ()


def _evaluated(declared: str, bound: ResolvedNode) -> Any:
    """What the declared expression gives for these parameters; None where that is not known."""
    code = declared.strip().removeprefix("=").strip().removeprefix("{{").removesuffix("}}").strip()
    try:
        asked = [code, effective_parameters(bound), bound.spec.version]
        return _evaluated_json(json.dumps(asked, sort_keys=True))
    except (TypeError, ValueError, RecursionError, UnknownAnswerError):
        return None


@lru_cache(512)
def _evaluated_json(question: str) -> Any:
    return evaluate(*json.loads(question))


def _starved(bound: ResolvedNode, needed: Sequence[int], mains: Sequence[Port]) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNCONNECTED_INPUT,
        bound.node.at,
        f'"{name}" waits for data on {_listed(needed, mains)}, and no edge leads there: '
        "it never runs",
        help=f"connect {_listed(needed, mains)}",
        node=name,
        token=str(needed[0]),
    )


def _open(bound: ResolvedNode, indices: Sequence[int], mains: Sequence[Port]) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        MISSING_MERGE_INPUT,
        bound.node.at,
        f'no edge leads to {_listed(indices, mains)} of "{name}"',
        help=f"connect {_listed(indices, mains)}, or give the node fewer inputs",
        node=name,
        token=str(indices[0]),
    )


def _listed(indices: Sequence[int], mains: Sequence[Port]) -> str:
    shown = [
        f"{index} ({mains[index].name})" if mains[index].name else str(index) for index in indices
    ]
    return f"input{'s' if len(shown) > 1 else ''} {', '.join(shown)}"
