"""A key of a finding that stays when lines and indices move."""

from __future__ import annotations

import hashlib

from grounded_builder.diagnostics.diagnostic import Diagnostic


def fingerprint(diagnostic: Diagnostic) -> str:
    """Sixteen hex digits over rule, node, the named keys of the route, and token."""
    keys = [part for part in diagnostic.at if isinstance(part, str)]
    parts = [diagnostic.code, diagnostic.node or "", *keys, diagnostic.token or ""]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]
