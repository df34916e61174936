"""Keep a compiled model as a ``.slx`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.domains.simulink.build.slx.package import UNVERIFIED
from grounded_builder.domains.simulink.build.slx.verify import checked_package, package_as_read
from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.interfaces.cli.output_file import (
    MATLAB_NAME,
    expect_free,
    write_errors_as_usage,
    write_whole,
)


def expect_place(file: Path, domain: str, *, overwrite: bool) -> None:
    """Raises UnusableError where no model of this domain can be kept, or something else
    already is.
    """
    if domain != "simulink":
        raise UnusableError(f"--slx is of domain simulink, not of {domain}")
    if file.suffix != ".slx" or not MATLAB_NAME.fullmatch(file.stem):
        raise UnusableError(f"{file}: the file of a model is a MATLAB name and .slx, as motor.slx")
    expect_free(file, overwrite=overwrite)


def keep(
    compilation: Compilation, bench: CliContext, file: Path, *, overwrite: bool, as_it_is: bool
) -> dict[str, Any] | None:
    """Writes a model and tell of the file; None, and no file, for a wrong one.

    One that was read is written ``as_it_is``, a draft without anything that is run.
    """
    if compilation.artifact is None:
        return None
    if not as_it_is and "blocks" not in compilation.artifact:
        message = "a model that says it was read is written from the file it was read from alone"
        raise UnusableError(message)
    write = package_as_read if as_it_is else checked_package
    facts = (bench.domain, bench.registry, bench.setting)
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
