"""Starts, shows or stops the n8n of the state folder: `python -m scripts.n8n start|status|stop`."""

from __future__ import annotations

import sys

from runtime import n8n_server, paths


def main(argv: list[str]) -> int:
    """Runs one verb; returns 0 if n8n is then in the requested state."""
    verb = argv[0] if len(argv) == 1 else ""
    state = paths.state()
    if verb == "start":
        server = n8n_server.start(state, n8n_server.DEFAULT_PORT)
    elif verb == "status":
        current = n8n_server.current(state)
        if current is None:
            print(f"no n8n runs with {state}")
            return 1
        server = current
    elif verb == "stop":
        print("stopped" if n8n_server.stop(state) else "was not running")
        return 0
    else:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"{server.url}  {server.email}  password in {state / 'n8n-password'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
