"""Recognizes model packages (zip or text form), and reads the files inside them."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Mapping

from grounded_builder.domains.simulink.read.section import UnreadableError
from grounded_builder.ir.rules.reading import TOO_LARGE

OPC_MARK = b"# MathWorks OPC Text Package"
ZIP_MARK = b"PK"
# The limit for the sum of all opened files; the largest real models unpack to about 30 MB.
MOST_UNPACKED = 64_000_000
_MOST_FILES = 50_000
_PART = re.compile(rb"^__MWOPC_PART_BEGIN__ /?([^\r\n]+)\r?\n", re.MULTILINE)
_END = re.compile(rb"^__MWOPC_PACKAGE_END__", re.MULTILINE)
_CODING = re.compile(r"(?<!\s)\s++(BASE64|TEXT)$", re.IGNORECASE)
_OPENED = re.compile(
    r"simulink/(?:blockdiagram|bddefaults|configSet(?:\d+|Info)|systems/.+)\.xml"
    r"|simulink/stateflow(?:/chart_\d+)?\.xml|metadata/.*[pP]roperties\.xml"
)


def is_package(raw: bytes) -> bool:
    """Returns whether bytes begin like either form of a package."""
    return raw.startswith((ZIP_MARK, OPC_MARK))


def read_package(raw: bytes) -> tuple[Mapping[str, bytes], tuple[str, ...]]:
    """Returns the files that contain the diagram by name, and the names of all others.

    Raises UnreadableError where the package is damaged or unpacks to more than the limit.
    """
    return _zip(raw) if raw.startswith(ZIP_MARK) else _text(raw)


def _zip(raw: bytes) -> tuple[Mapping[str, bytes], tuple[str, ...]]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            _check_count(len(entries))
            left = MOST_UNPACKED
            files: dict[str, bytes] = {}
            others: list[str] = []
            for entry in entries:
                name = entry.filename.lstrip("/")
                if not _is_opened(name):
                    others.append(name)
                    continue
                if entry.flag_bits & 0x1:
                    raise UnreadableError(f"{name} is encrypted")
                # The sizes that a package states may be false, so the bytes that are read are
                # counted.
                with archive.open(entry) as stream:
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0:
                    message = f"the package unpacks to more than {MOST_UNPACKED:,} bytes"
                    raise UnreadableError(message, TOO_LARGE)
                _add(files, name, content)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise UnreadableError(f"the package is damaged: {error}") from error
    except (RuntimeError, ValueError) as error:
        raise UnreadableError(f"the package cannot be unpacked: {error}") from error
    return files, tuple(others)


def _text(raw: bytes) -> tuple[Mapping[str, bytes], tuple[str, ...]]:
    end = _END.search(raw)
    if end is None:
        raise UnreadableError("the text package is cut off before its end")
    marks = list(_PART.finditer(raw, 0, end.start()))
    _check_count(len(marks))
    files: dict[str, bytes] = {}
    others: list[str] = []
    edges = [*(mark.start() for mark in marks), end.start()]
    for mark, after in zip(marks, edges[1:], strict=True):
        name = _CODING.sub("", mark[1].decode("utf-8", "replace"))
        if _is_opened(name):
            _add(files, name, raw[mark.end() : after])
        else:
            others.append(name)
    return files, tuple(others)


def _check_count(count: int) -> None:
    if count > _MOST_FILES:
        message = f"the package holds {count:,} files, the limit is {_MOST_FILES:,}"
        raise UnreadableError(message, TOO_LARGE)


def _add(files: dict[str, bytes], name: str, content: bytes) -> None:
    """Adds a file; UnreadableError for a second one of a name, as other readers may open either."""
    if name in files:
        raise UnreadableError(f"the package holds two files named {name}")
    files[name] = content


def _is_opened(name: str) -> bool:
    return _OPENED.fullmatch(name) is not None
