"""Runs a trial in a separate program that kills itself after a chosen call to n8n.

``python -m tests.support.killed_trial STATE N8N CATALOG DRAFT STEP``; STEP is the method of the
client, such as ``create`` or ``begin``, after which the program kills itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.services.trial_run import Trial, run_trial
from runtime.n8n_server import N8nServer
from tests.support.import_desk import Desk
from tests.support.registries import registry_from


def main(state: str, server: str, catalog: str, draft: str, step: str) -> None:
    """Runs the trial until the step."""
    method = getattr(N8nClient, step)

    def last(self: Any, *arguments: Any) -> None:
        method(self, *arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(N8nClient, step, last)
    desk = Desk(
        Path(state), N8nServer.read(Path(server)), registry_from(Path(catalog).read_bytes())
    )
    run_trial(Trial(json.loads(Path(draft).read_text())), desk.store, desk.registry, tuple)


if __name__ == "__main__":
    main(*sys.argv[1:])
