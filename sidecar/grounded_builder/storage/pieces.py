"""Uploads that come in pieces, in any order and more than once, kept as files until whole."""

from __future__ import annotations

import fcntl
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

_UPLOAD = re.compile(r"[A-Za-z0-9-]{1,64}")
_DONE = "done"
MOST_PIECES = 5_000
_MOST_UPLOADS = 8
_ASKED = 100


class PieceError(ValueError):
    """A piece that does not go with the others; ``help`` says what to do."""

    def __init__(self, message: str, help_text: str = "begin again with another upload") -> None:
        super().__init__(message)
        self.help = help_text


class PieceBox:
    """The uploads under ``folder``; one may have ``most_bytes``, the oldest make room."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    @contextmanager
    def alone(self, upload: str) -> Iterator[None]:
        """Let one sender of an upload in at a time, whatever process it speaks to."""
        self._home(upload)
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder.parent / f"{self._folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def put(self, upload: str, number: int, total: int, text: bytes) -> None:
        """Keep a piece, numbered from 1; the same one again changes nothing."""
        if not 1 <= number <= total <= MOST_PIECES:
            raise PieceError(f"piece {number} of {total}: there are 1 to {MOST_PIECES:,} pieces")
        home = self._home(upload)
        if not home.is_dir():
            self._make_room()
            home.mkdir(parents=True, exist_ok=True)
        kept = {one.name: one for one in home.glob("*-of-*")}
        if any(not name.endswith(f"-of-{total}") for name in kept):
            raise PieceError(f"the upload {upload} has another number of pieces than {total}")
        target = home / f"{number}-of-{total}"
        if target.name in kept:
            if target.read_bytes() != text:
                raise PieceError(f"piece {number} of the upload {upload} was another one before")
            return
        if sum(one.stat().st_size for one in kept.values()) + len(text) > self._most_bytes:
            raise PieceError(f"the upload is larger than {self._most_bytes:,} bytes", "sync less")
        fresh = home / f"fresh-{uuid4().hex}"
        fresh.write_bytes(text)
        fresh.replace(target)

    def missing(self, upload: str, total: int) -> tuple[int, ...]:
        """The numbers that have not come, the first hundred of them."""
        home = self._home(upload)
        lacking = (n for n in range(1, total + 1) if not (home / f"{n}-of-{total}").exists())
        return tuple(n for _, n in zip(range(_ASKED), lacking, strict=False))

    def joined(self, upload: str, total: int) -> bytes:
        """All pieces in their order."""
        home = self._home(upload)
        return b"".join((home / f"{n}-of-{total}").read_bytes() for n in range(1, total + 1))

    def finish(self, upload: str, result: str) -> None:
        """Keep what an upload came to in the place of its pieces."""
        home = self._home(upload)
        fresh = home / f"fresh-{uuid4().hex}"
        fresh.write_text(result, "utf-8")
        fresh.replace(home / _DONE)
        for one in home.glob("*-of-*"):
            one.unlink(missing_ok=True)

    def finished(self, upload: str) -> str | None:
        """What a finished upload came to."""
        try:
            return (self._home(upload) / _DONE).read_text("utf-8")
        except FileNotFoundError:
            return None

    def drop(self, upload: str) -> None:
        """Forget an upload."""
        shutil.rmtree(self._home(upload), ignore_errors=True)

    def _home(self, upload: str) -> Path:
        if not _UPLOAD.fullmatch(upload):
            raise PieceError("an upload is named by 1 to 64 letters, digits and dashes")
        return self._folder / upload

    def _make_room(self) -> None:
        if not self._folder.is_dir():
            return
        oldest_last = sorted(self._folder.iterdir(), key=lambda one: -one.stat().st_mtime)
        for old in oldest_last[_MOST_UPLOADS - 1 :]:
            shutil.rmtree(old, ignore_errors=True)
