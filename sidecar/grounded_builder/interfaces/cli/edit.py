"""Implements ``grounded edit``: changes a workflow as a request asks, and shows the difference."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any

import typer

from grounded_builder.compiler.parse import decode_text, parse
from grounded_builder.compiler.text_edits import format_like, rewrite_text
from grounded_builder.interfaces.cli.context import UnusableError, clear_errors, cli_context
from grounded_builder.interfaces.cli.inputs import Document, read_documents
from grounded_builder.interfaces.cli.isolated_compile import compiling_bounded
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    terminal_look,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.interfaces.cli.repair import show_difference, store
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.edit_sessions import EditSetup
from grounded_builder.services.edit_sessions import edit as edit_whole
from grounded_builder.settings import MOST_ROUNDS

_LONGEST = 20_000


def edit(
    file: Annotated[str, typer.Argument(help="The workflow: a file, or -.")],
    request: Annotated[str, typer.Argument(help="The change, in your words.")],
    domain: Annotated[str, typer.Option(help="n8n")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    rounds: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROUNDS, help="Maximum number of drafts.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
    *,
    write: Annotated[bool, typer.Option("--write", help="Change the file.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what changes, as a patch.")] = False,
    planner: Annotated[
        bool, typer.Option("--planner", help="Derive the changes by rules, without a model.")
    ] = False,
) -> None:
    """Change a workflow; everything that the request does not mention keeps its bytes."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    if not request.strip() or len(request) > _LONGEST:
        raise UnusableError(
            f"a request has 1 to {_LONGEST:,} characters, this one has {len(request):,}"
        )
    context = cli_context(domain, catalog, "import")
    editor = context.domain.editing
    if editor is None:
        raise UnusableError(f"documents of domain {domain} cannot be changed")
    document = _read_only_document(file)
    text = decode_text(document.raw)
    compiling = compiling_bounded(document, context)
    before, _ = compiling(partial(parse, document.raw, context.options.limits))
    order = DraftRequest(request, rounds=rounds, drafter=PLANNER if planner else "auto")
    facts = (context.store, context.domain, context.registry, context.references, compiling)
    tools = EditSetup(*facts, editor=editor)
    with clear_errors():
        answer = edit_whole(order, before, tools)
    changed = answer["edit"]
    new = text
    if changed is not None:
        new = compiling(partial(_new_text, text, before, changed["workflow"]))
    if write and new != text:
        store(document, new)
    if diff:
        show_difference(document.source, text, new, terminal_look())
    elif form is Format.text:
        _write_answer(answer)
        if new != text and not write:
            show_difference(document.source, text, new, terminal_look())
    elif form is Format.json:
        write_json({"source": document.source, **answer})
    else:
        write_record({"id": document.source, **answer})
    raise typer.Exit(0 if answer["outcome"] == "built" else 1)


def _read_only_document(path: str) -> Document:
    found_documents = list(read_documents([path]))
    if len(found_documents) != 1:
        raise UnusableError(f"{path} holds {len(found_documents)} documents: edit one at a time")
    document = found_documents[0]
    if isinstance(document, OSError):
        raise UnusableError(f"{document.filename}: {document.strerror}")
    return document


def _new_text(text: str, before: Any, after: Any) -> str:
    """Returns the changed document in the layout of the old one, or newly laid out where that was
    not JSON.
    """
    try:
        return rewrite_text(text, json.loads(text, strict=False), after)
    except (ValueError, IndexError, RecursionError):
        return text if before == after else format_like(after, text)


def _write_answer(answer: Answer) -> None:
    write_line(f"{answer['outcome']}: {answer['summary']}")
    for point in answer["todo"]:
        write_line(f"  to do: {point}")
    write_line(f"  run {answer['session']}: see `grounded runs {answer['session']}`")
