"""Compiles for commands within time and memory limits; costly work runs in child processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.interfaces.cli.inputs import Document, read_documents
from grounded_builder.interfaces.cli.output import complain
from grounded_builder.services.isolation.bounds import CompileLimitError, ProcessBounds
from grounded_builder.services.isolation.child import run_forked
from grounded_builder.services.isolation.compiler import INLINE_TEXT, Compiling
from grounded_builder.settings import Settings

_JSON = (b"{", b"[")
_BLANK = 1_000


def run_bounded(work: Callable[[], Any], raw: Any, context: CliContext) -> Any:
    """Returns the result of work on a draft; raises CompileLimitError when it takes too much.

    ``raw`` is the draft: bytes, text, or a decoded JSON value. Small drafts are processed here, all
    others in a child process.
    """
    settings = context.store.settings
    if not _is_costly(raw, settings.inline_bytes):
        return work()

    def work_apart() -> Any:
        context.store.leave_connections()
        return work()

    return run_forked(work_apart, ProcessBounds(settings.deadline_s, settings.compile_memory))


def compile_each(
    paths: list[str], context: CliContext, compile_raw: Callable[[bytes], Compilation]
) -> Iterator[tuple[Document, Compilation] | None]:
    """Yields each document with its compilation; None for one that cannot be read or compiled,
    which is reported on standard error.
    """
    for document in read_documents(paths):
        if isinstance(document, OSError):
            complain(f"{document.filename}: {document.strerror}")
            yield None
            continue
        try:
            work = partial(compile_raw, document.raw)
            compilation: Compilation = run_bounded(work, document.raw, context)
        except CompileLimitError as error:
            complain(f"{document.source}: {error}; {error.help}")
            yield None
            continue
        yield document, compilation


def compiling_bounded(document: Document, context: CliContext) -> Compiling:
    """Returns a function that compiles one document within the bounds; raises UnusableError beyond
    them.
    """

    def compile_within(work: Callable[[], Any], size: int = 0) -> Any:
        del size
        try:
            return run_bounded(work, document.raw, context)
        except CompileLimitError as error:
            raise UnusableError(f"{document.source}: {error}; {error.help}") from error

    return compile_within


def compiling_apart(context: CliContext) -> Compiling:
    """Returns a function that compiles everything in child processes, within the bounds."""
    # Built here and inherited, so that children need not build it.
    context.registry.search.has_stem("")

    settings = context.store.settings
    bounds = ProcessBounds(settings.deadline_s, settings.compile_memory)

    def compile_apart(work: Callable[[], Any], size: int = 0) -> Any:
        del size

        def work_apart() -> Any:
            context.store.leave_connections()
            return work()

        return run_forked(work_apart, bounds)

    return compile_apart


def run_apart(work: Callable[[], Any], source: str, settings: Settings) -> Any:
    """Returns the result of work on a source in a child process; raises UnusableError beyond the
    bounds.
    """
    try:
        return run_forked(work, ProcessBounds(settings.deadline_s, settings.compile_memory))
    except CompileLimitError as error:
        raise UnusableError(f"{source}: {error}; {error.help}") from error


def _is_costly(raw: Any, json_bytes: int) -> bool:
    if isinstance(raw, str):
        return len(raw) > INLINE_TEXT
    if not isinstance(raw, bytes):
        return False
    if raw[:_BLANK].lstrip().startswith(_JSON):
        return len(raw) > json_bytes
    return len(raw) > INLINE_TEXT or raw.startswith(b"PK")
