"""Writes and creates secrets in files that only their owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_secret(path: Path, text: str) -> None:
    """Writes `text` to a file of mode 0600, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(text)
    partial.replace(path)


def made_once(path: Path, prefix: str = "") -> str:
    """Returns the secret in `path`, and creates a random one if the file does not exist."""
    if path.exists():
        return path.read_text()
    secret = prefix + secrets.token_urlsafe(24)
    write_secret(path, secret)
    return secret
