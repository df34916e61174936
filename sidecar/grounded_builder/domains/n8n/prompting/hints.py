"""Maps terms of one service, such as "pull request", to the n8n node that prompts then offer.

Unlike the phrases of ``phrases.py`` they only add a node to the list of a prompt: a request with
such a term can mean another node, so neither the keyword planner nor a check reads them. Terms that
several services share, and words of a language, are left to the catalog and to what people use.
"""

from __future__ import annotations

from grounded_builder.ir.domain import PhraseRule

_BASE = "n8n-nodes-base."

HINTS: tuple[PhraseRule, ...] = (
    PhraseRule(r"(?-i:\bPRs?\b)|\bpull[- ]requests?\b", f"{_BASE}github"),
    PhraseRule(r"(?-i:\bMRs\b)|\bmerge[- ]requests?\b", f"{_BASE}gitlab"),
)
