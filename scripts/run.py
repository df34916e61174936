"""Starts n8n and the sidecar, syncs the catalog, generates a workflow; stays until Ctrl-C.

`DETACH=1` returns instead; `make stop` ends both.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from runtime import catalog_sync, n8n_package, n8n_server, paths, sidecar_server
from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from scripts.demo import REQUEST, Demo, generated_by_demo
from scripts.import_sample import imported_sample

_WATCH_S = 1.0


def main() -> int:
    """Starts everything, prints the addresses, and waits until a server ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    state = paths.state()
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    detach = os.environ.get("DETACH", "") not in ("", "0")
    up = False
    try:
        n8n, sidecar = _start(state)
        _sync(state, n8n, sidecar)
        sample = imported_sample(state, n8n)
        _show(state, n8n, sidecar, sample, generated_by_demo(state, n8n, sidecar))
        up = True
        if detach:
            print("Running in the background; `make stop` ends both.")
            return 0
        print("Ctrl-C ends both.", flush=True)
        return _watch(n8n, sidecar)
    except KeyboardInterrupt:
        print("\nstopping")
        return 0
    finally:
        if not (up and detach):
            sidecar_server.stop(state)
            n8n_server.stop(state)


def _start(state: Path) -> tuple[N8nServer, Sidecar]:
    began = time.monotonic()
    if n8n_package.provide(state / "n8n"):
        # A running n8n has already loaded its packages.
        n8n_server.stop(state)
    n8n = n8n_server.start(state, n8n_server.DEFAULT_PORT)
    _say(f"n8n {paths.n8n_version()} at {n8n.url}", began)
    _say_port(n8n.url, n8n_server.DEFAULT_PORT)
    began = time.monotonic()
    sidecar = sidecar_server.start(state, n8n, sidecar_server.DEFAULT_PORT)
    _say(f"sidecar at {sidecar.url}", began)
    _say_port(sidecar.url, sidecar_server.DEFAULT_PORT)
    return n8n, sidecar


def _sync(state: Path, n8n: N8nServer, sidecar: Sidecar) -> None:
    """Sends the catalog to the sidecar if n8n, its packages or the sync have changed."""
    stamp = state / "catalog.key"
    user_folder = Path(n8n.user_folder)
    key = catalog_sync.key(user_folder)
    if stamp.exists() and stamp.read_text() == key and sidecar.ready():
        return
    began = time.monotonic()
    catalog_sync.push(sidecar.url, sidecar.token(), user_folder)
    if not sidecar.ready():
        raise SystemExit(f"the catalog was pushed, but {sidecar.url}/readyz is not 200")
    stamp.write_text(key)
    _say("catalog synced", began)


def _show(state: Path, n8n: N8nServer, sidecar: Sidecar, sample: str, demo: Demo) -> None:
    print(
        f"""
  generated         {n8n.url}/workflow/{demo.generated}
  by                {n8n.url}/workflow/{demo.workflow}
  another           curl -H 'Content-Type: application/json' {demo.webhook(n8n)} \\
                      -d '{{"request": "{REQUEST}"}}'
  sample workflow   {sample}
  n8n               {n8n.url}
  login             {n8n.email}, password in {state / "n8n-password"}
  sidecar           {sidecar.url}/docs, token in {sidecar.token_file}
  logs              {state / "logs"}
  command line      export GROUNDED_STATE={state}; {sidecar_server.grounded()} --help
  catalog file      {catalog_sync.read_command(Path(n8n.user_folder))}
""",
        flush=True,
    )


def _watch(n8n: N8nServer, sidecar: Sidecar) -> int:
    while True:
        for name, alive, log in (
            ("n8n", n8n.alive(), n8n.log),
            ("the sidecar", sidecar.alive(), sidecar.log),
        ):
            if not alive:
                print(f"{name} ended by itself; see {log}", file=sys.stderr)
                return 1
        time.sleep(_WATCH_S)


def _say(what: str, began: float) -> None:
    print(f"{what} ({time.monotonic() - began:.1f} s)", flush=True)


def _say_port(url: str, wanted: int) -> None:
    if not url.endswith(f":{wanted}"):
        print(f"  port {wanted} is taken by something else")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{failed.cmd} ended with {failed.returncode}")
