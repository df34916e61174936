"""Stops the servers that `make run` started."""

from __future__ import annotations

from runtime import n8n_server, paths, sidecar_server


def main() -> None:
    """Stops the sidecar, then n8n, and prints what was running."""
    state = paths.state()
    sidecar = sidecar_server.stop(state)
    n8n = n8n_server.stop(state)
    stopped = [name for name, was in (("sidecar", sidecar), ("n8n", n8n)) if was]
    print(f"stopped {' and '.join(stopped)}" if stopped else "nothing was running")


if __name__ == "__main__":
    main()
