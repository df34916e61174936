"""``grounded backup`` and ``grounded restore``: all that is kept as one file, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    opened,
    settings_from_environment,
)
from grounded_builder.interfaces.cli.output import complain, write_line
from grounded_builder.settings import Settings
from grounded_builder.storage import restore as restoring
from grounded_builder.storage.backup import Copied, back_up
from grounded_builder.storage.store import Store


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, mode 0600.")],
    *,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file.")] = False,
) -> None:
    """Copy all that is kept into one file, with the keys; others may go on working."""
    settings = settings_from_environment()
    copied = _done(
        settings,
        lambda store: back_up(store.engine, settings.state, file, overwrite=overwrite),
    )
    write_line(f"{file}: {copied.rows} rows; it holds the keys of this installation, guard it")
    _tell_of_key(settings)


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `grounded backup` wrote.")],
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let go of what is kept now, if anything is.")
    ] = False,
) -> None:
    """Put a backup back, whole or not at all; stop the sidecar before."""
    settings = settings_from_environment()
    copied = _done(
        settings,
        lambda store: restoring.restore(store.engine, settings.state, file, replace=replace),
    )
    made = f", made {copied.made_at}" if copied.made_at else ""
    write_line(f"{copied.rows} rows from {file}{made}")
    if not copied.has_token:
        complain("no token was in it: clients keep theirs, the file `token` is as it was")
    _tell_of_key(settings)


def _done(settings: Settings, work: Callable[[Store], Copied]) -> Copied:
    with clear_errors():
        store = opened(settings)
        try:
            return work(store)
        except FileExistsError as error:
            raise UnusableError(f"{error}; choose another, or say --overwrite") from error
        finally:
            store.close()


def _tell_of_key(settings: Settings) -> None:
    if settings.receipt_key is not None:
        complain("receipts are signed with GROUNDED_RECEIPT_KEY, which is in no backup")
