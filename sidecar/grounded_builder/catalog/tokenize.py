"""Splits text into lower-case words, stems words, and lists words that name no tool."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONGEST_TEXT = 2_000

# An acronym is a part of its own before a capitalised word (HTTPRequest: http, request). Digits
# belong to the letters before them (S3, base64).
_SMALL = r"[^\W\d_A-Z]+\d*"
_PART = re.compile(rf"[A-Z]+(?=[A-Z][^\W\d_A-Z])|[A-Z]?{_SMALL}|[A-Z]+\d*|\d+|[^\W_]+")
_OTHER_LETTER = r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]"
_SCRIPT_CHANGE = re.compile(
    rf"(?<=[A-Za-z0-9])(?={_OTHER_LETTER})|(?<={_OTHER_LETTER})(?=[A-Za-z0-9])"
)
_CHUNK = re.compile(r"[^\W_]+", re.UNICODE)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of a request that carry structure, not meaning.
STOP = _set(
    "a an the to from in into on onto of for with by at as and or via using use then this that "
    "these those it its my our your all any each some every me i we you is are be if when"
)

# Words that mean "a piece of software" without naming one.
GENERIC_NOUNS = _set(
    "node block tool step action api app application bot service integration connector "
    "client plugin module component operation function account db"
)

# Words by which the name of a step shows that it is a trigger.
STARTERS = _set("trigger triggered when whenever on watch listen start starts")

# Words that name either an event or something to create.
MAYBE_STARTERS = _set("new incoming received receive event updated created")


def split_identifier(text: str) -> tuple[str, ...]:
    """Returns the folded words of a text, with camel case and joined words split."""
    return tuple(part for chunk in split_chunks(text) for part in chunk)


@lru_cache(4096)
def split_chunks(text: str) -> tuple[tuple[str, ...], ...]:
    """Returns the words of a text, each as its parts: ``GoogleDrive x`` has two chunks."""
    return tuple(
        tuple(part.casefold() for part in _PART.findall(chunk))
        for chunk in _CHUNK.findall(normalize_text(text))
    )


def separate_scripts(text: str) -> str:
    """Returns a text with a space where Latin letters touch those of another script.

    Scripts without spaces, and particles, join words to names: "Slack频道", "Gmailに".
    """
    return text if text.isascii() else _SCRIPT_CHANGE.sub(" ", text)


def normalize_text(text: str) -> str:
    """Returns a text in NFKC without invisible characters, cut to 2,000 characters."""
    text = text[:LONGEST_TEXT]
    if text.isascii() and text.isprintable():
        return text  # has neither: most names of a catalog
    normalized = unicodedata.normalize("NFKC", text)
    return "".join(
        c for c in normalized if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace()
    )


@lru_cache(65_536)
def singular(word: str) -> str:
    """Returns a word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(65_536)
def stem(word: str) -> str:
    """Returns a word without plural, ``-ing``, ``-ed`` and a final ``e``."""
    word = singular(word)
    for ending in ("ing", "ed"):
        if len(word) >= len(ending) + 4 and word.endswith(ending):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) >= 5 and word.endswith("e") else word
