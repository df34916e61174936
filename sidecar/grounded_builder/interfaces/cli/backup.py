"""Implements ``grounded backup`` and ``restore``: copies all stored data to a file, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    settings_from_environment,
)
from grounded_builder.interfaces.cli.output import complain, write_line
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings
from grounded_builder.storage import restore as restoring
from grounded_builder.storage.backup import Copied, back_up
from grounded_builder.storage.store import Store


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, mode 0600.")],
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing file.")
    ] = False,
) -> None:
    """Copy all stored data into one file, with the keys; other commands may run meanwhile."""
    settings = settings_from_environment()
    copied = _run(
        settings,
        lambda store: back_up(store.engine, settings.state, file, overwrite=overwrite),
    )
    write_line(
        f"{file}: {copied.rows} rows; it contains the keys of this installation, keep it safe"
    )
    _warn_about_key(settings)


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `grounded backup` wrote.")],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Discard the current data.")] = False,
) -> None:
    """Replace the stored data with a backup, whole or not at all; stop the sidecar first."""
    settings = settings_from_environment()
    copied = _run(
        settings,
        lambda store: restoring.restore(store.engine, settings.state, file, replace=replace),
    )
    made = f", made {copied.made_at}" if copied.made_at else ""
    write_line(f"{copied.rows} rows from {file}{made}")
    if not copied.has_token:
        complain(
            "the backup has no token file: clients keep their tokens, the file `token` is unchanged"
        )
    _warn_about_key(settings)


def _run(settings: Settings, work: Callable[[Store], Copied]) -> Copied:
    with clear_errors():
        store = open_domains_store(settings)
        try:
            return work(store)
        except FileExistsError as error:
            raise UnusableError(f"{error}; choose another file, or use --overwrite") from error
        finally:
            store.close()


def _warn_about_key(settings: Settings) -> None:
    if settings.receipt_key is not None:
        complain("receipts are signed with GROUNDED_RECEIPT_KEY, which is in no backup")
