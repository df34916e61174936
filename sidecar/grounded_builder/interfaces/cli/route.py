"""Implements ``grounded route``: chooses tools to call, and takes call results in a dialogue."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    cli_context,
    open_store,
)
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.routing.request import RouteInput, RouteRequest
from grounded_builder.services.session_lookup import ConversationError
from grounded_builder.services.tool_routes import ToolRoutingSessions
from grounded_builder.settings import MOST_ROUNDS

_DOMAIN = "tools"
_SHOWN, _LISTED = 200, 20


class Drafter(enum.StrEnum):
    """Who chooses the tools: the configured models, nobody, or a model on standard input."""

    auto = "auto"
    none = "none"
    external = "external"


def route(
    request: Annotated[str, typer.Argument(help="The request, in words, or -.")] = "",
    tools: Annotated[Path | None, typer.Option(help="A file with tool definitions.")] = None,
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    drafter: Annotated[Drafter, typer.Option(help="What chooses the tools.")] = Drafter.auto,
    rounds: Annotated[
        int, typer.Option(min=1, max=MOST_ROUNDS, help="Replies before the fallback.")
    ] = 3,
    form: Annotated[
        Format, typer.Option("--format", help="text, json, or jsonl for a dialogue.")
    ] = Format.text,
    *,
    answer: Annotated[
        bool, typer.Option("--answer", help="Ask the model to answer from the results.")
    ] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Show unknown names and failing calls.")
    ] = False,
) -> None:
    """Choose tools for a request and print the calls; with jsonl, read their results line by line.

    A dialogue writes one answer per line and reads {"reply": ...}, {"failed": ...} or {"result":
    {"call": ..., "output": ...}} for each, until an answer has the status done.
    """
    expect_form(form, Format.text, Format.json, Format.jsonl)
    if drafter is Drafter.external and form is not Format.jsonl:
        raise UnusableError("--drafter external needs --format jsonl: replies come line by line")
    routing = _open_sessions(catalog)
    if statistics:
        with clear_errors():
            write_json(routing.statistics(_LISTED))
        return
    text = sys.stdin.read() if request == "-" and form is not Format.jsonl else request
    if not text.strip():
        raise UnusableError("there is no request: write one")
    order = RouteRequest(
        request=text,
        tools=None if tools is None else _definitions(tools),
        drafter=drafter.value,
        rounds=rounds,
        answer=answer,
    )
    with clear_errors():
        dialogue = routing.open(order)
        if form is Format.jsonl:
            dialogue = _dialogue(dialogue, routing)
        elif form is Format.json:
            write_json(dialogue)
        else:
            _write_answer(dialogue)
    raise typer.Exit(0 if dialogue["status"] != "done" or dialogue["outcome"] != "failed" else 1)


def _dialogue(take: dict[str, Any], routing: ToolRoutingSessions) -> dict[str, Any]:
    write_record(take)
    for line in _lines():
        if take["status"] == "done":
            break
        try:
            given = RouteInput(
                reply=line.get("reply"), failed=line.get("failed"), result=line.get("result")
            )
            take = routing.take(take["route"], given)
            write_record(take)
        except (ConversationError, KeyError, TypeError) as error:
            write_record({"error": str(error)})
    return take


def _lines() -> Iterator[dict[str, Any]]:
    for raw in sys.stdin.buffer:
        if not raw.strip():
            continue
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            write_record({"error": f"the line is not JSON: {error.msg}"})
            continue
        if isinstance(value, dict) and sum(key in value for key in _GIVEN) == 1:
            yield value
        else:
            write_record({"error": f"a line is an object with one of {', '.join(_GIVEN)}"})


_GIVEN = ("reply", "failed", "result")


def _open_sessions(catalog: str) -> ToolRoutingSessions:
    def load_registry(_fingerprint: str) -> Registry:
        return cli_context(_DOMAIN, catalog).registry

    return ToolRoutingSessions(open_store(), DOMAINS[_DOMAIN], load_registry)


def _definitions(file: Path) -> Any:
    try:
        return orjson.loads(file.read_bytes())
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise UnusableError(f"{file}: not JSON: {error}") from error


def _write_answer(answer: dict[str, Any]) -> None:
    if answer["status"] == "call":
        if answer["text"]:
            write_line(answer["text"])
        for call in answer["planned"]:
            arguments = json.dumps(call["arguments"], ensure_ascii=False)
            write_line(f"{call['id']}: {call['tool']} {arguments[:_SHOWN]}")
        return
    if answer["text"]:
        write_line(answer["text"])
    for call in answer["calls"]:
        why = f": {call['error']['error_message']}" if "error" in call else ""
        write_line(f"{call['id']}: {call['tool'] or call['drafted']} {call['state']}{why}")
    if answer["error"] is not None:
        write_line(answer["error"]["error"])
        write_line(f"connected: {', '.join(answer['error']['connected_tools']) or 'none'}")
