"""Keep a compiled draft as a ``.slx`` file."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from grounded_builder.cli.environment import UnusableError, Workbench
from grounded_builder.domains.simulink.matlab.script import UnsafeValueError
from grounded_builder.domains.simulink.reading.files import native
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.domains.simulink.writing.drafted import as_kept
from grounded_builder.domains.simulink.writing.element import UnwritableError
from grounded_builder.domains.simulink.writing.package import UNVERIFIED, package_of
from grounded_builder.pipeline import Compilation, judge

# MATLAB finds a model by its file: https://www.mathworks.com/help/matlab/ref/namelengthmax.html
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


def expect_place(file: Path, domain: str, *, overwrite: bool) -> None:
    """UnusableError where no model of this domain can be kept, or something else already is."""
    if domain != "simulink":
        raise UnusableError(f"--slx is of domain simulink, not of {domain}")
    if file.suffix != ".slx" or not _NAME.fullmatch(file.stem):
        raise UnusableError(f"{file}: the file of a model is a MATLAB name and .slx, as motor.slx")
    if not overwrite and (file.exists() or file.is_symlink()):
        raise UnusableError(f"{file} exists; choose another place, or say --overwrite")


def keep(
    compilation: Compilation, bench: Workbench, file: Path, *, overwrite: bool
) -> dict[str, Any] | None:
    """Write the model of a draft and tell of the file; None, and no file, for a wrong one."""
    if compilation.artifact is None:
        return None
    if "blocks" not in compilation.artifact:
        raise UnusableError("only drafts are written as .slx: this model was read from a file")

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = bench.registry.tools.get(name)
        found = bench.registry.spec(name, tool.default_version) if tool is not None else None
        return found if isinstance(found, BlockSpec) else None

    try:
        package = package_of(as_kept(compilation.artifact, spec))
        _expect_readable(package.raw, file, bench)
        _write(file, package.raw, overwrite=overwrite)
    except (UnwritableError, UnsafeValueError) as error:
        raise UnusableError(f"{file} is not written: {error}") from error
    except FileExistsError as error:
        raise UnusableError(f"{file} exists; choose another place, or say --overwrite") from error
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror or error}") from error
    return {
        "file": str(file),
        "bytes": len(package.raw),
        "verified": False,
        "note": UNVERIFIED,
        "lost": dict(package.lost),
    }


def _expect_readable(raw: bytes, file: Path, bench: Workbench) -> None:
    """Read the file as any other is read: what is wrong in it is not kept."""
    opened = native(raw, file.name)
    model = opened.document if opened is not None else None
    if model is None:
        raise UnwritableError("it cannot be read again")
    found = judge(model, bench.domain, bench.registry, bench.setting)
    wrong = next((one for one in found.diagnostics if one.rule.kind == "wrong"), None)
    if wrong is not None:
        raise UnwritableError(f"read again, {wrong.message}")


def _write(file: Path, raw: bytes, *, overwrite: bool) -> None:
    """Put a whole file in its place, or none."""
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
