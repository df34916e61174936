"""Judge whether a value that stands where a secret may is one."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from math import log2

_SHORTEST_SAID = 6
_SHORTEST_BARE = 8
_SHORTEST_RANDOM = 12
_LONGEST_LABEL = 24
_MIXED = re.compile(r"(?=.{0,400}?[A-Za-z])(?=.{0,400}?[0-9!@#%^~])")
# What people write in the place of a secret, or to say where one is kept.
_STAND_IN = re.compile(
    r"your|xxx|\*\*|\.\.\.|placeholder|change.?me|redacted|dummy|example|undefined|insert|enter"
    r"|provide|(?:^|[^a-z])(?:put|add)[^a-z]|\A[^<{\[]*[<{\[].*[>}\]]|https?:|^\$|\bsecrets\.|\benv\.",
    re.IGNORECASE | re.DOTALL,
)
# "API_KEY", "my password": the name of a secret in its place.
_NAME_OF_A_SECRET = re.compile(
    r"(?:[A-Za-z]{0,30}[ _-]){0,4}[A-Za-z]{0,20}(?:key|api|secret|password|pass|token)s?"
    r"(?:[ _-][A-Za-z]{0,30}){0,3}",
    re.IGNORECASE,
)
# Words joined by signs, with a figure at the end at most: names, versions, fields.
_NAME_OF_SOMETHING = re.compile(r"[A-Za-z]{0,40}(?:[-_./:][A-Za-z]{1,40}){0,12}[-_./:]?[0-9]{0,4}")


def is_drawn(secret: str) -> bool:
    """Returns whether a key that looks like one of a service may have been drawn by chance."""
    has_figure = any(character.isdigit() for character in secret)
    return has_figure and is_plain(secret) and not _NAME_OF_SOMETHING.fullmatch(secret)


def entropy(text: str) -> float:
    """Returns Shannon's entropy in bits a character, as gitleaks counts it."""
    counts = Counter(text)
    return -sum(n / len(text) * log2(n / len(text)) for n in counts.values()) if text else 0.0


def is_plain(value: str) -> bool:
    """Returns whether a value is no stand-in such as ``YOUR_KEY`` or ``<token>``."""
    return not _STAND_IN.search(value)


def is_unnamed(value: str) -> bool:
    """Returns whether a value is no stand-in, no host and no name such as ``API_KEY``."""
    return is_plain(value) and not _NAME_OF_A_SECRET.fullmatch(value) and not _is_host(value)


def is_basic(value: str) -> bool:
    """Returns whether a word after ``Basic`` is a user with a password, or looks drawn."""
    return _is_user_and_password(value) or is_random(value)


def is_random(value: str) -> bool:
    """Returns whether a value looks drawn.

    That is: long, with letters and several figures, neither a word nor a number nor a host.
    """
    figures = sum(character.isdigit() for character in value)
    is_long = len(value) >= _SHORTEST_RANDOM and figures >= 2 and figures < len(value)
    is_name = _NAME_OF_SOMETHING.fullmatch(value) or _is_host(value)
    return is_long and is_plain(value) and not is_name


def is_bare_secret(value: str) -> bool:
    """Returns whether a value that nothing joins to the name before it is a secret."""
    return (
        len(value) >= _SHORTEST_BARE
        and is_opaque(value)
        and any(character.isdigit() for character in value)
        and not _NAME_OF_SOMETHING.fullmatch(value)
        and not _is_host(value)
    )


def is_opaque(value: str) -> bool:
    """Returns whether no word looks like a value: letters beside figures or signs."""
    # Code says no by a mark before a name.
    word = value.rstrip(".!?").lstrip("!")
    return len(word) >= _SHORTEST_SAID and bool(_MIXED.match(word)) and not _STAND_IN.search(word)


def _is_host(value: str) -> bool:
    """Returns whether a value is the name of a host, in small letters."""
    *labels, top = value.removeprefix("=").strip().split(".")
    return (
        bool(labels)
        and len(top) > 1
        and top.isalpha()
        and value.islower()
        and all(
            0 < len(label) <= _LONGEST_LABEL
            and label.isascii()
            and label.replace("-", "").isalnum()
            and not label.startswith("-")
            for label in labels
        )
    )


def _is_user_and_password(text: str) -> bool:
    try:
        return b":" in base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
