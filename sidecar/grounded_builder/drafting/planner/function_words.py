"""Lists English grammar words, negations and limits, and recognizes finite verbs and negations.

The classes are the closed ones of Quirk, Greenbaum, Leech and Svartvik, A Comprehensive Grammar of
the English Language (1985), section 2.34: determiners, pronouns, auxiliaries, conjunctions and
prepositions. Members that narrow, deny or compare (not, only, until, than, between, other) are left
out of ``GRAMMAR`` on purpose: what they change must be read, or named as not read.
"""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DETERMINERS = _set("a an the this that these those my our your his her its their")
_PRONOUNS = _set(
    "i me you he him she it we us they them which who whose someone somebody something"
)
MODALS = _set("will would shall should can could may might must")
_AUXILIARIES = MODALS | _set("am is are was were be been being has have had having do does did")
_INFLECTED = ("s", "ed")
OBJECT_LEADS = (_DETERMINERS | _PRONOUNS) - _set("that which who whose i he she we they")
"""Words that begin the object of a verb."""
_CONJUNCTIONS = _set("and then so")
_PREPOSITIONS = _set("to into in on onto of from with at by for via through using")
_COURTESY = _set("please")
GRAMMAR = _DETERMINERS | _PRONOUNS | _AUXILIARIES | _CONJUNCTIONS | _PREPOSITIONS | _COURTESY
"""Words that a reading may pass over: they ask for nothing and change nothing."""

NEGATIONS = _set(
    "not no never without neither nor none nothing nobody cannot except unless until avoid hardly "
    "instead"
)
"""Words that deny or exempt; an apostrophe form (don't) ends in ``n't``."""
EXCEPTIONS = _set("unless except until")
CONDITIONALS = EXCEPTIONS | _set(
    "if otherwise else whether provided providing assuming supposing depending lest while whereas"
)
"""Words that make what their sentence asks for, and what follows it, depend on something."""

CHOICES = _set("or either rather than like")
"""Words that set one thing against another: which of the things they join is meant is open."""


def is_finite(word: str) -> bool:
    """Returns whether a folded word may state that something is, or has been, the case."""
    return word in _AUXILIARIES or (len(word) > 4 and word.endswith(_INFLECTED))


def is_negation(word: str) -> bool:
    """Returns whether a folded word denies or exempts something."""
    return word in NEGATIONS or word.endswith(("n't", "n\u2019t"))
