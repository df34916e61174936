"""Reads what a request asks of a chat model, in the formats of the model services."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from grounded_builder.domains.n8n.rehearsal.answers.question import Question

Wire = Literal["completions", "responses", "anthropic", "gemini", "ollama", "cohere"]

_MAX_DEPTH = 12
_MAX_SCHEMA = 50_000
_MAX_TRIES = 40
_SCHEMA_START = re.compile(r"\{\s?\"(?:type|\$schema|properties|additionalProperties|anyOf)\"")
_SCHEMA_KEYS = frozenset({"properties", "items", "anyOf", "oneOf", "$schema"})
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is offered to the model, with the JSON schema of its arguments."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """What is asked of a model.

    ``called`` are the names of the tools that were called before. ``schema`` is the JSON schema of
    the answer that the request or its text demands.
    """

    wire: Wire
    model: str
    text: str
    tools: tuple[Tool, ...]
    called: frozenset[str]
    schema: Mapping[str, Any] | None
    is_streamed: bool


def read_prompt(question: Question) -> ChatPrompt | None:
    """Reads a request to a chat model; None for any other request."""
    content = question.fields
    wire = _wire_of(question.path, content)
    if wire is None:
        return None
    text = "\n".join(_texts(content))
    return ChatPrompt(
        wire,
        str(content.get("model") or question.path.rpartition("/")[2].partition(":")[0]),
        text,
        tuple(_tools(content)),
        frozenset(_called(content, 0)),
        _response_schema(content) or _schema_in_text(text),
        bool(content.get("stream", wire == "ollama")) or ":stream" in question.path,
    )


def _wire_of(path: str, content: Mapping[str, Any]) -> Wire | None:
    if path.endswith("/chat/completions") and "messages" in content:
        return "completions"
    if path.endswith("/responses") and "input" in content:
        return "responses"
    if path.endswith("/messages") and "max_tokens" in content and "messages" in content:
        return "anthropic"
    if path.endswith(("enerateContent", ":streamGenerateContent")) and "contents" in content:
        return "gemini"
    if path.endswith("/api/chat") and "messages" in content:
        return "ollama"
    return "cohere" if path.endswith("/v2/chat") and "messages" in content else None


def _texts(content: Mapping[str, Any]) -> Iterator[str]:
    """Yields the texts of all messages and instructions in their order."""
    keys = ("system", "instructions", "systemInstruction", "system_instruction")
    for key in (*keys, "messages", "input", "contents"):
        yield from _nested_texts(content.get(key), 0)


def _nested_texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _nested_texts(item, depth + 1)
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        for key in ("text", "content", "parts"):
            yield from _nested_texts(value.get(key), depth + 1)


def _tools(content: Mapping[str, Any]) -> Iterator[Tool]:
    for listed in content.get("tools") or ():
        declared = listed.get("functionDeclarations") or listed.get("function_declarations")
        for item in declared or [listed]:
            function = item.get("function", item)
            name = function.get("name")
            keys = ("parameters", "input_schema", "parametersJsonSchema")
            schema: Any = next((function[key] for key in keys if key in function), {})
            if isinstance(name, str) and isinstance(schema, Mapping):
                yield Tool(name, schema)


def _called(value: Any, depth: int) -> Iterator[str]:
    """Yields the names of the tools that the messages call."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _called(item, depth + 1)
    elif isinstance(value, Mapping):
        if value.get("type") in ("tool_use", "function_call") and "name" in value:
            yield str(value["name"])
        for key in ("function", "functionCall"):
            call = value.get(key)
            if isinstance(call, Mapping) and ("arguments" in call or "args" in call):
                yield str(call.get("name"))
        for key in ("messages", "input", "contents", "content", "parts", "tool_calls"):
            yield from _called(value.get(key), depth + 1)


def _response_schema(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the schema that the parameters of the request demand."""
    for holder in (
        _at(content, "response_format", "json_schema", "schema"),
        _at(content, "text", "format", "schema"),
        _at(content, "generationConfig", "responseSchema"),
        _at(content, "generationConfig", "responseJsonSchema"),
        _at(content, "output_config", "format", "schema"),
        content.get("format"),
    ):
        if isinstance(holder, Mapping) and holder:
            return holder
    return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _schema_in_text(text: str) -> Mapping[str, Any] | None:
    """Returns the last JSON schema in the text: n8n's output parsers put theirs at the end."""
    tail = text[-_MAX_SCHEMA:]
    last, end = None, 0
    for start in islice(_SCHEMA_START.finditer(tail), _MAX_TRIES):
        if start.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(tail, start.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value.get("type", ""), str) and _SCHEMA_KEYS & value.keys():
            last = value
    return last
