"""Serves a local model on loopback as a child process, configured by its standard input.

One JSON line on standard input configures it, one on standard output has its address. It ends with
standard input, and so with its parent. It speaks the OpenAI protocol, with a key.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Mapping
from typing import Any

_MAX_MEMORY_BYTES = 4_000_000_000
_NICE = 5
_BATCH = 256


def main() -> None:
    """Serves until standard input ends."""
    # The library prints to standard error; the answer uses a copy of standard output.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request: dict[str, Any] = json.loads(sys.stdin.readline())
    _limit_resources()
    server = _make_server(request)
    out.write(json.dumps({"url": f"{server.listening_address}/v1"}) + "\n")
    out.close()
    sys.stdin.read()
    # Skips the destructors of the library, which would wait for a reply in progress.
    os._exit(0)


def _limit_resources() -> None:
    """Lowers the priority, and limits the memory; the model is mapped and does not count."""
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _make_server(request: Mapping[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - 100 MB that only this program needs

    params = xllamacpp.CommonParams()
    params.model.path = request["path"]
    params.n_ctx = request["context"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = request["threads"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [request["key"]]
    params.cors_origins = ""
    # By default the library caches up to 8 GB of old prompts.
    params.cache_ram_mib = params.n_ctx_checkpoints = 0
    params.ui = params.endpoint_slots = False
    params.warmup = False
    params.offline = True
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
