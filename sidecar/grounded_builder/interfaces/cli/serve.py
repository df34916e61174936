"""Implements ``grounded serve``: runs the sidecar."""

from __future__ import annotations

from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    settings_from_environment,
)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Port to listen on.")] = None,
) -> None:
    """Run the sidecar until it is interrupted."""
    # The web framework takes longer to load than most other commands.
    from grounded_builder.interfaces.http.server import serve as serve_api  # noqa: PLC0415
    from grounded_builder.interfaces.http.workers import ListenError  # noqa: PLC0415

    settings = settings_from_environment(host=host, port=port)
    try:
        with clear_errors():
            serve_api(settings)
    except ListenError as error:
        raise UnusableError(str(error)) from error
