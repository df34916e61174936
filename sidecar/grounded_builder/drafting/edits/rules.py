"""Draft changes without a model: plain English requests, one rule for each kind of change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.sanitize import shorten_gaps
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
# What only says where or when: the clause behind it says what.
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
    """Changes as drafted, and the parts of the request that no rule fits."""

    changes: tuple[dict[str, Any], ...]
    unplaced: tuple[str, ...]


def edits_from_text(request: str, document: Any, editor: Editor, ground: EditContext) -> TextEdits:
    """Drafts the changes that a request asks for in plain words.

    A clause of more than 1,000 characters fits no rule.
    """
    changes: Drafted = []
    unplaced = []
    for clause in _clauses(request):
        is_short = len(clause) <= _LONGEST_CLAUSE
        drafted = _drafted(clause, document, editor, ground) if is_short else None
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


def _drafted(clause: str, document: Any, editor: Editor, ground: EditContext) -> Drafted | None:
    for pattern, draft in _RULES:
        match = pattern.match(clause)
        if match is not None:
            drafted = draft(match, document, editor, ground)
            if drafted is not None:
                return drafted
    return None


def _alarm(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    tool = match["tool"]
    step = dict(editor.failure_notification(document, _bare(tool) if tool else None, ground))
    return [{"add": step, "on_error_of": "*"}]


def _timed(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    return editor.schedule_changes(document, match["when"], ground)


def _renamed(match: re.Match[str], *_: Any) -> Drafted | None:
    return [{"rename": _bare(match["node"]), "to": _unquoted(match["to"])}]


def _replaced(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    words, tool = _bare(match["node"]), _bare(match["tool"])
    nodes = editor.nodes_named(document, words, ground) or (words,)
    return [{"replace": node, "by": {"tool": tool}} for node in nodes]


def _removed(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    return [{"remove": node} for node in _each(match["node"], document, editor, ground)]


def _switched(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    word = match["verb"].casefold()
    verb = "enable" if word in ("enable", "activate", "turn on", "unmute") else "disable"
    return [{verb: node} for node in _each(match["node"], document, editor, ground)]


def _set(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    node = _each(match["node"], document, editor, ground)
    value = _unquoted(match["value"])
    return [{"set": name, "params": {_bare(match["param"]): _valued(value)}} for name in node]


def _added(
    match: re.Match[str], document: Any, editor: Editor, ground: EditContext
) -> Drafted | None:
    tool = _bare(match["tool"])
    step = {"tool": tool}
    inline = {"inline": True} if editor.gives_items(tool, ground) else {}
    groupdict = match.groupdict()
    if groupdict.get("first") and groupdict.get("second"):
        pair = [_bare(groupdict["first"]), _bare(groupdict["second"])]
        return [{"add": step, "between": pair}]
    node = groupdict.get("node")
    if node is None or _bare(node).casefold() in ("end", "last", "everything"):
        ends = editor.final_nodes(document, ground)
        # Of several ends none is meant: the answer names the nodes to choose from.
        return [{"add": step, "after": ends[-1] if len(ends) == 1 else "the end"}]
    if groupdict["relation"].casefold() == "before":
        return [{"add": step, "before": _bare(node)}]
    return [{"add": step, "after": _bare(node), **inline}]


def _each(words: str, document: Any, editor: Editor, ground: EditContext) -> tuple[str, ...]:
    """Returns the nodes that words name: all of a tool where they say "all", else as they are
    written.
    """
    name = _bare(words)
    everyone = re.match(r"(?:all|every)\b", words.strip(), re.IGNORECASE)
    results = editor.nodes_named(document, name, ground)
    return results if results and (everyone or len(results) == 1) else (name,)


def _bare(words: str) -> str:
    """Returns words without quotes, articles, and what says only that a node is meant."""
    text = words.strip()
    if text[:1] in _QUOTES:
        return _unquoted(text)
    return _unquoted(_CLOSING.sub("", _OPENING.sub("", text)))


def _unquoted(words: str) -> str:
    text = words.strip()
    closing = re.match(rf"[{_QUOTES}](.*)[{_QUOTES}](?:\s+(?:node|step))?$", text)
    return closing[1] if closing else text


def _valued(text: str) -> Any:
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return int(text) if re.fullmatch(r"-?\d{1,15}", text) else text


_Draft = Callable[..., Drafted | None]
_ALARM = r"(?:error|failure|failed run|exception)"
_BY = r"(?:by|via|through|with|using|to|in|on|over)"
_FAILS = r"(?:when|if|whenever|in case|as soon as|on)\s++.*\b(?:fail\w*|errors?|breaks?|crash\w*)\b"


def _rule(pattern: str, draft: _Draft) -> tuple[re.Pattern[str], _Draft]:
    return re.compile(pattern, re.IGNORECASE), draft


# The first that fits a clause, and can be drafted, is taken.
_RULES: tuple[tuple[re.Pattern[str], _Draft], ...] = (
    _rule(
        rf"(?:add|create|set up|send|insert)\s++(?:me\s++)?(?:an?\s++)?{_ALARM}\s++"
        rf"(?:notification|alert|message|alarm|handler|handling|e-?mail|workflow)s?"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?$",
        _alarm,
    ),
    _rule(
        rf"(?:add|create|set up|send|insert)\s++(?:an?\s++)?(?P<tool>[\w .'-]{{2,40}}?)\s++"
        rf"(?:notification|alert|message|alarm)s?\s++(?:{_FAILS}|(?:for|on|about)\s++{_ALARM}s?)$",
        _alarm,
    ),
    _rule(
        rf"(?:notify|alert|tell|message|inform)\s++(?:me|us|the team)"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?\s++{_FAILS}$",
        _alarm,
    ),
    _rule(
        rf"{_FAILS},?\s++(?:notify|alert|tell|message|inform)\s++(?:me|us|the team)"
        rf"(?:\s++{_BY}\s++(?P<tool>.+?))?$",
        _alarm,
    ),
    _rule(
        rf"(?:run|start|execute|trigger|schedule|make)\s++{_THIS}\s++(?:run\s++)?(?P<when>.+)$",
        _timed,
    ),
    _rule(
        r"(?:change|set|switch)\s++(?:the\s++)?(?:schedule|interval|trigger|timing)\s++to\s++(?P<when>.+)$",
        _timed,
    ),
    _rule(
        r"(?:run|start|execute|schedule)\s++(?P<when>(?:every|each|at|on|once|\w+ly)\b.*)$", _timed
    ),
    _rule(r"(?P<when>(?:every|each)\s.+|hourly|daily|weekly|monthly|nightly)$", _timed),
    _rule(r"rename\s++(?P<node>.+?)\s++(?:to|into|as)\s++(?P<to>.+)$", _renamed),
    _rule(r"use\s++(?P<tool>.+?)\s++instead\s++of\s++(?P<node>.+)$", _replaced),
    _rule(
        r"(?:replace|swap|exchange|substitute)\s++(?:out\s++)?(?P<node>.+?)\s++(?:by|with|for)\s++"
        r"(?P<tool>.+)$",
        _replaced,
    ),
    _rule(
        r"(?:change|switch|migrate)\s++(?:from\s++)(?P<node>.+?)\s++to\s++(?P<tool>.+)$", _replaced
    ),
    _rule(r"(?:remove|delete|drop|take out|get rid of)\s++(?P<node>.+)$", _removed),
    _rule(
        r"(?P<verb>disable|deactivate|turn off|mute|enable|activate|turn on|unmute)\s++"
        r"(?P<node>.+)$",
        _switched,
    ),
    _rule(
        r"set\s++(?P<node>[\"'\u201c].+?[\"'\u201d]|\S+)['\u2019]s\s++(?P<param>.+?)\s++to\s++"
        r"(?P<value>.+)$",
        _set,
    ),
    _rule(
        r"(?:set|change)\s++(?:the\s++)?(?P<param>.+?)\s++(?:of|in|on|for)\s++(?P<node>.+?)\s++to\s++"
        r"(?P<value>.+)$",
        _set,
    ),
    _rule(
        r"(?:add|insert|put|append)\s++(?P<tool>.+?)\s++between\s++(?P<first>.+?)\s++and\s++(?P<second>.+)$",
        _added,
    ),
    _rule(
        r"(?:add|insert|put|append)\s++(?P<tool>.+?)\s++(?:right\s++|directly\s++)?"
        r"(?P<relation>after|before|behind|following|at the)\s++(?P<node>.+)$",
        _added,
    ),
    _rule(
        r"(?P<relation>after|before)\s++(?P<node>.+?),?\s++(?:add|insert|put)\s++(?P<tool>.+)$",
        _added,
    ),
    _rule(r"(?:add|append)\s++(?P<tool>.+?)$", _added),
)
