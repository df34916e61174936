"""Removes secrets from texts for training; removes too much rather than too little."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from grounded_builder.redaction.find_secrets import find_secrets
from grounded_builder.redaction.redact import (
    SecretPattern,
    iter_secrets,
    replace_secrets,
    strip_expressions,
)

# A name whose value is a secret; counts such as maxTokens are numbers and stay.
_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)?$|pwd$|secret|token$|api[-_ ]?key|^key$|access[-_ ]?key"
    r"|^authorization$|^x-.*(?:key|auth|token)|cookie|private[-_ ]?key|signature|bearer",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?i:pass(?:word|phrase|code)?|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|bearer|key)"
    r"(?:\s*[:=]\s*|\s+is\s+|\s+(?=[\"'`]))[\"'`]?([^\s\"'`,;]+)"
)
_SCHEME = re.compile(r"(?i:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})")
# The prefixes of service keys.
_KNOWN = re.compile(
    r"\b(?:sk-|sk_|pk_|rk_|xox[a-z]-|xapp-|gh[opsu]_|github_pat_|glpat-|AKIA|ASIA|AIza|ya29\.|eyJ"
    r"|SG\.|shpat_|npm_|pypi-|hf_)[A-Za-z0-9_.+/=-]{8,}"
)
# Letters and digits mixed in one long word: an opaque id that may be a secret.
_OPAQUE = re.compile(r"[A-Za-z0-9]{16,}")
_FEWEST = 3


def secrets_in(value: Any) -> Iterator[str]:
    """Returns the secrets in a JSON value."""
    return iter_secrets(_ANY, value)


def secrets_in_text(text: str) -> Iterator[str]:
    """Yields the secrets in a text: those removed from requests, and anything that may
    be a secret.
    """
    yield from find_secrets(text)
    for pattern in (_SAID, _SCHEME):
        yield from (match for match in pattern.findall(text) if not match.startswith("{{"))
    yield from _KNOWN.findall(text)
    for word in _OPAQUE.findall(text):
        digits = sum(character.isdigit() for character in word)
        if _FEWEST <= digits <= len(word) - _FEWEST:
            yield word


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Returns the JSON value without these secrets and without the credentials named in nodes."""
    return replace_secrets(value, tuple(secrets), without=frozenset({"credentials"}))


_ANY = SecretPattern(_NAME, strip_expressions, secrets_in_text, inherited_types=(dict, list))
