"""Take out what is recognisably a secret, before anything is asked, logged or kept.

Recognised is what says so itself: keys by the beginnings that services give theirs, tokens after
``Bearer`` and ``Basic``, passwords in addresses and queries, private keys, and values after the
names of secrets. Opaque ids are none: a request may need them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MARK = "[redacted]"
SECRET_TOLD = f"A secret in the request was not read: {MARK} stands for it; use a credential."

_SHORTEST = 4
_SHORTEST_SAID = 6
_NAMES = (
    r"pass(?:word|wd|phrase|code)|passwort|pwd|api[-_ ]?key|(?:secret|access|private)[-_ ]?key"
    r"|(?:client|api|app|shared|signing|webhook)[-_ ]?secret"
    r"|(?:access|auth|api|bearer|refresh|bot|id)[-_ ]?token"
)
# A value that is written out: no expression, no mark in the place of one.
_VALUE = r"[^\s\"'`,;{}<>\[\]()$=&#\\][^\s\"'`,;{}<>\[\]()&\\]*"
_KEYS = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}
    | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}
    | xox[a-z]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}
    | gh[oprsu]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,}
    | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9]) | AIza[A-Za-z0-9_-]{30,}
    | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
    | eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
    | shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32} | key-[a-f0-9]{32} | dop_v1_[a-f0-9]{64}
    | npm_[A-Za-z0-9]{30,} | pypi-[A-Za-z0-9_-]{40,} | hf_[A-Za-z0-9]{30,}
    | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    )""",
    re.VERBOSE,
)
_BEARER = re.compile(
    r"(?i:\b(?:bearer|token))[ \t]+(?=[A-Za-z._~+/-]*[0-9])([A-Za-z0-9._~+/=-]{16,})"
)
_BASIC = re.compile(r"(?i:\bbasic)[ \t]+([A-Za-z0-9+/]{8,}={0,2})")
_USER = re.compile(r"://[^/\s:@\"'{}]*:([^/\s@\"'{}\[\]]+)@")
_QUERY = re.compile(
    rf"[?&](?i:{_NAMES}|key|token|secret|signature|sig|auth|sas)=([^&\s\"'#{{}}<>\[\]]{{6,}})"
)
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/[0-9]+/)([A-Za-z0-9/_-]{16,})"
)
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)",
    re.DOTALL,
)
_SAID = re.compile(
    rf"(?i:{_NAMES}|token|secret)[\"']?(?:\s*[:=]\s*|\s+is\s+|\s+(?=[\"'`]))[\"'`]?({_VALUE})"
)
_NAMED = re.compile(
    rf"(?:{_NAMES}|^secret|[-_ ]secret|^authorization|^x-[\w-]*(?:key|token|auth))$", re.IGNORECASE
)
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9!@#%^~])")
# What people write in the place of a secret, or to say where one is kept.
_STAND_IN = re.compile(
    r"your|xxx|\*\*|\.\.\.|placeholder|change.?me|redacted|dummy|example|undefined|insert|enter"
    r"|provide|(?:^|[^a-z])(?:put|add)[^a-z]|\A[^<{\[]*[<{\[].*[>}\]]|https?:|^\$|\bsecrets\.|\benv\.",
    re.IGNORECASE | re.DOTALL,
)
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def recognised(text: str) -> Iterator[str]:
    """The secrets in a text."""
    yield from _BLOCK.findall(text)
    yield from _KEYS.findall(text)
    for pattern in (_BEARER, _USER, _QUERY, _HOOK):
        yield from (one for one in pattern.findall(text) if not _STAND_IN.search(one))
    yield from (one for one in _BASIC.findall(text) if _is_user_and_password(one))
    yield from (one for one in _SAID.findall(text) if _is_opaque(one))


@dataclass(frozen=True, slots=True)
class Look:
    """What passes for a secret.

    ``names`` are those that tell of one: ``named`` gives what is secret of a text of that name,
    "" for nothing, and ``spoken_for`` are the parts of such a value that the name tells of too.
    ``said`` gives the secrets in any text.
    """

    names: re.Pattern[str]
    named: Callable[[str], str]
    said: Callable[[str], Iterable[str]]
    spoken_for: tuple[type, ...]


def secrets_by(look: Look, value: Any, *, named: bool = False) -> Iterator[str]:
    """The secrets in a JSON value; ``named`` says that its name tells of one."""
    if isinstance(value, str):
        if named and (secret := look.named(value)):
            yield secret
        yield from look.said(value)
    elif isinstance(value, list):
        for one in value:
            yield from secrets_by(look, one, named=named)
    elif isinstance(value, dict):
        # Headers and query parameters are lists of names and values.
        told = value.get("name") or value.get("key")
        is_pair = isinstance(told, str) and bool(look.names.search(told))
        for key, one in value.items():
            within = bool(look.names.search(str(key))) or (is_pair and key == "value")
            inherits = named and isinstance(one, look.spoken_for)
            yield from secrets_by(look, one, named=within or inherits)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, the longest first."""
    for secret in sorted({one for one in secrets if len(one) >= _SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, MARK)
    return text


def written_out(text: str) -> str:
    """What of a value is written out: of an expression the parts outside, unless they only name.

    A value such as ``=Bearer {{ $json.token }}`` refers to a secret, and holds none.
    """
    rest = _EXPRESSION.sub("", text.removeprefix("=")).strip(" =")
    return "" if rest.casefold() in ("", "bearer", "basic", "token", "oauth", "key") else text


def without_secrets(value: Any) -> Any:
    """A text or another JSON value without the secrets in it; the same one where it has none."""
    secrets = {one for one in secrets_by(_RECOGNISED, value) if len(one) >= _SHORTEST}
    return replaced(value, secrets) if secrets else value


def replaced(value: Any, secrets: Collection[str], without: frozenset[str] = frozenset()) -> Any:
    """The JSON value with the mark in the place of these secrets, ``without`` some keys."""
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, list | tuple):
        return [replaced(one, secrets, without) for one in value]
    if isinstance(value, dict):
        return {
            redacted(str(key), secrets): replaced(one, secrets, without)
            for key, one in value.items()
            if key not in without
        }
    return value


def _written_secret(text: str) -> str:
    written = written_out(text)
    return "" if _STAND_IN.search(written) else written


_RECOGNISED = Look(_NAMED, _written_secret, recognised, spoken_for=(list,))


def _is_opaque(value: str) -> bool:
    """Whether no word looks like this: letters beside figures or signs."""
    # Code says no by a mark before a name.
    word = value.rstrip(".!?").lstrip("!")
    return len(word) >= _SHORTEST_SAID and bool(_MIXED.match(word)) and not _STAND_IN.search(word)


def _is_user_and_password(text: str) -> bool:
    try:
        return b":" in base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
