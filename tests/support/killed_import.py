"""Imports a draft in a separate program that kills itself at a chosen step.

``python -m tests.support.killed_import STATE N8N CATALOG DRAFT STEP``; STEP is the method of the
ledger or of the client, such as ``before`` or ``create``, after which the program kills itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.storage.imports import ImportLedger
from runtime.n8n_server import N8nServer
from tests.support.import_desk import Desk
from tests.support.registries import registry_from


def main(state: str, server: str, catalog: str, draft: str, step: str) -> None:
    """Imports the draft until the step."""
    owner: Any = ImportLedger if hasattr(ImportLedger, step) else N8nClient
    method = getattr(owner, step)

    def last(self: Any, *arguments: Any, **named: Any) -> None:
        method(self, *arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, step, last)
    desk = Desk(
        Path(state), N8nServer.read(Path(server)), registry_from(Path(catalog).read_bytes())
    )
    order = json.loads(Path(draft).read_text())
    desk.draft(order["content"], **order["options"])


if __name__ == "__main__":
    main(*sys.argv[1:])
