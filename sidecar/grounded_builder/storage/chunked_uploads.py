"""Stores uploads in pieces, in any order and repeatedly, and then the result of each upload."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.schema import UPLOAD_PIECES, UPLOADS
from grounded_builder.storage.timestamps import utc_now

MOST_PIECES = 5_000
_MOST_UPLOADS = 8
_ASKED = 100


class UploadError(ValueError):
    """A piece that does not match the others; ``help`` is the remedy."""

    def __init__(self, message: str, help_text: str = "begin again with another upload") -> None:
        super().__init__(message)
        self.help = help_text


@dataclass(frozen=True, slots=True)
class Upload:
    """The progress of an upload: the first hundred missing numbers, or its result."""

    missing: tuple[int, ...] = ()
    result: str | None = None


@dataclass(frozen=True, slots=True)
class _Begun:
    total: int
    result: str | None


class UploadStore:
    """The uploads of one database; the oldest are dropped for space, each has at most
    ``most_bytes``.

    All servers share them; every method is one transaction.
    """

    def __init__(self, engine: Engine, most_bytes: int) -> None:
        self._engine = engine
        self._most_bytes = most_bytes

    def put(self, name: str, number: int, total: int, content: bytes) -> Upload:
        """Stores a piece, numbered from 1; a repeated piece, or one after the end,
        changes nothing.
        """
        if not 1 <= number <= total <= MOST_PIECES:
            raise UploadError(f"piece {number} of {total}: there are 1 to {MOST_PIECES:,} pieces")
        with begin_write(self._engine) as connection:
            upload = _upload(connection, name)
            if upload is None:
                _make_room(connection)
                values = {"name": name, "total": total, "changed_at": utc_now()}
                connection.execute(insert(UPLOADS).values(values))
            elif upload.result is not None:
                return Upload(result=upload.result)
            elif upload.total != total:
                raise UploadError(f"the upload {name} has another number of pieces than {total}")
            self._keep(connection, name, number, content)
            return Upload(_list_missing_pieces(connection, name, total))

    def join(self, name: str) -> bytes | None:
        """Returns all pieces in order; None where they are no longer stored."""
        pieces = select(UPLOAD_PIECES.c.content).where(UPLOAD_PIECES.c.upload == name)
        with begin_read(self._engine) as connection:
            upload = _upload(connection, name)
            if upload is None or upload.result is not None:
                return None
            scalar_result = connection.execute(pieces.order_by(UPLOAD_PIECES.c.number)).scalars()
            return b"".join(bytes(piece) for piece in scalar_result)

    def finish(self, name: str, result: str) -> None:
        """Stores the result of an upload in place of its pieces."""
        done = update(UPLOADS).where(UPLOADS.c.name == name)
        with begin_write(self._engine) as connection:
            connection.execute(done.values(result=result, changed_at=utc_now()))
            connection.execute(delete(UPLOAD_PIECES).where(UPLOAD_PIECES.c.upload == name))

    def find_result(self, name: str) -> str | None:
        """Returns the result of a finished upload."""
        with begin_read(self._engine) as connection:
            upload = _upload(connection, name)
        return None if upload is None else upload.result

    def drop(self, name: str) -> None:
        """Removes an upload."""
        with begin_write(self._engine) as connection:
            _forget(connection, name)

    def _keep(self, connection: Connection, name: str, number: int, content: bytes) -> None:
        pieces = select(UPLOAD_PIECES.c.content).where(UPLOAD_PIECES.c.upload == name)
        same = pieces.where(UPLOAD_PIECES.c.number == number)
        scalar = connection.execute(same).scalar()
        if scalar is not None:
            if bytes(scalar) != content:
                raise UploadError(f"piece {number} of the upload {name} had other content before")
            return
        summed = select(func.sum(UPLOAD_PIECES.c.bytes)).where(UPLOAD_PIECES.c.upload == name)
        if (connection.execute(summed).scalar() or 0) + len(content) > self._most_bytes:
            raise UploadError(f"the upload is larger than {self._most_bytes:,} bytes", "sync less")
        values = {"upload": name, "number": number, "bytes": len(content), "content": content}
        connection.execute(insert(UPLOAD_PIECES).values(values))
        connection.execute(
            update(UPLOADS).where(UPLOADS.c.name == name).values(changed_at=utc_now())
        )


def _upload(connection: Connection, name: str) -> _Begun | None:
    wanted = select(UPLOADS.c.total, UPLOADS.c.result).where(UPLOADS.c.name == name)
    row = connection.execute(wanted).first()
    return None if row is None else _Begun(row.total, row.result)


def _list_missing_pieces(connection: Connection, name: str, total: int) -> tuple[int, ...]:
    numbers = select(UPLOAD_PIECES.c.number).where(UPLOAD_PIECES.c.upload == name)
    here = set(connection.execute(numbers).scalars())
    lacking = (number for number in range(1, total + 1) if number not in here)
    return tuple(number for _, number in zip(range(_ASKED), lacking, strict=False))


def _make_room(connection: Connection) -> None:
    newest_first = select(UPLOADS.c.name).order_by(UPLOADS.c.changed_at.desc())
    for old in connection.execute(newest_first.offset(_MOST_UPLOADS - 1)).scalars().all():
        _forget(connection, old)


def _forget(connection: Connection, name: str) -> None:
    connection.execute(delete(UPLOAD_PIECES).where(UPLOAD_PIECES.c.upload == name))
    connection.execute(delete(UPLOADS).where(UPLOADS.c.name == name))
