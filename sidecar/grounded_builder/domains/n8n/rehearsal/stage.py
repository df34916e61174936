"""Starts the isolated n8n of rehearsals, keeps it for later ones, and removes all that it wrote."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answer_server import AnswerServer
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorClient, EditorError
from grounded_builder.domains.n8n.rehearsal.invented_credentials import invent_credential
from grounded_builder.domains.n8n.rehearsal.node_sources import NodeSources
from grounded_builder.domains.n8n.rehearsal.servers.protocols import name_unserved
from grounded_builder.ir.graph import ResolvedNode

_END_S = 10.0
_DATABASE = "database.sqlite"
_PACKAGES = "node_modules"
_FILES = (_DATABASE, f"{_DATABASE}-wal")


class StageError(Exception):
    """The n8n of rehearsals could not be started; the message states the reason."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The programs of a stage: Node, n8n's start script, and the script of the proxy.

    ``packages`` is the folder with the user's community packages (`.n8n/nodes`), if there is one.
    """

    node: Path
    n8n: Path
    proxy: Path
    packages: Path | None = None

    def fingerprint(self) -> str:
        """Returns a text that is another for another version of n8n."""
        manifest = self.n8n.resolve().parent.parent / "package.json"
        try:
            version = json.loads(manifest.read_text("utf-8"))["version"]
        except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
            raise StageError(f"{self.n8n} is not the start script of an n8n: {error}") from error
        return f"{version}-{hashlib.sha256(str(self.n8n).encode()).hexdigest()[:12]}"


class Stage:
    """An n8n with invented credentials, in which nothing outside can be reached.

    ``is_isolated`` tells whether the kernel keeps it from the network, or the proxy alone does.
    ``gaps`` are what the kernel of this machine does not prevent, in words. ``door`` is a Unix
    socket that leads to n8n, ``sources`` the code of its nodes.
    """

    def __init__(self, installation: Installation, templates: Path) -> None:
        """Makes the folder of the stage, from the database of an earlier start if there is one.

        Raises `StageError` where n8n is not installed as described.
        """
        self._template = templates / installation.fingerprint()
        self._folder = Path(tempfile.mkdtemp(prefix="grounded-rehearsal-"))
        self.door = self._folder / "door.sock"
        self.sources = NodeSources(installation.n8n)
        self._credentials: dict[tuple[str, int], str] = {}
        self._types: dict[str, Mapping[str, Any]] = {}
        self._ports: Mapping[str, int] = {}
        self.answers = AnswerServer(self._folder / "answers.sock")
        try:
            self._keys = self._take_template()
            self._process = self._spawn(installation)
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Waits until n8n is ready; raises `StageError` where it does not start."""
        try:
            facts = self._read_facts()
            self.is_isolated, self.gaps = bool(facts["isolated"]), tuple(facts["gaps"])
            self._ports = facts["ports"]
            self.client = EditorClient(self.door, self._keys["password"])
            self._log_in()
        except BaseException:
            self.close()
            raise

    def leave(self) -> None:
        """Lets n8n end, also during its start or a rehearsal; `close` is called later."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def close(self) -> None:
        """Ends n8n and deletes its folder."""
        if hasattr(self, "client"):
            self.client.close()
        if hasattr(self, "_process"):
            self.leave()
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self.answers.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def is_running(self) -> bool:
        """Whether the programs of the stage still run."""
        return self._process.poll() is None

    @property
    def credential_types(self) -> Mapping[str, Mapping[str, Any]]:
        """The installed credential types by name, as n8n describes them."""
        if not self._types:
            listed = self.client.list_credential_types()
            self._types = {str(item["name"]): item for item in listed}
        return self._types

    def name_unserved_protocol(self, bound: ResolvedNode) -> str:
        """Returns the protocol of a node that has no server here, "" for a node that can run."""
        return name_unserved(bound, self.credential_types, tuple(self._ports))

    def provide_credential(self, kind: str, number: int) -> Mapping[str, str] | None:
        """Returns the reference to an invented credential, None for a type that is not there."""
        name = f"Invented {kind} {number}"
        if (kind, number) not in self._credentials:
            values = invent_credential(kind, self.credential_types, number, self._ports)
            if values is None:
                return None
            self._credentials[kind, number] = self.client.create_credential(kind, name, values)
        return {"id": self._credentials[kind, number], "name": name}

    def _take_template(self) -> Mapping[str, str]:
        """Copies the database of an earlier start, and returns the secrets that belong to it."""
        secrets_file = self._template / "keys.json"
        if secrets_file.exists():
            home = self._folder / "home" / ".n8n"
            home.mkdir(mode=0o700, parents=True)
            for name in _FILES:
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(self._template / name, home / name)
            keys: Mapping[str, str] = json.loads(secrets_file.read_text("utf-8"))
            return keys
        # n8n demands a digit and a capital letter in a password.
        return {"key": secrets.token_hex(24), "password": f"Gb1-{secrets.token_urlsafe(18)}"}

    def _spawn(self, installation: Installation) -> subprocess.Popen[bytes]:
        (self._folder / "home" / "files").mkdir(parents=True)
        (self._folder / "root").mkdir()
        if installation.packages is not None:
            # n8n writes a manifest beside the packages at each start.
            nodes = self._folder / "home" / ".n8n" / "nodes"
            nodes.mkdir(parents=True, mode=0o700)
            (nodes / _PACKAGES).symlink_to(installation.packages.resolve() / _PACKAGES)
        (self._folder / "authority.pem").touch()
        process = subprocess.Popen(
            [sys.executable, "-m", "grounded_builder.domains.n8n.rehearsal.stage_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder,
            start_new_session=True,
        )
        settings = {
            "node": str(installation.node),
            "n8n": str(installation.n8n),
            "proxy": str(installation.proxy),
            "packages": str(installation.packages.resolve()) if installation.packages else "",
            "folder": str(self._folder),
            "private": str(self._template.parent.absolute()),
            "answers": str(self._folder / "answers.sock"),
            "door": str(self.door),
            "key": self._keys["key"],
        }
        if process.stdin is not None:
            process.stdin.write(json.dumps(settings).encode() + b"\n")
            process.stdin.flush()
        return process

    def _read_facts(self) -> Mapping[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout is not None else b""
        facts: Mapping[str, Any] = json.loads(line) if line else {"error": "it ended"}
        if "error" in facts:
            raise StageError(f"the n8n of rehearsals did not start: {facts['error']}")
        return facts

    def _log_in(self) -> None:
        try:
            self.client.log_in()
        except EditorError as error:
            raise StageError(f"the n8n of rehearsals refuses its owner: {error}") from error
        if not self._template.exists():
            self._keep_template()

    def _keep_template(self) -> None:
        """Copies the database for later starts; an interrupted copy is never used."""
        self._template.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = Path(tempfile.mkdtemp(dir=self._template.parent))
        for name in _FILES:
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self._folder / "home" / ".n8n" / name, partial / name)
        keys = partial / "keys.json"
        keys.touch(mode=0o600)
        keys.write_text(json.dumps(dict(self._keys)), "utf-8")
        with contextlib.suppress(OSError):
            partial.rename(self._template)
        shutil.rmtree(partial, ignore_errors=True)
