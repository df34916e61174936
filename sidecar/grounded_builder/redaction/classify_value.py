"""Decides whether a value may be a secret: it looks random, and is no placeholder, host or word."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from math import log2

_MIN_OPAQUE_CHARS = 6
_MIN_BARE_CHARS = 8
_MIN_RANDOM_CHARS = 12
_MAX_LABEL_CHARS = 24
_MIXED = re.compile(r"(?=.{0,400}?[A-Za-z])(?=.{0,400}?[0-9!@#%^~])")
# Placeholders of secrets, and references to the place of one.
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
    """Returns whether a key in the form of a service's keys can be random."""
    has_figure = any(character.isdigit() for character in secret)
    return has_figure and is_plain(secret) and not _NAME_OF_SOMETHING.fullmatch(secret)


def entropy(text: str) -> float:
    """Returns Shannon's entropy in bits per character, as gitleaks computes it."""
    counts = Counter(text)
    return -sum(n / len(text) * log2(n / len(text)) for n in counts.values()) if text else 0.0


def is_plain(value: str) -> bool:
    """Returns whether a value is not a placeholder such as ``YOUR_KEY`` or ``<token>``."""
    return not _STAND_IN.search(value)


def is_unnamed(value: str) -> bool:
    """Returns whether a value is no placeholder, no host and no name such as ``API_KEY``."""
    return is_plain(value) and not _NAME_OF_A_SECRET.fullmatch(value) and not _is_host(value)


def is_basic(value: str) -> bool:
    """Returns whether the word after ``Basic`` is a user with a password, or looks random."""
    return _is_user_and_password(value) or is_random(value)


def is_random(value: str) -> bool:
    """Returns whether a value looks random.

    It is long, has letters and at least two digits, and is neither a word, a number nor a host.
    """
    figures = sum(character.isdigit() for character in value)
    is_long = len(value) >= _MIN_RANDOM_CHARS and figures >= 2 and figures < len(value)
    is_name = _NAME_OF_SOMETHING.fullmatch(value) or _is_host(value)
    return is_long and is_plain(value) and not is_name


def is_bare_secret(value: str) -> bool:
    """Returns whether a value after a name without a sign between them is a secret."""
    return (
        len(value) >= _MIN_BARE_CHARS
        and is_opaque(value)
        and any(character.isdigit() for character in value)
        and not _NAME_OF_SOMETHING.fullmatch(value)
        and not _is_host(value)
    )


def is_opaque(value: str) -> bool:
    """Returns whether a value is not a word: it has letters together with digits or signs."""
    # In code, "!" before a name negates it.
    word = value.rstrip(".!?").lstrip("!")
    return (
        len(word) >= _MIN_OPAQUE_CHARS and bool(_MIXED.match(word)) and not _STAND_IN.search(word)
    )


def _is_host(value: str) -> bool:
    """Returns whether a value is a host name in lower case."""
    *labels, top = value.removeprefix("=").strip().split(".")
    return (
        bool(labels)
        and len(top) > 1
        and top.isalpha()
        and value.islower()
        and all(
            0 < len(label) <= _MAX_LABEL_CHARS
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
