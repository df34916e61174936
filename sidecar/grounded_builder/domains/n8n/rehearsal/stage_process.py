"""Runs as a separate program: an n8n, its proxy and servers, in a network of loopback only.

One JSON line on standard input configures it: `node`, `n8n` and `proxy` are the files to run,
`packages` is the folder of community packages or empty, `folder` holds everything that is written,
`answers` and `door` are Unix sockets: the first is asked for the answer of every request, the
second leads to the HTTP port of n8n. One JSON line on standard output tells that n8n is ready, or
why not. The program ends with standard input, and takes all that it started with it.

On Linux the program enters a user and a network namespace of its own, in which loopback is the only
interface. Where the kernel does not allow this, only the proxy stands between n8n and the network.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.confinement import Confinement, kill_descendants
from grounded_builder.domains.n8n.rehearsal.servers.protocols import list_served

# Addresses that answer anybody: a machine with any way out reaches one of them.
_OUTSIDE = (("1.1.1.1", 443), ("8.8.8.8", 53))
_CANARY_S = 30.0
_READY_LINE = b"Editor is now accessible"
_READY_S = 120.0
_NICE = 5
# The heaps of n8n and of the program that runs Code nodes.
_OLD_SPACE_MB, _RUNNER_OLD_SPACE_MB = 1_024, 512
# Ends code before the run ends, so that the result names its node.
_TASK_S = 20
_PIPE_BYTES = 65_536
# The file descriptor by which the servers are connected with the socket of the answers.
_LINK = 3

# Settings of n8n 2.41 (docs.n8n.io/hosting/configuration/environment-variables). The last line of
# excluded nodes are those that start programs or read files of the machine.
_N8N_SETTINGS = {
    "DB_SQLITE_POOL_SIZE": "2",
    "EXECUTIONS_DATA_PRUNE": "false",
    "N8N_BLOCK_FILE_ACCESS_TO_N8N_FILES": "true",
    "N8N_DIAGNOSTICS_ENABLED": "false",
    "N8N_DISABLED_MODULES": "insights,mcp-registry,chat-hub,quick-connect,favorites,instance-ai,"
    "agents,breaking-changes,instance-version-history",
    "N8N_HIRING_BANNER_ENABLED": "false",
    "N8N_LISTEN_ADDRESS": "127.0.0.1",
    "N8N_HOST": "127.0.0.1",
    "N8N_LOG_LEVEL": "info",
    "N8N_PERSONALIZATION_ENABLED": "false",
    "N8N_PYTHON_ENABLED": "false",
    "N8N_SECURE_COOKIE": "false",
    "N8N_TEMPLATES_ENABLED": "false",
    "N8N_USE_WORKFLOW_PUBLICATION_SERVICE": "false",
    "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
    "NODE_ENV": "production",
    "NODE_USE_ENV_PROXY": "1",
    "NODES_EXCLUDE": '["n8n-nodes-base.executeCommand","n8n-nodes-base.localFileTrigger"]',
}
# What a program needs of the environment of its parent; nothing else is handed on.
_INHERITED = ("LANG", "LC_ALL", "TZ")


# What a program that ignores the proxy and the settings of n8n tries; it prints what it could do.
_CANARY = """
const done = [], wait = [];
for (const [host, port] of JSON.parse(process.argv[1])) wait.push(new Promise((end) => {
  const socket = require('net').connect(port, host, () => { done.push(`reach ${host}`); end(); });
  socket.on('error', end); setTimeout(end, 1000);
}));
try { require('fs').readdirSync(process.argv[2]); done.push(`read ${process.argv[2]}`); } catch {}
Promise.all(wait).then(() => { console.log(JSON.stringify(done)); process.exit(); });
"""


def main() -> None:
    """Runs the stage until standard input ends."""
    settings: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    folder = Path(settings["folder"])
    os.nice(_NICE)
    try:
        confinement = Confinement(_list_readable(settings), [folder / "home"], folder / "root")
        confinement.enter()
        asyncio.run(_Stage(settings, confinement).run())
        kill_descendants()
    finally:
        # The child in the namespaces sees files of the machine mounted below this folder.
        if not any((folder / "root").iterdir()):
            shutil.rmtree(folder, ignore_errors=True)


def _list_readable(settings: Mapping[str, Any]) -> Iterator[Path]:
    """Yields Node, the servers, and the folders with n8n, its packages and theirs."""
    yield Path(settings["node"]).resolve()
    yield _servers_folder(settings)
    # Node reads there what kind of module a script is.
    yield _servers_folder(settings).parent / "package.json"
    yield _servers_folder(settings).parent / "node_modules"
    yield (_servers_folder(settings).parent / "node_modules").resolve()
    yield Path(settings["folder"], "authority.pem")
    start_script = Path(settings["n8n"])
    for path in (start_script, start_script.resolve()):
        packages = [folder for folder in path.parents if folder.name == "node_modules"]
        yield packages[-1] if packages else path.parent.parent
    if settings["packages"]:
        community = Path(settings["packages"])
        yield community
        # Packages under development are links to folders elsewhere.
        for pattern in ("node_modules/*", "node_modules/@*/*"):
            for package in community.glob(pattern):
                if package.is_symlink():
                    yield package.resolve()


def _servers_folder(settings: Mapping[str, Any]) -> Path:
    return Path(settings["proxy"]).resolve().parent


class _Stage:
    """The running programs: the proxy, the servers, n8n, and the relay to n8n's port."""

    def __init__(self, settings: Mapping[str, Any], confinement: Confinement) -> None:
        self._settings = settings
        self._confinement = confinement
        self._folder = Path(settings["folder"])
        self._home = self._folder / "home"
        self._children: list[subprocess.Popen[bytes]] = []
        self._port = _free_port()
        self._ports = {protocol: _free_port() for protocol in list_served()}

    async def run(self) -> None:
        """Starts everything, reports, and ends everything with standard input or any part."""
        loop = asyncio.get_running_loop()
        ended = loop.create_task(_wait_for_end())
        try:
            starting = loop.create_task(self._start())
            await asyncio.wait((starting, ended), return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                error = starting.exception()
                facts = {
                    "isolated": self._confinement.is_offline,
                    "gaps": self._confinement.gaps,
                    "ports": self._ports,
                }
                _write({"error": str(error)} if error else facts)
                if error is None:
                    ends = [asyncio.to_thread(child.wait) for child in self._children]
                    waits = (ended, *map(loop.create_task, ends))
                    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._stop()

    async def _start(self) -> None:
        authority = self._folder / "authority.pem"
        proxy, broker = self._start_proxy(authority), _free_port()
        for port in (proxy, broker, self._port, *self._ports.values()):
            self._confinement.open_port(port)
        log = (self._folder / "n8n.log").open("wb")
        environment = {
            **{name: os.environ[name] for name in _INHERITED if name in os.environ},
            **_N8N_SETTINGS,
            **_proxy_settings(proxy, authority),
            # n8n starts the program that runs Code nodes as `node`.
            "PATH": f"{Path(self._node).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": str(self._home),
            "TMPDIR": str(self._home),
            "NODE_OPTIONS": f"--max-old-space-size={_OLD_SPACE_MB}",
            "N8N_USER_FOLDER": str(self._home),
            "N8N_ENCRYPTION_KEY": self._settings["key"],
            "N8N_PORT": str(self._port),
            "N8N_RUNNERS_BROKER_PORT": str(broker),
            "N8N_RUNNERS_MAX_OLD_SPACE_SIZE": str(_RUNNER_OLD_SPACE_MB),
            "N8N_RUNNERS_TASK_TIMEOUT": str(_TASK_S),
            "N8N_RESTRICT_FILE_ACCESS_TO": str(self._home / "files"),
            "GENERIC_TIMEZONE": self._settings.get("timezone", "UTC"),
        }
        command = [self._node, self._settings["n8n"], "start"]
        n8n = self._spawn(
            command, environment, stdout=log, stderr=log, preexec_fn=self._confinement.apply
        )
        self._start_servers()
        canary = asyncio.to_thread(self._try_to_leave, environment)
        await asyncio.gather(canary, self._wait_ready(n8n))
        await asyncio.start_unix_server(self._relay, self._settings["door"])

    @property
    def _node(self) -> str:
        return str(Path(self._settings["node"]).resolve())

    def _try_to_leave(self, environment: Mapping[str, str]) -> None:
        """Raises RuntimeError where a confined program can do what it must not."""
        if not self._confinement.is_verifiable:
            return
        arguments = [json.dumps(_OUTSIDE), self._settings["private"]]
        tried = subprocess.run(
            [self._node, "-e", _CANARY, *arguments],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            preexec_fn=self._confinement.apply,
            check=True,
            timeout=_CANARY_S,
        )
        able = json.loads(tried.stdout)
        if able:
            raise RuntimeError(f"a program in it can {able[0]}")

    def _start_proxy(self, authority: Path) -> int:
        """Starts the proxy and returns its port, when it listens."""
        log = (self._folder / "proxy.log").open("wb")
        command = [self._node, self._settings["proxy"]]
        proxy = self._spawn(
            command, None, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
        request = {
            "socket": self._settings["answers"],
            "authority": str(authority),
            "port": _free_port(),
        }
        if proxy.stdin is None or proxy.stdout is None:
            raise RuntimeError("the proxy has no standard streams")
        proxy.stdin.write(json.dumps(request).encode() + b"\n")
        proxy.stdin.flush()
        line = proxy.stdout.readline()
        if not line:
            raise RuntimeError(f"the proxy did not start: {_read_tail(self._folder / 'proxy.log')}")
        return int(json.loads(line)["port"])

    def _start_servers(self) -> None:
        """Starts the servers of other protocols than HTTP, confined as n8n is."""
        log = (self._folder / "servers.log").open("wb")
        folder = self._home / "servers"
        folder.mkdir()
        settings = json.dumps({"home": str(folder), "ports": self._ports})
        script = _servers_folder(self._settings) / "servers.js"
        with socket.socket(socket.AF_UNIX) as answers:
            answers.connect(self._settings["answers"])
            link = answers.fileno()

            def confine() -> None:
                os.dup2(link, _LINK, inheritable=True)
                # The server of Redis speaks with its program by one.
                self._confinement.apply(allows_unix=True)

            self._spawn(
                [self._node, str(script), settings],
                {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(_LINK,),
                preexec_fn=confine,
            )

    def _spawn(
        self, command: list[str], environment: Mapping[str, str] | None, **streams: Any
    ) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(command, env=environment, start_new_session=True, **streams)
        self._children.append(child)
        return child

    async def _wait_ready(self, n8n: subprocess.Popen[bytes]) -> None:
        log = self._folder / "n8n.log"
        for _ in range(int(_READY_S / 0.05)):
            if _READY_LINE in log.read_bytes():
                return
            if n8n.poll() is not None:
                raise RuntimeError(f"n8n ended while it started: {_read_tail(log)}")
            await asyncio.sleep(0.05)
        raise RuntimeError(f"n8n was not ready after {_READY_S:.0f} s: {_read_tail(log)}")

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connects one client of the Unix socket with n8n."""
        try:
            theirs = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        # The end of the stage cancels what is still being relayed.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(_pipe(reader, theirs[1]), _pipe(theirs[0], writer))

    def _stop(self) -> None:
        for child in reversed(self._children):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        for child in self._children:
            child.wait()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while content := await reader.read(_PIPE_BYTES):
            writer.write(content)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


async def _wait_for_end() -> None:
    """Waits until the parent closes standard input, or ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(_PIPE_BYTES):
        pass


def _proxy_settings(port: int, authority: Path) -> dict[str, str]:
    address, local = f"http://127.0.0.1:{port}", "127.0.0.1,localhost"
    names = {"HTTP_PROXY": address, "HTTPS_PROXY": address, "NO_PROXY": local}
    lower = {name.lower(): value for name, value in names.items()}
    return {**names, **lower, "NODE_EXTRA_CA_CERTS": str(authority)}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _read_tail(log: Path) -> str:
    return log.read_text("utf-8", "replace")[-600:]


def _write(line: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
