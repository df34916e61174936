"""Decides whether a trial runs, replaces or omits a node, and why expressions are refused.

Only nodes that certainly reach nothing outside the execution are run. Every other node gets a
stand-in with sample items: a node of an unknown package, one with credentials, one that calls a
host, reads a file, writes a table, asks a person or a model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.javascript.code_filter import (
    ESCAPING_MEMBERS,
    check_code,
    check_expression_code,
)
from grounded_builder.ir.graph import ResolvedNode

Kind = Literal["run", "stand-in", "start", "pass", "leave"]

_BASE = "n8n-nodes-base."
WAIT = f"{_BASE}wait"
CODE = f"{_BASE}code"
RESPOND = f"{_BASE}respondToWebhook"
STOP = f"{_BASE}stopAndError"
# According to their code in n8n-nodes-base 2.41 these only compute on their items.
_PURE = frozenset(
    f"{_BASE}{name}"
    for name in (
        "aggregate",
        "code",
        "compareDatasets",
        "compression",
        "convertToFile",
        "crypto",
        "dateTime",
        "extractFromFile",
        "filter",
        "html",
        "htmlExtract",
        "iCal",
        "if",
        "itemLists",
        "limit",
        "markdown",
        "merge",
        "moveBinaryData",
        "noOp",
        "readPDF",
        "removeDuplicates",
        "renameKeys",
        "respondToWebhook",
        "set",
        "sort",
        "splitInBatches",
        "splitOut",
        "spreadsheetFile",
        "stopAndError",
        "summarize",
        "switch",
        "xml",
    )
)
READING_FILES = frozenset(
    f"{_BASE}{name}" for name in ("extractFromFile", "readPDF", "spreadsheetFile", "compression")
)
MAKING_FILES = frozenset({f"{_BASE}convertToFile", f"{_BASE}moveBinaryData"})
# Settings of these nodes that run code or SQL of the workflow in a sandbox that the filter for
# Code nodes does not cover: the parameter, and the values with which it does.
_RUNS_TEXT = {
    f"{_BASE}sort": ("type", ("code",)),
    f"{_BASE}itemLists": ("type", ("code",)),
    f"{_BASE}merge": ("mode", ("combineBySql",)),
}


@dataclass(frozen=True, slots=True)
class NodeRole:
    """The role of a node, and the reason where it is not run."""

    kind: Kind
    why: str = ""


def treatment_of(
    bound: ResolvedNode, served: Collection[str], unready: Collection[str]
) -> NodeRole:
    """Returns the role of a node; ``served`` are sub-nodes, ``unready`` nodes that lack a value."""
    node = bound.node
    if node.tool == NOTE:
        return NodeRole("leave", "a note")
    if node.name in served:
        return NodeRole("leave", "it serves a node that has a stand-in")
    if node.disabled:
        return NodeRole("pass", "it is disabled")
    if bound.spec is None:
        return NodeRole("stand-in", "its type is unknown")
    if is_start(bound):
        return NodeRole("start", "it starts the workflow")
    if node.tool == WAIT and node.params.get("resume", "timeInterval") in _TIMED:
        return NodeRole("pass", "it waits")
    if node.tool not in _PURE:
        return NodeRole("stand-in", "it may reach something outside of n8n")
    if node.source.get("credentials"):
        return NodeRole("stand-in", "it has credentials")
    if node.name in unready:
        return NodeRole("stand-in", "a value of it is missing")
    if (reason := expression_refusal(bound)) is not None:
        return NodeRole("stand-in", f"an expression may reach something outside of n8n: {reason}")
    if _runs_other_text(node.tool, node.params):
        return NodeRole("stand-in", "it runs code or SQL that a trial cannot judge")
    if node.tool == CODE and (reason := _code_refusal(node.params)) is not None:
        return NodeRole("stand-in", f"its code may reach something outside of n8n: {reason}")
    return NodeRole("run")


def expression_refusal(bound: ResolvedNode) -> str | None:
    """Returns why an expression of a node is not evaluated; None where all only compute."""
    values = (text.value for text in collect_texts(bound) if text.use == "expression")
    return next((reason for value in values if (reason := refusal_of(value)) is not None), None)


@lru_cache(4096)
def refusal_of(expression: str) -> str | None:
    """Returns why an expression is not evaluated; None for one that only computes.

    n8n keeps computed members from functions by itself; words for these are refused here.
    """
    for chunk in split(expression[1:]):
        verdict = check_expression_code(chunk.code)
        if verdict.reason is not None:
            return verdict.reason
        if verdict.places and (denied := ESCAPING_MEMBERS.search(chunk.code)) is not None:
            return f"the name {denied[0]}"
    return None


_TIMED = ("timeInterval", "specificTime")


def _runs_other_text(tool: str, params: Mapping[str, object]) -> bool:
    name, values = _RUNS_TEXT.get(tool, ("", ()))
    value = params.get(name)
    # A computed value may be any of them.
    return value in values or (bool(values) and isinstance(value, str) and value.startswith("="))


def _code_refusal(params: Mapping[str, object]) -> str | None:
    """Returns why the code of a Code node is not run; None for code that only computes."""
    if params.get("language", "javaScript") != "javaScript":
        return "it is not JavaScript"
    code = params.get("jsCode", "")
    if not isinstance(code, str):
        return "it is not a text"
    if code.startswith("="):
        return "it is an expression"
    return check_code(code).reason
