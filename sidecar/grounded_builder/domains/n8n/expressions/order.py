"""Reports expressions and code that read a node before that node has run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.expressions.mask_literals import find_first_branch, mask_literals
from grounded_builder.domains.n8n.expressions.references import UNORDERED_NODE, Reference
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

NODE_RUNS_LATER = Rule.wrong(
    "N8N328", "node-runs-later", "ExpressionError", "The data of a node is read before it runs."
)

# Members that read data of a node's run, and those of them that trace an item back to its source.
_DATA = frozenset({"all", "binary", "data", "first", "json", "last"})
_PAIRED = frozenset({"item", "itemMatching", "pairedItem"})


def report_early_reads(
    text: Text,
    bound: ResolvedNode,
    code: str,
    offset: int,
    references: Sequence[Reference],
    flow: ExecutionOrder,
    resolved: ResolvedGraph,
) -> Iterator[Diagnostic]:
    """Reports each node whose data a piece of code reads and that is not upstream of it."""
    certain_end: int | None = None
    reported: set[str] = set()
    asks = "isExecuted" in code or "catch" in code
    for reference in references:
        if (
            reference.name in reported
            or reference.name not in resolved.by_name
            or not _reads_data(reference)
        ):
            continue
        reason, fails = _find_reason(reference, bound.node.name, flow)
        if reason is None or (asks and reason.startswith("does not run")):
            continue
        reported.add(reference.name)
        certain_end = find_first_branch(mask_literals(code)) if certain_end is None else certain_end
        certain = fails and reference.start - offset < certain_end
        survived = _continues_on_error(bound) and flow.is_upstream(reference.name, bound.node.name)
        pin_data = resolved.graph.document.get("pinData")
        pinned = isinstance(pin_data, dict) and reference.name in pin_data and flow.is_manual
        yield _report_early_read(
            text, reference.name, reason, wrong=certain and not survived and not pinned
        )


def _reads_data(reference: Reference) -> bool:
    return reference.form == "$items" or reference.reads in _DATA or reference.reads in _PAIRED


_NONE: tuple[str | None, bool] = (None, False)


def _find_reason(reference: Reference, node: str, flow: ExecutionOrder) -> tuple[str | None, bool]:
    """Returns why the data may be missing, and whether n8n then certainly fails."""
    upstream = flow.is_upstream(reference.name, node) and reference.name != node
    if flow.runs_later(reference.name, node):
        return "is the node itself" if reference.name == node else "cannot have run before it", True
    if upstream and not flow.is_sub_node(node):
        choosing = flow.find_choice(reference.name, node)
        return (f'does not run where "{choosing}" takes another path', False) if choosing else _NONE
    if upstream or flow.is_sub_node(reference.name):
        return _NONE
    by_path = reference.reads in _PAIRED or reference.form == "$node"
    is_certain_to_fail = by_path and not flow.is_sub_node(node) and flow.is_run(node)
    return "does not lead to it", is_certain_to_fail


def _continues_on_error(bound: ResolvedNode) -> bool:
    """Returns whether the run continues if the node fails, so that a loop can return to it."""
    source = bound.node.source
    return source.get("continueOnFail") is True or str(source.get("onError") or "").startswith(
        "continue"
    )


def _report_early_read(text: Text, name: str, reason: str, *, wrong: bool) -> Diagnostic:
    if wrong:
        return new_diagnostic(
            NODE_RUNS_LATER,
            text.at,
            f'"{text.node}" reads the data of "{name}", which {reason}: n8n fails there',
            help="read a node that leads to this one, or connect the node before it",
            node=text.node,
            token=name,
        )
    return new_diagnostic(
        UNORDERED_NODE,
        text.at,
        f'"{text.node}" reads the data of "{name}", which {reason}: it fails unless '
        f'"{name}" has run',
        help=f"check $('{name}').isExecuted first, or connect it before this node",
        node=text.node,
        token=name,
    )
