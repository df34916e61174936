"""Take the sidecar's own keys out of what others answer, before anybody repeats it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from grounded_builder.redaction.redact import MARK

# A shorter key would be found in other words; no service gives such a key.
_SHORTEST = 6


def own_secrets(*keys: str) -> tuple[bytes, ...]:
    """Return the forms in which an answer could repeat these keys, the longest first.

    As it is, in base64 of either alphabet, in an address, and in JSON.
    """
    forms: set[bytes] = set()
    for key in keys:
        if len(key) < _SHORTEST:
            continue
        raw = key.encode("utf-8", "surrogateescape")
        forms |= {raw, quote(key, safe="").encode(), quote_plus(key).encode()}
        forms |= {json.dumps(key)[1:-1].encode(), key.encode("unicode_escape")}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms |= {encode(raw), encode(raw).rstrip(b"=")}
            # Inside a longer text the key begins at any of three places of a group.
            forms |= {encode(b"\0" * shift + raw)[4:-4] for shift in (1, 2)}
        forms.add(raw.hex().encode())
    return tuple(sorted((form for form in forms if len(form) >= _SHORTEST), key=len, reverse=True))


def hide_own(content: bytes, forms: Iterable[bytes]) -> bytes:
    """Return what somebody answered with a mark in the place of the sidecar's own keys."""
    mark = MARK.encode()
    for form in forms:
        if form in content:
            content = content.replace(form, mark)
    return content
