"""Makes the copy of a workflow for a rehearsal: real nodes, invented credentials, pinned triggers.

Each node gets invented credentials of its own, of the types that it uses: they name it in its
requests. The triggers alone have pinned items,
since nothing outside starts them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.check.credentials import accepted_types
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.expectations import ExactAnswer, Fault
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.fixed_time import fix_time
from grounded_builder.domains.n8n.rehearsal.invented_credentials import mark_of
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue, fill_open_values
from grounded_builder.domains.n8n.rehearsal.sample_files import add_files
from grounded_builder.domains.n8n.rehearsal.variants import WantedValue
from grounded_builder.domains.n8n.trial.choose_samples import Ask, Given, samples_of
from grounded_builder.domains.n8n.trial.node_role import CODE
from grounded_builder.domains.n8n.trial.samples import Sample
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

Provide = Callable[[str, int], Mapping[str, str] | None]
"""Returns the reference to the credential with a number of a type, None for an unknown type."""

WEBHOOK_ID = "rehearsal"
"""The id of a webhook that has none; n8n puts it before paths with variables."""

_KEPT_SETTINGS = ("executionOrder", "timezone")


@dataclass(frozen=True, slots=True)
class WorkflowCopy:
    """The workflow to send to n8n, its triggers, and the sample items with which each begins.

    ``filled`` are values that the user has yet to choose.
    ``owners`` names the node that has a credential, by the mark in the secrets of the credential.
    """

    workflow: Mapping[str, Any]
    triggers: tuple[str, ...]
    samples: Mapping[str, Sample]
    owners: Mapping[str, str]
    filled: tuple[FilledValue, ...] = ()

    def with_one_trigger(self, trigger: str) -> Mapping[str, Any]:
        """Returns the workflow to publish: no pinned items, and the other triggers disabled."""
        nodes = [
            {"webhookId": WEBHOOK_ID, **node}
            if node["name"] == trigger
            else {**node, "disabled": True}
            if node["name"] in self.triggers
            else node
            for node in self.workflow["nodes"]
        ]
        return {**self.workflow, "nodes": nodes, "pinData": {}}

    def with_values(self, values: Sequence[WantedValue]) -> WorkflowCopy:
        """Returns the copy with other values in the samples of its triggers."""
        samples = dict(self.samples)
        for wanted in values:
            if wanted.node in samples:
                sample = samples[wanted.node]
                items = tuple(
                    {**item, "json": wanted.write(item.get("json") or {})} for item in sample.items
                )
                samples[wanted.node] = replace(sample, items=items)
        pinned = {trigger: list(samples[trigger].items) for trigger in self.triggers}
        return replace(self, workflow={**self.workflow, "pinData": pinned}, samples=samples)


@dataclass(frozen=True, slots=True)
class CopyOrder:
    """What to copy: the workflow, sample items by trigger, routes of values that are still open.

    ``faults`` are the errors that nodes get in place of answers, ``answers`` what they get to each
    request, ``items`` what they output in place of running, by the name of the node. ``moment`` is
    the time at which schedules start the workflow, None for now. ``left_out`` are disabled.
    """

    resolved: ResolvedGraph
    given: Given
    open_routes: Sequence[Route] = ()
    faults: Mapping[str, Fault] = field(default_factory=dict)
    moment: datetime | None = None
    answers: Mapping[str, ExactAnswer] = field(default_factory=dict)
    items: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    left_out: Collection[str] = ()


def copy_workflow(
    order: CopyOrder, name: str, ask: Ask, provide: Provide, limit_s: int
) -> WorkflowCopy:
    """Returns the copy under a name of its own; a run of it is ended by n8n after ``limit_s``."""
    resolved = order.resolved
    changed, filled = fill_open_values(resolved, order.open_routes)
    triggers = tuple(
        bound.node.name for bound in resolved.nodes if is_start(bound) and not bound.node.disabled
    )
    plain = samples_of(resolved, frozenset(triggers), order.given, ask, order.moment)
    samples = add_files(resolved, plain)
    document = resolved.graph.document
    settings = document.get("settings") or {}
    owners: dict[str, str] = {}
    workflow = {
        "name": name,
        "nodes": [
            output_items(bound.node.source, order.items[bound.node.name])
            if bound.node.name in order.items
            else fix_time(
                bound,
                {
                    **dict(_copy_node(bound, provide, owners)),
                    **_place_changes(changed, bound),
                    **({"disabled": True} if bound.node.name in order.left_out else {}),
                },
                order.moment,
            )
            for bound in resolved.nodes
            if bound.node.tool != NOTE
        ],
        "connections": document.get("connections") or {},
        "pinData": {trigger: list(samples[trigger].items) for trigger in triggers},
        "settings": {
            **{key: settings[key] for key in _KEPT_SETTINGS if key in settings},
            "executionTimeout": limit_s,
            "saveDataErrorExecution": "all",
            "saveDataSuccessExecution": "all",
            "saveExecutionProgress": False,
            "saveManualExecutions": True,
        },
    }
    return WorkflowCopy(workflow, triggers, samples, owners, filled)


def _place_changes(
    changed: Mapping[str, Mapping[str, Any]], bound: ResolvedNode
) -> Mapping[str, Any]:
    parameters = changed.get(bound.node.name)
    return {} if parameters is None else {"parameters": parameters}


def output_items(
    source: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Returns a node with the name and settings of another that outputs these items."""
    content = [
        {"json": {}, **item} if isinstance(item.get("json"), Mapping) else {"json": item}
        for item in items
    ]
    paired = [{**item, "pairedItem": {"item": 0}} for item in content]
    # Of a literal, JavaScript would read the key "__proto__" as something else.
    code = f"return JSON.parse({json.dumps(json.dumps(paired))});"
    kept = {key: value for key, value in source.items() if key != "credentials"}
    return {**kept, "type": CODE, "typeVersion": 2, "parameters": {"jsCode": code}}


def _copy_node(
    bound: ResolvedNode, provide: Provide, owners: dict[str, str]
) -> Iterator[tuple[str, Any]]:
    for key, value in bound.node.source.items():
        if key != "credentials":
            yield key, value
    credentials: dict[str, Mapping[str, str]] = {}
    for kind in _choose_types(bound):
        number = 1
        while mark_of(kind, number) in owners:
            number += 1
        reference = provide(kind, number)
        if reference is not None:
            credentials[kind] = reference
            owners[mark_of(kind, number)] = bound.node.name
    if credentials:
        yield "credentials", credentials


def _choose_types(bound: ResolvedNode) -> tuple[str, ...]:
    """Returns the credential types to invent: those that the workflow has, else the first fit."""
    if not isinstance(bound.spec, NodeSpec):
        return ()
    fitting = accepted_types(bound.spec, filled_parameters(bound).full)
    given = bound.node.source.get("credentials")
    named = [kind for kind in fitting if isinstance(given, Mapping) and kind in given]
    return tuple(named) or fitting[:1]
