"""Implements ``grounded matlab``: writes the MATLAB toolbox to a folder or a zip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from grounded_builder.domains.simulink.matlab import toolbox_package
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.output import write_line

matlab = typer.Typer(help="Write the MATLAB toolbox.", no_args_is_help=True)

_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing toolbox.")]


@matlab.command()
def install(
    folder: Annotated[Path, typer.Argument(help="The folder of the toolbox; created if absent.")],
    *,
    overwrite: _Overwrite = False,
) -> None:
    """Write the toolbox to a folder, for MATLAB's `addpath`."""
    count = _write(lambda: toolbox_package.install(folder, overwrite=overwrite))
    path = str(folder.resolve()).replace("'", "''")
    write_line(f"{count} files; in MATLAB: addpath('{path}')")


@matlab.command("zip")
def zip_(
    file: Annotated[Path, typer.Argument(help="The zip to write.")],
    *,
    overwrite: _Overwrite = False,
) -> None:
    """Write the toolbox as a zip, to be unpacked where MATLAB is."""
    count = _write(lambda: toolbox_package.write_zip(file, overwrite=overwrite))
    write_line(f"{count} files; unpack {file.name} where MATLAB is, and add its folder to the path")


def _write(work: Callable[[], int]) -> int:
    try:
        return work()
    except FileExistsError as error:
        raise UnusableError(f"{error}; choose another place, or use --overwrite") from error
    except OSError as error:
        raise UnusableError(f"{error.filename}: {error.strerror}") from error
