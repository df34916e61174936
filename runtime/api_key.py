"""Prints a key for n8n's public API: `python -m runtime.api_key URL EMAIL FILE`.

The owner's password comes from N8N_OWNER_PASSWORD. The key is stored in FILE (mode 0600) and
created again only if n8n no longer accepts it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from runtime import n8n_owner


def main(argv: list[str]) -> int:
    """Prints only the key, on one line."""
    password = os.environ.get("N8N_OWNER_PASSWORD")
    if len(argv) != 3 or not password:
        print(__doc__, file=sys.stderr)
        return 2
    url, email, text = argv
    print(n8n_owner.api_key(url.rstrip("/"), email, password, Path(text)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
