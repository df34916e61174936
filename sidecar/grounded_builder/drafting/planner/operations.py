"""Chooses a tool's operation or event for the words of a clause, and classifies operations.

An operation has the verb of the clause and its object; an event has what happened and to what.
Where several operations fit alike, the one that the tool has by default is chosen if it writes,
else none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from grounded_builder.catalog.guarded_verbs import DESTRUCTIVE
from grounded_builder.catalog.synonyms import ARRIVALS, VERBS, is_bare_verb, is_verb, synonym_groups
from grounded_builder.catalog.tokenize import singular, split_identifier, stem
from grounded_builder.catalog.tool import Operation
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import Word

# Verbs of these groups stand for one another. All others, those that delete, archive, mark and
# publish among them, mean an operation that has the very verb.
_INTERCHANGEABLE = frozenset(
    {"send", "create", "read", "upload", "download", "search", "update", "reply"}
)
_GUARDED = DESTRUCTIVE | {stem(verb) for verb in ("mark", "publish", "unpublish")}
"""What an operation does only where the request has the very verb."""
_WRITING = frozenset(
    {"send", "create", "upload", "update", "delete", "reply", "execute", "copy", "generate"}
)
# What is carried to a place is made there, and read where it is from.
_CARRYING_TO = frozenset({"send", "create", "upload", "copy"})
_CARRYING_FROM = _CARRYING_TO | {"read", "download"}
_MAKING = frozenset(stem(verb) for verb in ("create", "make", "new", "generate"))
_PREPOSITIONS = frozenset("to into in on onto of from with at by for via as and".split())
_DISTINCT = frozenset(
    stem(verb) for verb in "publish share push broadcast clear drop set patch".split()
)
"""Verbs that stand for no other verb, and no other verb for them."""
_NARROW = frozenset(stem(verb) for verb in ("append", "rename", "upsert"))
"""Verbs with a narrower meaning than their group: no other verb of the group replaces them."""
_CANDIDATES = 4
_MOST_LACKING = 2
"""How many words of an operation's name the request may leave out."""
NEW = frozenset({"new", "incoming", "time"})
"""Words before a thing that make it an event."""
_NOUNS = frozenset({"mail", "sheet", "row", "file"})
_SEVERAL = frozenset({"all", "both", "many", "several", "multiple"})
_EACH = frozenset({"every", "each"})
_TALKING = frozenset({"send", "reply"})
"""Verbs of communication can have any object: "post the totals" posts a message."""
_VERB_ALONE = 2.0
"""The rank of an operation that shares no more than its verb with a clause."""
_QUANTITY = frozenset({"many", "all", "or", "s", "new", "existing", "return", "returns"})
_GENERIC = frozenset({"data", "info", "information", "details"})
"""Nouns that add nothing to the object of an operation: weather data."""


@dataclass(frozen=True, slots=True)
class Service:
    """How a clause names a tool: the stems of its name, and what it does where nothing is set.

    ``is_place`` is true if something is put there or taken from there, as in "add it to Sheets":
    then its own name is no object of an operation. ``is_action_word`` recognizes words for what
    any tool does. ``places`` are words that state where something else is put or taken from: they
    are no object.
    """

    stems: frozenset[str] = frozenset()
    usual: Sequence[Operation] = ()
    is_place: bool = False
    is_action_word: Callable[[str], bool] = is_verb
    places: frozenset[Word] = frozenset()


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
    has_object: bool


def choose_operation(
    operations: Sequence[Operation], words: Sequence[Word], service: Service
) -> Chosen | None:
    """Returns the one operation that words ask for, the first of them the verb; None without one.

    Where the words name the object of no operation, or of several, the usual operation is chosen
    if it fits.
    """
    if not words or _is_third_person(words[0].folded_text):
        return None
    verb = words[0]
    fits = [fit for o in operations if (fit := _fit(o, words, service, verb)) is not None]
    named = [fit for fit in fits if fit.has_object]
    if named:
        best = max(fit.rank for fit in named)
        fits = [fit for fit in named if fit.rank == best]
    elif stem(verb.folded_text) in _MAKING and len(words) > 1:
        return None  # what is to be made is nothing that the tool makes
    elif len(operations) > 1 and _has_object(words, service):
        most = max((fit.rank[0] for fit in fits), default=0.0)
        fits = [fit for fit in fits if fit.rank[0] == most > _VERB_ALONE]
    else:
        fits = [fit for fit in fits if not any(_says_less(other, fit) for other in fits)]
    chosen = [fit.chosen for fit in fits if len(fit.chosen.lacks) <= _MOST_LACKING]
    is_sure = named or (chosen and len(chosen[0].lacks) <= 1)
    if chosen and is_sure and all(other.params == chosen[0].params for other in chosen):
        return chosen[0]
    # What is read by default may be one thing of many, or another thing than the one asked for.
    usual = [operation.params for operation in service.usual if is_writing(operation)]
    return next((other for other in chosen if other.params in usual), None)


def choose_event(
    operations: Iterable[Operation], words: Sequence[Word], service: Service
) -> Chosen | None:
    """Returns the one event of a trigger that words state; its verb may be implied (a new row)."""
    fits = [fit for o in operations if (fit := _fit(o, words, service, None)) is not None]
    best = max((fit.rank for fit in fits), default=None)
    winners = [fit.chosen for fit in fits if fit.rank == best]
    if not winners or any(winner.params != winners[0].params for winner in winners):
        return None
    chosen = _with_arrival(winners[0], words)
    happened = [w for w in words if w.folded_text.endswith("ed") or is_verb(w.folded_text)]
    if any(w.folded_text.endswith("ing") and w.folded_text not in NEW for w in happened):
        return None  # "after creating": something to be done
    if any(w not in chosen.words and stem(w.folded_text) not in service.stems for w in happened):
        return None  # something else happened than the event that its nouns name
    return chosen


def has_verb(operations: Iterable[Operation], verb: Word) -> bool:
    """Returns whether any operation has the meaning of a verb."""
    return any(_likeness(verb.folded_text, split_identifier(o.name)[:1]) for o in operations)


def find_carried_verb(word: Word, *, to: bool) -> Word | None:
    """Returns the verb of what a carrying verb does at the place that it carries to or from."""
    carrying = _CARRYING_TO if to else _CARRYING_FROM
    verb = stem(word.folded_text)
    if verb in _GUARDED or not synonym_groups(verb) & carrying:
        return None
    return Word("create" if to else "get", word.start, word.end)


def is_destructive(operation: Operation) -> bool:
    """Returns whether an operation takes away or stops something, by its name or its parameters."""
    texts = [operation.name, *(t for value in operation.params.values() for t in _texts(value))]
    return any(stem(part) in DESTRUCTIVE for text in texts for part in split_identifier(text))


def is_writing(operation: Operation) -> bool:
    """Returns whether an operation may change anything; one whose verb is not known may."""
    verb = stem(next(iter(split_identifier(operation.name)), ""))
    groups = synonym_groups(verb)
    return not groups or bool(groups & _WRITING) or is_destructive(operation)


def name_likely(operations: Iterable[Operation], words: Iterable[Word]) -> str:
    """Returns the names of the operations or events that words may mean, the likeliest first."""
    asked = {stem(word.folded_text) for word in words}
    names = list(dict.fromkeys(operation.name for operation in operations))
    names.sort(key=lambda name: -sum(stem(part) in asked for part in split_identifier(name)))
    left = len(names) - _CANDIDATES
    more = f" or {left} other{'s' if left > 1 else ''}" if left > 0 else ""
    return ", ".join(f'"{name}"' for name in names[:_CANDIDATES]) + more


def object_of(name: str) -> str:
    """Returns the noun that an operation is of: the row of "append row in sheet"."""
    return _object_and_place(name)[0]


def _is_third_person(word: str) -> bool:
    """Returns whether a word is what somebody else does: "Slack gets" asks for no reading."""
    return word.endswith("s") and is_bare_verb(word[:-1])


def _has_object(words: Sequence[Word], service: Service) -> bool:
    """Returns whether a clause has an object, of which an operation must have a word."""
    verb, *others = words
    objects = [word for word in others if word not in service.places]
    is_talk = bool(synonym_groups(stem(verb.folded_text)) & _TALKING)
    return not is_talk and any(word.folded_text not in _QUANTITY | _SEVERAL for word in objects)


def _says_less(fit: _Fit, other: _Fit) -> bool:
    """Returns whether an operation does no more than a part of what another one does."""
    parts, others = set(_content(fit.chosen.name)), set(_content(other.chosen.name))
    return parts < others or (parts == others and fit.rank[2] > other.rank[2])


def _with_arrival(chosen: Chosen, words: Sequence[Word]) -> Chosen:
    """Returns an event with the words that state only that something is new.

    Only of an event that is of something new, or of a message, which is new whenever it is sent.
    """
    parts = {stem(part) for part in _content(chosen.name)}
    is_message = any("mail" in synonym_groups(stem(word.folded_text)) for word in chosen.words)
    if not (parts & ARRIVALS or (is_message and len(parts) == 1)):
        return chosen
    coming = [word for word in words if stem(word.folded_text) in ARRIVALS]
    lacks = tuple(part for part in chosen.lacks if stem(part) not in ARRIVALS)
    return Chosen(chosen.params, (*chosen.words, *coming), lacks, chosen.name)


def _fit(
    operation: Operation, words: Sequence[Word], service: Service, verb: Word | None
) -> _Fit | None:
    """Returns how an operation fits the words of a clause; without a verb it is an event."""
    values = [text for value in operation.params.values() for text in _texts(value)]
    names = [_content(operation.name), [part for value in values for part in _content(value)]]
    known = {part for name in names for part in name} | _GENERIC & {*_parts(operation.name)}
    head, place = _object_and_place(operation.name)
    if _is_stated(head, service.places) and not _is_stated(
        head, [word for word in words if word not in service.places]
    ):
        return None  # "save the report to a bucket" makes no bucket
    if _does_more(operation.name, names, words, service, is_event=verb is None):
        return None
    scores = ((w, _likeness(w.folded_text, known, is_event=verb is None)) for w in words)
    matched = {word: score for word, score in scores if score}
    own = _own_verbs(operation.name, names[0], values)
    if verb is not None:
        matched[verb] = _likeness(verb.folded_text, own)
    if not matched or (verb is not None and not _likeness(verb.folded_text, own)):
        return None
    lacks = min(
        (_unmatched_words(name, matched, service.stems, own) for name in names if name), key=len
    )
    is_either = "(s)" in operation.name
    plural = sum(_is_other_number(w.folded_text, names[0]) for w in matched) * (not is_either)
    reads_one = not (is_either or {"all", "many"} & {*_parts(operation.name)})
    if verb is not None and reads_one and not is_writing(operation) and _wants_many(words, head):
        return None
    # Of operations that fit alike, the one that sets least.
    rank = (sum(matched.values()), -len(lacks) - plural, -len(operation.params))
    has_object = not head or _is_stated(head, words)
    has_object |= bool(place & service.stems) if service.is_place else stem(head) in service.stems
    if plural:
        lacks = [*lacks, "in the other number"]
    if not has_object and verb is not None:
        matched = {word: score for word, score in matched.items() if word == verb}
    chosen = Chosen(operation.params, tuple(matched), tuple(lacks), operation.name)
    return _Fit(rank, chosen, has_object)


def _does_more(
    text: str,
    names: Iterable[Iterable[str]],
    words: Sequence[Word],
    service: Service,
    *,
    is_event: bool,
) -> bool:
    """Returns whether an operation does what words do not ask for.

    It deletes, archives, marks or publishes, or it does two things.
    """
    asked = {_plain_stem(word.folded_text) for word in words}
    if any(stem(part) in _GUARDED and _plain_stem(part) not in asked for n in names for part in n):
        return True
    second = [behind for part, behind in pairwise(_parts(text)) if part == "and"]
    return not is_event and any(
        service.is_action_word(part) and _plain_stem(part) not in asked for part in second
    )


def _own_verbs(name: str, content: Sequence[str], values: Sequence[str]) -> set[str]:
    """Returns the words that may be the verb of an operation, by its name and its last value."""
    own = {*content[:1]}
    own |= {part for part in _content(values[-1])[:1] if is_bare_verb(part)} if values else set()
    return own | ({"get"} if _parts(name)[:1] in (("return",), ("returns",)) else set())


def _wants_many(words: Sequence[Word], noun: str) -> bool:
    """Returns whether words ask for more than one thing of a noun in the singular."""
    return singular(noun) == noun and (
        any(word.folded_text in _EACH for word in words[1:2])
        or any(w.folded_text in _SEVERAL or _is_other_number(w.folded_text, [noun]) for w in words)
    )


def _object_and_place(name: str) -> tuple[str, frozenset[str]]:
    """Returns the noun that an operation's object ends with, and the stems of where it is done.

    Of "append row in sheet" the row and the sheet.
    """
    _, *rest = _parts(name) or ("",)
    end = next((at for at, part in enumerate(rest) if at and part in _PREPOSITIONS), len(rest))
    nouns = [part for part in rest[:end] if part not in GRAMMAR | _QUANTITY | _GENERIC]
    return nouns[-1] if nouns else "", frozenset(map(stem, rest[end:]))


def _is_stated(noun: str, words: Iterable[Word]) -> bool:
    groups = synonym_groups(stem(noun)) & _NOUNS
    return any(
        stem(noun) == stem(word.folded_text) or groups & synonym_groups(stem(word.folded_text))
        for word in words
    )


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(split_identifier(text))


def _content(text: str) -> list[str]:
    return [part for part in _parts(text) if part not in GRAMMAR | _QUANTITY | _GENERIC]


def _plain_stem(word: str) -> str:
    """Returns a stem in which "cancelled" and "canceled" are one word."""
    return stem(word).replace("ll", "l")


def _likeness(word: str, known: Iterable[str], *, is_event: bool = False) -> float:
    """Returns 2 for a word of an operation's name, 1 for one that stands for it, else 0."""
    own = stem(word)
    best = 0.0
    for other in known:
        if _plain_stem(other) == _plain_stem(word):
            return 2.0
        if is_event and own in ARRIVALS and stem(other) in ARRIVALS:
            best = 1.0
        shared = synonym_groups(own) & synonym_groups(stem(other))
        is_narrow = own in _NARROW or {own, stem(other)} & _DISTINCT
        if shared & _NOUNS or (shared & _INTERCHANGEABLE and not is_narrow):
            best = 1.0
    return best


def _unmatched_words(
    name: Sequence[str], matched: Iterable[Word], context: frozenset[str], own: set[str]
) -> list[str]:
    """Returns the words of a name that no word of the clause stands for.

    A verb that stands for another one does so for what the operation does, not for its object.
    """
    left = []
    for part in name:
        likes = [_likeness(word.folded_text, [part]) for word in matched]
        groups = synonym_groups(stem(part)) & _NOUNS
        is_meant = any(groups & synonym_groups(stem(word.folded_text)) for word in matched)
        least = 1.0 if part in own else 2.0
        if stem(part) not in context and not is_meant and max(likes, default=0.0) < least:
            left.append(part)
    return left


def _is_other_number(word: str, known: Iterable[str]) -> bool:
    """Returns whether a noun stands in the other number in an operation's name."""
    if synonym_groups(stem(word)) & VERBS:
        return False
    groups = synonym_groups(stem(word)) & _NOUNS
    forms = {
        other
        for other in known
        if singular(other) == singular(word) or groups & synonym_groups(stem(other))
    }
    is_plural = singular(word) != word
    return bool(forms) and all((singular(form) != form) != is_plural for form in forms)
