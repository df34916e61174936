"""What a trial does with each node: run it, let something stand in for it, or leave it out.

Run for real is only what certainly reaches nothing outside the execution. Everything else,
whatever it is, gets a stand-in that gives sample items: a node of an unknown package, one with
credentials, one that calls a host, reads a file, writes a table, asks a person or a model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from grounded_builder.domains.n8n.expressions.outline import outlined
from grounded_builder.domains.n8n.starts import NOTE, is_start
from grounded_builder.graph import Bound

Kind = Literal["run", "stand-in", "start", "pass", "leave"]

_BASE = "n8n-nodes-base."
WAIT = f"{_BASE}wait"
CODE = f"{_BASE}code"
RESPOND = f"{_BASE}respondToWebhook"
STOP = f"{_BASE}stopAndError"
# Read off their code in n8n-nodes-base 2.41: they compute on their items and do nothing else.
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
# The only ways out of a Code node are the functions of ``helpers`` and what ``require`` gives;
# the other words are ways to either of them.
_WAYS_OUT = re.compile(
    r"(?<![\w$.])(?:this|require|import|process|module|fetch|eval|Function|globalThis|global"
    r"|Reflect|Proxy|with)(?![\w$])"
)
_ANYWHERE = re.compile(r"helpers|constructor|__proto__|prototype|httpRequest|\\u|\\x")


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is done with a node, and why where it is not run."""

    kind: Kind
    why: str = ""


def treatment_of(bound: Bound, served: Collection[str], unready: Collection[str]) -> Treatment:
    """Decide about one node; ``served`` are sub-nodes, ``unready`` nodes that lack something."""
    node = bound.node
    if node.tool == NOTE:
        return Treatment("leave", "a note")
    if node.name in served:
        return Treatment("leave", "it serves a node for which something stands in")
    if node.disabled:
        return Treatment("pass", "it is disabled")
    if bound.spec is None:
        return Treatment("stand-in", "its type is unknown")
    if is_start(bound):
        return Treatment("start", "it starts the workflow")
    if node.tool == WAIT and node.params.get("resume", "timeInterval") in _TIMED:
        return Treatment("pass", "it waits")
    if node.tool not in _PURE:
        return Treatment("stand-in", "it may reach something outside of n8n")
    if node.source.get("credentials"):
        return Treatment("stand-in", "it has credentials")
    if node.name in unready:
        return Treatment("stand-in", "a value of it is missing")
    if node.tool == CODE and not _stays_inside(node.params):
        return Treatment("stand-in", "its code may reach something outside of n8n")
    return Treatment("run")


_TIMED = ("timeInterval", "specificTime")


def _stays_inside(params: Mapping[str, object]) -> bool:
    """Whether code is JavaScript that has no word for a way out of its sandbox."""
    if params.get("language", "javaScript") != "javaScript":
        return False
    code = params.get("jsCode", "")
    if not isinstance(code, str) or _ANYWHERE.search(code):
        return False
    return _WAYS_OUT.search(outlined(code)) is None
