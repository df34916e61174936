"""A key that identifies a diagnostic when lines and indices change."""

from __future__ import annotations

import hashlib

from grounded_builder.diagnostics.diagnostic import Diagnostic


def finding_key(diagnostic: Diagnostic) -> str:
    """Returns 16 hex digits over the rule, the node, the keys of the route, and the token."""
    keys = [part for part in diagnostic.at if isinstance(part, str)]
    parts = [diagnostic.code, diagnostic.node or "", *keys, diagnostic.token or ""]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]
