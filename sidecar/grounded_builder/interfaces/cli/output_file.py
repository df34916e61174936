"""Writes an artifact to a file by its suffix, and checks that the file may be written."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from grounded_builder.domains.simulink.build.script import UnsafeValueError
from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.ir.domain import Domain

# MATLAB finds scripts and models by their files:
# https://www.mathworks.com/help/matlab/ref/namelengthmax.html
MATLAB_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_FORMS = {"simulink": (".m", ".slx", ".svg", ".json")}
_NAMED = (".m", ".slx")


def expect_output(file: Path, domain: str, *, overwrite: bool) -> None:
    """Raises UnusableError where no artifact of this domain can be written, or where the file
    exists.
    """
    if file.is_dir():
        return
    forms = _FORMS.get(domain, (".json",))
    if file.suffix not in forms:
        raise UnusableError(f"{file}: {domain} is written as {', '.join(forms)}, or in a folder")
    if file.suffix in _NAMED and not MATLAB_NAME.fullmatch(file.stem):
        raise UnusableError(f"{file}: a MATLAB file name has letters, digits and underscores")
    if not file.parent.is_dir():
        raise UnusableError(f"{file.parent} is not a folder")
    expect_free(file, overwrite=overwrite)


def expect_free(file: Path, *, overwrite: bool) -> None:
    """Raises UnusableError where the file exists and may not be replaced."""
    if not overwrite and (file.exists() or file.is_symlink()):
        raise UnusableError(_exists_error(file))


@contextmanager
def write_errors_as_usage(file: Path) -> Iterator[None]:
    """Turns errors of writing a file into UnusableError with one line on the remedy."""
    try:
        yield
    except (UnwritableError, UnsafeValueError) as error:
        raise UnusableError(f"{file} was not written: {error}") from error
    except FileExistsError as error:
        raise UnusableError(_exists_error(file)) from error
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror or error}") from error


def _exists_error(file: Path) -> str:
    return f"{file} exists; choose another place, or use --overwrite"


def write_artifact(
    artifact: Mapping[str, Any], context: CliContext, file: Path, *, overwrite: bool
) -> Path:
    """Writes an artifact to a file, or into a folder under its own name; returns its path."""
    if file.is_dir():
        file /= str(artifact.get("file") or f"{_stem(artifact)}.json")
    with write_errors_as_usage(file):
        write_whole(file, _content(artifact, context, file), overwrite=overwrite)
    return file


def write_whole(file: Path, raw: bytes, *, overwrite: bool) -> None:
    """Writes a whole file or none; raises FileExistsError for an existing file without
    ``overwrite``.
    """
    if not overwrite:
        file.touch(exist_ok=False)
    try:
        handle, fresh = tempfile.mkstemp(prefix=f".{file.stem}-", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
            Path(fresh).chmod(0o644)
            Path(fresh).replace(file)
        finally:
            Path(fresh).unlink(missing_ok=True)
    except OSError:
        if not overwrite:
            file.unlink(missing_ok=True)
        raise


def _content(artifact: Mapping[str, Any], context: CliContext, file: Path) -> bytes:
    domain: Domain = context.domain
    if file.suffix == ".m":
        return str(artifact["script"]).encode("ascii")
    if file.suffix == ".slx":
        facts = (domain, context.registry, context.options)
        return write_checked_package(artifact, file.name, *facts).raw
    if file.suffix == ".svg" and domain.building.draw is not None:
        return domain.building.draw(artifact["model"], None).encode()
    # The document alone, which every command accepts; other parts have suffixes of their own.
    document = artifact["model"] if domain.name == "simulink" else artifact
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def _stem(artifact: Mapping[str, Any]) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "_", str(artifact.get("name") or "")).strip("_")
    return name[:60] or "artifact"
