"""Checks that a compiled model can be written as a ``.slx`` file, and writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.domains.simulink.build.slx.package import UNVERIFIED
from grounded_builder.domains.simulink.build.slx.verify import (
    write_checked_package,
    write_package_as_read,
)
from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.interfaces.cli.output_file import (
    MATLAB_NAME,
    expect_free,
    write_errors_as_usage,
    write_whole,
)


def expect_place(file: Path, domain: str, *, overwrite: bool) -> None:
    """Raises UnusableError where the model cannot be written, or where the file exists."""
    if domain != "simulink":
        raise UnusableError(f"--slx requires domain simulink, not {domain}")
    if file.suffix != ".slx" or not MATLAB_NAME.fullmatch(file.stem):
        raise UnusableError(
            f"{file}: the file of a model is a MATLAB name with .slx, such as motor.slx"
        )
    expect_free(file, overwrite=overwrite)


def write_slx(
    compilation: Compilation, context: CliContext, file: Path, *, overwrite: bool, as_it_is: bool
) -> dict[str, Any] | None:
    """Writes a model and prints its file; returns None, and writes nothing, for a wrong model.

    A model that was read is written ``as_it_is``; a draft is written without executable parts.
    """
    if compilation.artifact is None:
        return None
    if not as_it_is and "blocks" not in compilation.artifact:
        message = "a model that was read from a file can only be written from that file"
        raise UnusableError(message)
    write = write_package_as_read if as_it_is else write_checked_package
    facts = (context.domain, context.registry, context.options)
    with write_errors_as_usage(file):
        package = write(compilation.artifact, file.name, *facts)
        write_whole(file, package.raw, overwrite=overwrite)
    return {
        "file": str(file),
        "bytes": len(package.raw),
        "verified": False,
        "note": UNVERIFIED,
        "lost": dict(package.lost),
    }
