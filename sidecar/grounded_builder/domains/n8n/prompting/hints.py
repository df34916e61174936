"""Maps terms of one node, such as "pull request", to the n8n node that prompts then offer.

Unlike the phrases of ``phrases.py`` they only add a node to the list of a prompt: a request with
such a term can mean another node, so neither the keyword planner nor a check reads them. Terms that
several services share, and words of a language, are left to the catalog and to what people use.
"""

from __future__ import annotations

from grounded_builder.ir.domain import PhraseRule

_BASE = "n8n-nodes-base."
_CHAIN = "@n8n/n8n-nodes-langchain."
_TEXT = r"(?:message|e-?mail|mail|text|digest|report|list|summary)s?"

HINTS: tuple[PhraseRule, ...] = (
    PhraseRule(r"(?-i:\bPRs?\b)|\bpull[- ]requests?\b", f"{_BASE}github"),
    PhraseRule(r"\b(?:large )?language models?\b|(?-i:\bLLMs?\b)", f"{_CHAIN}chainLlm"),
    PhraseRule(r"\bremember\w*\b|\bmemory\b|\bchat history\b", f"{_CHAIN}memoryBufferWindow"),
    PhraseRule(
        r"\bincoming (?:\w+ ){0,2}e?-?mails?\b|\b(?:IMAP|inbox|mailbox)\b", f"{_BASE}emailReadImap"
    ),
    PhraseRule(r"\bCSS\b|\bselectors?\b|\bscrap(?:e|es|ed|ing)\b", f"{_BASE}html"),
    PhraseRule(
        rf"\b(?:all|them|list)\b(?: \w+){{0,3}} (?:in|into|as|with) (?:an?|one|a single)"
        rf" (?:\w+ ){{0,2}}{_TEXT}\b",
        f"{_BASE}aggregate",
    ),
    PhraseRule(r"(?-i:\bMRs\b)|\bmerge[- ]requests?\b", f"{_BASE}gitlab"),
)
