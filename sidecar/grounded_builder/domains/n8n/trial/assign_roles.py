"""Decides for each node if a trial runs, replaces or omits it, with samples for nodes not run."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.n8n.analysis.links import build_wiring
from grounded_builder.domains.n8n.trial.choose_samples import Ask, Given, samples_of
from grounded_builder.domains.n8n.trial.node_role import (
    MAKING_FILES,
    READING_FILES,
    NodeRole,
    treatment_of,
)
from grounded_builder.domains.n8n.trial.sandbox_copy import Cast
from grounded_builder.ir.graph import ResolvedGraph


def cast_of(resolved: ResolvedGraph, unready: frozenset[str], given: Given, ask: Ask) -> Cast:
    """Returns the role of each node, and the sample items of those that are not run."""
    served = build_wiring(resolved).served
    treatments = {
        name: treatment_of(bound, served, unready) for name, bound in resolved.by_name.items()
    }
    if not _has_files(resolved, treatments, given):
        fileless = NodeRole("stand-in", "it reads a file, and no item contains one")
        treatments |= {
            name: fileless
            for name, treatment in treatments.items()
            if treatment.kind == "run" and resolved.by_name[name].node.tool in READING_FILES
        }
    names = frozenset(
        name for name, treatment in treatments.items() if treatment.kind in ("start", "stand-in")
    )
    return Cast(resolved, treatments, samples_of(resolved, names, given, ask))


def _has_files(resolved: ResolvedGraph, treatments: Mapping[str, NodeRole], given: Given) -> bool:
    """Returns whether an item may contain a file: a sample, a pinned item, or a node's output."""
    pinned = resolved.graph.document.get("pinData")
    samples = [*given.values(), *(pinned.values() if isinstance(pinned, Mapping) else ())]
    for sample in samples:
        if any(
            isinstance(sample_item, Mapping) and sample_item.get("binary") for sample_item in sample
        ):
            return True
    return any(
        treatments[name].kind == "run" and bound.node.tool in MAKING_FILES
        for name, bound in resolved.by_name.items()
    )
