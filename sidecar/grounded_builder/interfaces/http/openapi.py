"""Prints the OpenAPI document of the HTTP API; ``make docs`` redirects it to docs/openapi.json.

``python -m grounded_builder.interfaces.http.openapi > docs/openapi.json``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grounded_builder.interfaces.http.app import create_app
from grounded_builder.settings import Settings


def document() -> str:
    """Returns the OpenAPI document as it is committed."""
    # The app opens nothing before it starts.
    app = create_app(Settings(state=Path("unused"), database_url="unused"))
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
