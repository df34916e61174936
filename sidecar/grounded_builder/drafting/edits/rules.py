"""Derives edits of a workflow from plain English requests by rules, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.text_cleaning import shorten_gaps
from grounded_builder.ir.editor import EditContext, Editor

_MOST_CLAUSES = 20
_LONGEST_REQUEST = 8_000
# The time of some rules grows with the third power of a clause.
_LONGEST_CLAUSE = 1_000
_VERB = (
    r"(?:add|insert|append|put|replace|swap|exchange|use|remove|delete|drop|disable|deactivate|"
    r"enable|activate|rename|set|change|switch|run|start|execute|schedule|trigger|notify|alert|turn|"
    r"mute|unmute|get rid|make)"
)
_CLAUSE = re.compile(
    rf"[;\n]+|\.(?:\s+|$)|(?:,\s*|\s+)(?:and then|then|and also|and)\s+(?=(?:please\s+)?{_VERB}\b)"
    rf"|,\s*(?=(?:please\s+)?{_VERB}\b)",
    re.IGNORECASE,
)
# A prefix without an action: the clause behind it has the action.
_LEADING = re.compile(rf"(?:after|before|when|if|whenever)\b(?!.*\b{_VERB}\b)", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:please|could you|can you|would you|now|also|i want to)\s+", re.IGNORECASE
)

_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
_OPENING = re.compile(r"^(?:the|a|an|my|our|another|all|any|every)\s+", re.IGNORECASE)
_CLOSING = re.compile(r"\s+(?:nodes?|steps?|one|notification|notifications)$", re.IGNORECASE)
_THIS = r"(?:it|this|that|everything|the\s+(?:whole\s+)?(?:workflow|automation|flow|thing))"

Drafted = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class TextEdits:
    """The drafted edits, and the parts of the request that no rule fits."""

    changes: tuple[dict[str, Any], ...]
    unplaced: tuple[str, ...]


def edits_from_text(request: str, document: Any, editor: Editor, ground: EditContext) -> TextEdits:
    """Drafts the edits that a request states in plain words.

    A clause of more than 1,000 characters fits no rule.
    """
    changes: Drafted = []
    unplaced = []
    for clause in _clauses(request):
        is_short = len(clause) <= _LONGEST_CLAUSE
        drafted = _draft_clause(clause, document, editor, ground) if is_short else None
        if drafted is None:
            unplaced.append(clause)
        else:
            changes += drafted
    return TextEdits(tuple(changes), tuple(unplaced))


def _clauses(request: str) -> list[str]:
    parts = (
        part.strip(" ,.:!")
        for part in _CLAUSE.split(shorten_gaps(request)[:_LONGEST_REQUEST])
        if part
    )
    clauses: list[str] = []
    for part in filter(None, parts):
        if clauses and _LEADING.match(clauses[-1]):
            clauses[-1] += f", {part}"
        else:
            clauses.append(_POLITE.sub("", part))
    return clauses[:_MOST_CLAUSES]


def _draft_clause(
    clause: str, document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    for pattern, draft in _RULES:
        match = pattern.match(clause)
        if match is not None:
            drafted = draft(match, document, editor, ground)
            if drafted is not None:
                return drafted
    return None


def _draft_alarm(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    tool = match["tool"]
    step = dict(editor.failure_notification(document, _strip_words(tool) if tool else None, ground))
    return [{"add": step, "on_error_of": "*"}]


def _draft_schedule(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    return editor.schedule_changes(document, match["when"], ground)


def _draft_rename(match: re.Match[str], *_: Any) -> Drafted | None:
    return [{"rename": _strip_words(match["node"]), "to": _unquote(match["to"])}]


def _draft_replacement(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    words, tool = _strip_words(match["node"]), _strip_words(match["tool"])
    nodes = editor.nodes_named(document, words, ground) or (words,)
    return [{"replace": node, "by": {"tool": tool}} for node in nodes]


def _draft_removal(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    return [{"remove": node} for node in _nodes_named(match["node"], document, editor, ground)]


def _draft_switch(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    word = match["verb"].casefold()
    verb = "enable" if word in ("enable", "activate", "turn on", "unmute") else "disable"
    return [{verb: node} for node in _nodes_named(match["node"], document, editor, ground)]


def _draft_values(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    node = _nodes_named(match["node"], document, editor, ground)
    value = _unquote(match["value"])
    return [
        {"set": name, "params": {_strip_words(match["param"]): _parse_value(value)}}
        for name in node
    ]


def _draft_addition(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    tool = _strip_words(match["tool"])
    step = {"tool": tool}
    inline = {"inline": True} if editor.gives_items(tool, ground) else {}
    groupdict = match.groupdict()
    if groupdict.get("first") and groupdict.get("second"):
        pair = [_strip_words(groupdict["first"]), _strip_words(groupdict["second"])]
        return [{"add": step, "between": pair}]
    node = groupdict.get("node")
    if node is None or _strip_words(node).casefold() in ("end", "last", "everything"):
        ends = editor.final_nodes(document, ground)
        # Several ends are ambiguous: the answer names the nodes to choose from.
        return [{"add": step, "after": ends[-1] if len(ends) == 1 else "the end"}]
    if groupdict["relation"].casefold() == "before":
        return [{"add": step, "before": _strip_words(node)}]
    return [{"add": step, "after": _strip_words(node), **inline}]


def _nodes_named(words: str, document: Any, editor: Editor, ground: EditContext) -> tuple[str, ...]:
    """Returns the nodes that words name: all nodes of a tool after "all", else the one named."""
    name = _strip_words(words)
    everyone = re.match(r"(?:all|every)\b", words.strip(), re.IGNORECASE)
    nodes = editor.nodes_named(document, name, ground)
    return nodes if nodes and (everyone or len(nodes) == 1) else (name,)


def _strip_words(words: str) -> str:
    """Returns words without quotes, articles, and words that only mark a node."""
    text = words.strip()
    if text[:1] in _QUOTES:
        return _unquote(text)
    return _unquote(_CLOSING.sub("", _OPENING.sub("", text)))


def _unquote(words: str) -> str:
    text = words.strip()
    closing = re.match(rf"[{_QUOTES}](.*)[{_QUOTES}](?:\s+(?:node|step))?$", text)
    return closing[1] if closing else text


def _parse_value(text: str) -> Any:
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return int(text) if re.fullmatch(r"-?\d{1,15}", text) else text


_Draft = Callable[..., Drafted | None]
_ALARM = r"(?:error|failure|failed run|exception)"
_BY = r"(?:by|via|through|with|using|to|in|on|over)"
_FAILS = r"(?:when|if|whenever|in case|as soon as|on)\s++.*\b(?:fail\w*|errors?|breaks?|crash\w*)\b"


def _make_rule(pattern: str, draft: _Draft) -> tuple[re.Pattern[str], _Draft]:
    return re.compile(pattern, re.IGNORECASE), draft


# The first rule that fits a clause and can be drafted is used.
_RULES: tuple[tuple[re.Pattern[str], _Draft], ...] = (
    _make_rule(
        rf"(?:add|create|set up|send|insert)\s++(?:me\s++)?(?:an?\s++)?{_ALARM}\s++"
        rf"(?:notification|alert|message|alarm|handler|handling|e-?mail|workflow)s?"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?$",
        _draft_alarm,
    ),
    _make_rule(
        rf"(?:add|create|set up|send|insert)\s++(?:an?\s++)?(?P<tool>[\w .'-]{{2,40}}?)\s++"
        rf"(?:notification|alert|message|alarm)s?\s++(?:{_FAILS}|(?:for|on|about)\s++{_ALARM}s?)$",
        _draft_alarm,
    ),
    _make_rule(
        rf"(?:notify|alert|tell|message|inform)\s++(?:me|us|the team)"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?\s++{_FAILS}$",
        _draft_alarm,
    ),
    _make_rule(
        rf"{_FAILS},?\s++(?:notify|alert|tell|message|inform)\s++(?:me|us|the team)"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?$",
        _draft_alarm,
    ),
    _make_rule(
        rf"(?:run|start|execute|trigger|schedule|make)\s++{_THIS}\s++(?:run\s++)?(?P<when>.+)$",
        _draft_schedule,
    ),
    _make_rule(
        r"(?:change|set|switch)\s++(?:the\s++)?(?:schedule|interval|trigger|timing)\s++to\s++(?P<when>.+)$",
        _draft_schedule,
    ),
    _make_rule(
        r"(?:run|start|execute|schedule)\s++(?P<when>(?:every|each|at|on|once|\w+ly)\b.*)$",
        _draft_schedule,
    ),
    _make_rule(
        r"(?P<when>(?:every|each)\s.+|hourly|daily|weekly|monthly|nightly)$", _draft_schedule
    ),
    _make_rule(r"rename\s++(?P<node>.+?)\s++(?:to|into|as)\s++(?P<to>.+)$", _draft_rename),
    _make_rule(r"use\s++(?P<tool>.+?)\s++instead\s++of\s++(?P<node>.+)$", _draft_replacement),
    _make_rule(
        r"(?:replace|swap|exchange|substitute)\s++(?:out\s++)?(?P<node>.+?)\s++(?:by|with|for)\s++"
        r"(?P<tool>.+)$",
        _draft_replacement,
    ),
    _make_rule(
        r"(?:change|switch|migrate)\s++(?:from\s++)(?P<node>.+?)\s++to\s++(?P<tool>.+)$",
        _draft_replacement,
    ),
    _make_rule(r"(?:remove|delete|drop|take out|get rid of)\s++(?P<node>.+)$", _draft_removal),
    _make_rule(
        r"(?P<verb>disable|deactivate|turn off|mute|enable|activate|turn on|unmute)\s++"
        r"(?P<node>.+)$",
        _draft_switch,
    ),
    _make_rule(
        r"set\s++(?P<node>[\"'\u201c].+?[\"'\u201d]|\S+)['\u2019]s\s++(?P<param>.+?)\s++to\s++"
        r"(?P<value>.+)$",
        _draft_values,
    ),
    _make_rule(
        r"(?:set|change)\s++(?:the\s++)?(?P<param>.+?)\s++(?:of|in|on|for)\s++(?P<node>.+?)\s++to\s++"
        r"(?P<value>.+)$",
        _draft_values,
    ),
    _make_rule(
        r"(?:add|insert|put|append)\s++(?P<tool>.+?)\s++between\s++(?P<first>.+?)\s++and\s++(?P<second>.+)$",
        _draft_addition,
    ),
    _make_rule(
        r"(?:add|insert|put|append)\s++(?P<tool>.+?)\s++(?:right\s++|directly\s++)?"
        r"(?P<relation>after|before|behind|following|at the)\s++(?P<node>.+)$",
        _draft_addition,
    ),
    _make_rule(
        r"(?P<relation>after|before)\s++(?P<node>.+?),?\s++(?:add|insert|put)\s++(?P<tool>.+)$",
        _draft_addition,
    ),
    _make_rule(r"(?:add|append)\s++(?P<tool>.+?)$", _draft_addition),
)
