"""Maps words of requests to n8n nodes that a workflow for them may need.

Unlike the phrases of ``phrases.py`` they only add a node to the list of a prompt: a request with
such a word can mean another node, so neither the keyword planner nor a check reads them.
"""

from __future__ import annotations

from grounded_builder.ir.domain import PhraseRule

_BASE = "n8n-nodes-base."
_CHAIN = "@n8n/n8n-nodes-langchain."

_REMEMBERS = (
    r"\b(?:remember\w*|memory|chat history|(?:last|previous) (?:\d+ )?messages"
    r"|erinner\w*|gedächtnis|se souv\w*|mémoire|record(?:ar|e|a)\b|memoria)"
)
_LASTS = (
    r"\b(?:restart\w*|reboot\w*|persist\w*|permanent\w*|long[- ]term|forever|neustart\w*"
    r"|redémarr\w*|reinici\w*)"
)
_VECTORS = r"\bRAG\b|\bvector (?:store|database|db|index)|\bvektor\w*"
_ANSWERS = r"\b(?:answer|respon[ds]|return|repl(?:y|ies))\w*\b"
# A method with a path, as in "POST /orders", and a status code before a body.
_SERVED = r"\b(?:GET|POST|PUT|PATCH|DELETE) /\w|(?:->|=>|→|\b(?:status|code|HTTP)) ?[2-5]\d\d\b"

HINTS: tuple[PhraseRule, ...] = (
    PhraseRule(
        r"\bforms?\b(?! of\b)|\bweb ?forms?\b|\bformul[aá](?:r|ire|rio)\w*|\bformulier\w*",
        f"{_BASE}formTrigger",
        starts=True,
    ),
    PhraseRule(_SERVED, f"{_BASE}webhook", starts=True),
    PhraseRule(
        rf"{_SERVED}|\bcallers?\b"
        rf"|\b(?:API|endpoint|webhook|request)s?\b[^.]{{0,80}}{_ANSWERS}"
        rf"|{_ANSWERS}[^.]{{0,40}}\b(?:JSON|[2-5]\d\d)\b",
        f"{_BASE}respondToWebhook",
    ),
    # People write channels as "#name" first of all for Slack.
    PhraseRule(r"(?<![\w&/#.])#[a-z][a-z0-9_-]{2,}", f"{_BASE}slack"),
    PhraseRule(
        r"(?-i:\bPRs?\b)|\bpull[- ]requests?\b|\b(?:git )?repos?(?:itor(?:y|ies))?\b",
        f"{_BASE}github",
    ),
    PhraseRule(r"(?-i:\bMRs\b)|\bmerge[- ]requests?\b", f"{_BASE}gitlab"),
    PhraseRule(
        r"\b(?:an?other|other|existing|separate|second) (?:n8n )?workflows?\b"
        r"|\b(?:call|run|execut|invok)\w* (?:\w+ ){0,3}workflows?\b",
        f"{_BASE}executeWorkflow",
    ),
    PhraseRule(_REMEMBERS, f"{_CHAIN}memoryBufferWindow"),
    PhraseRule(
        rf"(?s:{_REMEMBERS}.{{0,200}}{_LASTS}|{_LASTS}.{{0,200}}{_REMEMBERS})",
        f"{_CHAIN}memoryPostgresChat",
    ),
    PhraseRule(_VECTORS, f"{_CHAIN}documentDefaultDataLoader"),
    PhraseRule(
        rf"{_VECTORS}|\bchunk\w*|\btext splitters?\b",
        f"{_CHAIN}textSplitterRecursiveCharacterTextSplitter",
    ),
)
