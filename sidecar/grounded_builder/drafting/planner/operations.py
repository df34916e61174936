"""Choose the operation of a tool that the words of a clause ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.tokenize import (
    VERBS,
    singular,
    split_identifier,
    stem,
    synonym_groups,
)
from grounded_builder.catalog.tool import Operation
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import Word

# Verbs of these groups stand for one another. All others, those that delete, archive, mark and
# publish among them, mean an operation that has the very verb.
_INTERCHANGEABLE = frozenset(
    {"send", "create", "read", "upload", "download", "search", "update", "reply"}
)
_DESTRUCTIVE = frozenset(
    stem(verb)
    for verb in "delete remove erase drop clear trash destroy purge truncate wipe flush archive "
    "unarchive cancel revoke reset ban kick".split()
)
_GUARDED = _DESTRUCTIVE | {stem(verb) for verb in ("mark", "publish", "unpublish")}
"""What an operation does only where the request has the very verb."""
_WRITING = frozenset(
    {"send", "create", "upload", "update", "delete", "reply", "execute", "copy", "generate"}
)
_PREPOSITIONS = frozenset("to into in on onto of from with at by for via as and".split())
_LITERAL = frozenset({"publish", "share", "push", "broadcast", "clear", "drop", "set", "patch"})
# What stands for one another in an event: that something is new, or has come.
_COMING = frozenset(
    stem(word)
    for word in "new incoming add added create created receive received arrive arrives come comes "
    "post posted append insert submit submitted submission".split()
)
_NOUNS = frozenset({"mail", "sheet", "row", "file"})
_QUANTITY = frozenset({"many", "all", "or", "s", "new", "existing", "return", "returns"})


@dataclass(frozen=True, slots=True)
class Chosen:
    """An operation, the words of a clause that ask for it, and what of its name they leave out."""

    params: Mapping[str, Any]
    words: tuple[Word, ...]
    lacks: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class _Fit:
    rank: tuple[float, float, int]
    chosen: Chosen


def operation_of(
    operations: Iterable[Operation],
    words: Sequence[Word],
    context: Iterable[str] = (),
    *,
    event: bool = False,
) -> Chosen | None:
    """Returns the one operation that fits the words of a clause best; None where none or several.

    ``context`` are words that name the tool itself. An operation fits that has the verb
    with which the clause begins; with ``event`` it is the event of a trigger, whose verb may be
    implied (a new message).
    """
    fits = []
    for operation in operations:
        fit = _fit(operation, words, frozenset(map(stem, context)), event=event)
        if fit is not None:
            fits.append(fit)
    if not fits:
        return None
    best = max(fit.rank for fit in fits)
    winners = [fit.chosen for fit in fits if fit.rank == best]
    if any(winner.params != winners[0].params for winner in winners):
        return None
    return _with_coming(winners[0], words) if event else winners[0]


def is_destructive(operation: Operation) -> bool:
    """Returns whether an operation takes away or stops something, by its name or its parameters."""
    texts = [operation.name, *(t for value in operation.params.values() for t in _texts(value))]
    return any(stem(part) in _DESTRUCTIVE for text in texts for part in split_identifier(text))


def is_writing(operation: Operation) -> bool:
    """Returns whether an operation may change anything; one whose verb is not known may."""
    verb = stem(next(iter(split_identifier(operation.name)), ""))
    groups = synonym_groups(verb)
    return not groups or bool(groups & _WRITING) or is_destructive(operation)


def _with_coming(chosen: Chosen, words: Sequence[Word]) -> Chosen:
    """Returns an event with the words that say no more than that something is new.

    Only of an event that is of something new, or of a message, which is new whenever it is sent.
    """
    parts = {stem(part) for part in _content(chosen.name)}
    is_message = any("mail" in synonym_groups(stem(word.folded)) for word in chosen.words)
    if not (parts & _COMING or (is_message and len(parts) == 1)):
        return chosen
    coming = [word for word in words if stem(word.folded) in _COMING]
    lacks = tuple(part for part in chosen.lacks if stem(part) not in _COMING)
    return Chosen(chosen.params, (*chosen.words, *coming), lacks, chosen.name)


def _fit(
    operation: Operation,
    words: Sequence[Word],
    context: frozenset[str],
    *,
    event: bool,
) -> _Fit | None:
    names = [_content(operation.name)]
    values = [text for value in operation.params.values() for text in _texts(value)]
    names.append([part for value in values for part in _content(value)])
    known = {part for name in names for part in name}
    matched = {
        word: score for word in words if (score := _likeness(word.folded, known, event=event))
    }
    own = {part for name in (names[0], _content(values[-1]) if values else ()) for part in name[:1]}
    asked = {stem(word.folded) for word in words}
    if any(stem(part) in _GUARDED - asked for name in names for part in name):
        return None
    if not event and not _likeness(words[0].folded, own):
        return None
    if not matched:
        return None
    lacks = min((_left(name, matched, context, own) for name in names if name), key=len)
    either = "(s)" in operation.name
    plural = 0 if either else sum(_is_other_number(word.folded, names[0]) for word in matched)
    # Of operations that fit alike, the one that sets least.
    rank = (sum(matched.values()), -len(lacks) - plural, -len(operation.params))
    head = _head(operation.name)
    if not event and head and stem(head) not in context and not _is_said(head, words):
        # Nouns of a name whose own object is not said may be those of a destination.
        verbs = [score for word, score in matched.items() if _likeness(word.folded, own)]
        rank = (sum(verbs), -len(lacks) - plural - len(matched) + len(verbs), rank[2])
    if plural:
        lacks = [*lacks, "in the other number"]
    return _Fit(rank, Chosen(operation.params, tuple(matched), tuple(lacks), operation.name))


def _head(name: str) -> str:
    """Returns the noun that an operation's object ends with: the row of "append row in sheet"."""
    _, *rest = split_identifier(name) or ("",)
    end = next((at for at, part in enumerate(rest) if at and part in _PREPOSITIONS), len(rest))
    nouns = [part for part in rest[:end] if part not in GRAMMAR and part not in _QUANTITY]
    return nouns[-1] if nouns else ""


def _is_said(noun: str, words: Iterable[Word]) -> bool:
    groups = synonym_groups(stem(noun)) & _NOUNS
    return any(
        stem(noun) == stem(word.folded) or groups & synonym_groups(stem(word.folded))
        for word in words
    )


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _content(text: str) -> list[str]:
    parts = split_identifier(text)
    return [part for part in parts if part not in GRAMMAR and part not in _QUANTITY]


def _likeness(word: str, known: Iterable[str], *, event: bool = False) -> float:
    """Returns 2 for a word of an operation's name, 1 for one that stands for it, else 0."""
    own = stem(word)
    best = 0.0
    for other in known:
        if stem(other) == own:
            return 2.0
        if event and own in _COMING and stem(other) in _COMING:
            best = 1.0
        shared = synonym_groups(own) & synonym_groups(stem(other))
        if shared & _NOUNS:
            best = 1.0
        literal = {own, stem(other)} & {stem(verb) for verb in _LITERAL}
        if shared & _INTERCHANGEABLE and not literal:
            best = 1.0
    return best


def _left(
    name: Sequence[str], matched: Iterable[Word], context: frozenset[str], own: set[str]
) -> list[str]:
    """Returns the words of a name that no word of the clause stands for.

    A verb that stands for another one does so for what the operation does, not for its object.
    """
    left = []
    for part in name:
        likes = [_likeness(word.folded, [part]) for word in matched]
        groups = synonym_groups(stem(part)) & _NOUNS
        is_meant = any(groups & synonym_groups(stem(word.folded)) for word in matched)
        least = 1.0 if part in own else 2.0
        if stem(part) not in context and not is_meant and max(likes, default=0.0) < least:
            left.append(part)
    return left


def _is_other_number(word: str, known: Iterable[str]) -> bool:
    """Returns whether a noun stands in the other number in an operation's name."""
    if synonym_groups(stem(word)) & VERBS:
        return False
    forms = {other for other in known if singular(other) == singular(word)}
    return bool(forms) and word not in forms
