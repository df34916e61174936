"""Finds verbs such as "delete" in an operation, and checks that the request asks for them."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem

# The verbs with this effect among the first words of the names and descriptions of the 6,922
# operations of a workflow engine's own nodes, with their usual synonyms.
_DESTRUCTIVE = (
    "delete remove erase drop clear trash destroy purge truncate wipe flush archive unarchive "
    "cancel revoke reset ban kick"
)
_OTHERS = (
    "mark publish unpublish close disable deactivate stop terminate void leave lock unlink "
    "unsubscribe shutdown reject decline refund uninstall suspend block mute expire abort kill "
    "undo discard"
)
_GROUP = "delete"
# A step that waits for a person pauses the whole run.
_WAIT = "wait"
_WAITED_FOR = "wait approve approval confirm confirmation ask answer response feedback"


def _stem_all(verbs: str) -> frozenset[str]:
    return frozenset(stem(verb) for verb in verbs.split())


DESTRUCTIVE = _stem_all(_DESTRUCTIVE)
"""The stems of verbs that take away or stop something."""
_ASKS_TO_WAIT = _stem_all(_WAITED_FOR)
GUARDED = DESTRUCTIVE | _stem_all(f"{_OTHERS} {_WAIT}")
"""The stems of verbs that an operation needs a request to state."""


def guarded_stems(texts: Iterable[str]) -> frozenset[str]:
    """Returns the guarded stems among the words of an operation's name and values."""
    return frozenset(stem(word) for text in texts for word in split_identifier(text)) & GUARDED


def is_asked_for(guarded: Iterable[str], words: Iterable[str]) -> bool:
    """Returns whether every guarded stem occurs in the words, or a word of the same meaning."""
    stems = {stem(word) for word in words}
    deletes = any(_GROUP in synonym_groups(word) for word in stems)
    return all(
        verb in stems
        or (deletes and _GROUP in synonym_groups(verb))
        or (verb == _WAIT and bool(stems & _ASKS_TO_WAIT))
        for verb in guarded
    )
