"""The program that serves a local model on loopback: ``python -m ...serving``.

One JSON line on standard input says what to serve, one on standard output where; it ends when
standard input does, and so with whoever started it. It speaks the OpenAI shape, behind a key.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Mapping
from typing import Any

_MEMORY = 4_000_000_000
_NICE = 5
_BATCH = 256


def main() -> None:
    """Serve until standard input ends."""
    # Whatever the library prints goes to standard error: the answer has its own way out.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    _bounded()
    server = _server(asked)
    out.write(json.dumps({"url": f"{server.listening_address}/v1"}) + "\n")
    out.close()
    sys.stdin.read()
    # Without the destructors of the library: a reply that is being written would be waited for.
    os._exit(0)


def _bounded() -> None:
    """Leave the processor to the sidecar, and bound the memory; a model is mapped, not counted."""
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _server(asked: Mapping[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - 100 MB that only this program needs

    params = xllamacpp.CommonParams()
    params.model.path = asked["path"]
    params.n_ctx = asked["context"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [asked["key"]]
    params.cors_origins = ""
    # By default it keeps up to 8 GB of old prompts.
    params.cache_ram_mib = params.n_ctx_checkpoints = 0
    params.ui = params.endpoint_slots = False
    params.warmup = False
    params.offline = True
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
