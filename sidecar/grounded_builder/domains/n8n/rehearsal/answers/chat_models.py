"""Answers requests to chat models and embeddings in the format of their service."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers import wire_formats
from grounded_builder.domains.n8n.rehearsal.answers.chat_prompts import ChatPrompt, read_prompt
from grounded_builder.domains.n8n.rehearsal.answers.examples import example_of
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.answers.replies import Reply
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, json_answer

TEXT = "This is the text of a rehearsed model."
MOST_TOOLS = 7
"""The tools that a model calls: an agent of n8n ends after ten rounds by default."""

_DIMENSIONS = 1_536
_GEMINI_DIMENSIONS = 768
_MAX_DIMENSIONS = 8_192
_MAX_INPUTS = 1_000
# The tool by which n8n's agents return output for a parser.
_FINAL_TOOL = "format_final_json_response"


@dataclass(frozen=True, slots=True)
class _Embedding:
    """The inputs of a request for embeddings."""

    inputs: list[Any]
    dimensions: int


def answer_model(question: Question, most_tools: int = MOST_TOOLS) -> Answer | None:
    """Returns the answer of a model service, None for a request to anything else."""
    if question.request.method == "GET":
        return _model_list(question)
    prompt = read_prompt(question)
    if prompt is not None:
        reply, source = choose_reply(prompt, most_tools)
        body, kind = wire_formats.render(prompt, reply)
        return Answer(200, body.encode(), source, {"content-type": kind})
    return _embeddings(question)


def choose_reply(prompt: ChatPrompt, most_tools: int = MOST_TOOLS) -> tuple[Reply, str]:
    """Returns the reply of the model, and in words why.

    Each tool is called once, then an instance of the demanded schema or a text follows.
    """
    open_tools = [tool for tool in prompt.tools if tool.name not in prompt.called]
    plain = [tool for tool in open_tools if tool.name != _FINAL_TOOL]
    if plain and len(prompt.called) < most_tools:
        return Reply(tool=plain[0].name, arguments=_arguments(plain[0].schema)), (
            f'a call of the tool "{plain[0].name}"'
        )
    for tool in open_tools:
        if tool.name == _FINAL_TOOL:
            return Reply(tool=tool.name, arguments=_arguments(tool.schema)), "the demanded schema"
    if prompt.schema is not None:
        text = json.dumps(example_of(prompt.schema, 1), ensure_ascii=False)
        return Reply(text=text), "the demanded schema"
    return Reply(text=TEXT), "the text of a rehearsed model"


def _arguments(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    value = example_of({"type": "object", **schema}, 1)
    return value if isinstance(value, dict) else {}


def _model_list(question: Question) -> Answer | None:
    """Answers a list of models: OpenAI and those like it, Anthropic, Gemini, Ollama."""
    if question.segments[-1:] == ["tags"] and question.path.endswith("/api/tags"):
        return json_answer({"models": [{"name": "model", "model": "model"}]}, "a list of models")
    if question.segments[-1:] != ["models"]:
        return None
    if "generativelanguage" in question.request.host:
        methods = ["generateContent", "embedContent"]
        model = {"name": "models/model", "supportedGenerationMethods": methods}
        return json_answer({"models": [model]}, "a list of models")
    listed = [{"id": "model", "object": "model", "type": "model", "created": 1_700_000_000}]
    content = {"object": "list", "data": listed, "has_more": False}
    return json_answer(content, "a list of models")


def _embeddings(question: Question) -> Answer | None:
    wanted = _read_embedding(question)
    if wanted is None:
        return None
    vectors = list(_vectors(wanted))
    content: Mapping[str, Any]
    if question.path.endswith(":embedContent"):
        content = {"embedding": {"values": vectors[0]}}
    elif question.path.endswith(":batchEmbedContents"):
        content = {"embeddings": [{"values": vector} for vector in vectors]}
    elif question.path.endswith(("/api/embed", "/embed")):
        content = {"embeddings": vectors if "model" in question.fields else {"float": vectors}}
    elif question.path.endswith("/api/embeddings"):
        content = {"embedding": vectors[0]}
    else:
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        data = [
            {"object": "embedding", "index": i, "embedding": vector}
            for i, vector in enumerate(vectors)
        ]
        model = question.fields.get("model")
        content = {"object": "list", "data": data, "model": model, "usage": usage}
    return json_answer(content, "embeddings made from the texts")


def _read_embedding(question: Question) -> _Embedding | None:
    fields, path = question.fields, question.path
    if path.endswith((":embedContent", ":batchEmbedContents")):
        requests = fields.get("requests")
        inputs = requests if isinstance(requests, list) else [fields]
        first = inputs[0] if inputs and isinstance(inputs[0], Mapping) else {}
        asked = first.get("outputDimensionality", _GEMINI_DIMENSIONS)
    elif path.endswith(("/embeddings", "/api/embed", "/embed")):
        given = fields.get("input", fields.get("texts", fields.get("prompt", [""])))
        inputs = given if isinstance(given, list) else [given]
        asked = fields.get("dimensions", fields.get("output_dimension", _DIMENSIONS))
    else:
        return None
    size = asked if isinstance(asked, int) and 0 < asked <= _MAX_DIMENSIONS else _DIMENSIONS
    return _Embedding(inputs[:_MAX_INPUTS] or [""], size)


def _vectors(wanted: _Embedding) -> Iterator[list[float]]:
    """Yields a vector for each input; equal inputs have equal vectors."""
    for item in wanted.inputs:
        seed = json.dumps(item, sort_keys=True).encode()
        digest = hashlib.shake_256(seed).digest(wanted.dimensions)
        yield [round((byte - 127.5) / 1_000, 4) for byte in digest]
