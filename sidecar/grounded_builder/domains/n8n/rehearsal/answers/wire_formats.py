"""Writes a model's reply in the format of its service, whole or as a stream of events.

The formats are those of the public references of OpenAI (chat completions, responses), Anthropic
(messages), Google (generateContent), Ollama (chat) and Cohere (chat, version 2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.chat_prompts import ChatPrompt
from grounded_builder.domains.n8n.rehearsal.answers.replies import Reply

_CREATED = 1_767_225_600
_CREATED_TEXT = "2026-01-01T00:00:00Z"
_JSON = "application/json"
_EVENTS = "text/event-stream"

Content = dict[str, Any]


def render(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    """Returns the body of the answer and its content type."""
    if prompt.wire == "completions":
        return _render_completion(prompt, reply)
    if prompt.wire == "responses":
        return _render_response(prompt, reply)
    if prompt.wire == "anthropic":
        return _render_anthropic(prompt, reply)
    if prompt.wire == "gemini":
        return _render_gemini(prompt, reply)
    if prompt.wire == "ollama":
        return _render_ollama(prompt, reply)
    return json.dumps(_cohere(reply)), _JSON


def _events(events: Iterable[Mapping[str, Any]], named: bool = True) -> str:
    """Writes server-sent events; ``named`` repeats the type of each in front of it."""
    return "".join(
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    )


def _render_completion(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    message: Content = {"role": "assistant", "content": reply.text or None, "refusal": None}
    end = "stop"
    if reply.tool:
        function = {"name": reply.tool, "arguments": reply.written_arguments}
        call = {"index": 0, "id": reply.call_id, "type": "function", "function": function}
        message["tool_calls"] = [call]
        end = "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base: Content = {"id": "chatcmpl-1", "created": _CREATED, "model": prompt.model}
    if not prompt.is_streamed:
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": end}
        content = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        return json.dumps(content), _JSON
    base["object"] = "chat.completion.chunk"
    deltas = [
        {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**base, "choices": [], "usage": usage},
    ]
    return _events(deltas, named=False) + "data: [DONE]\n\n", _EVENTS


def _render_response(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    item: Content
    if reply.tool:
        item = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": f"call_{reply.call_id}",
            "name": reply.tool,
            "arguments": reply.written_arguments,
            "status": "completed",
        }
    else:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    response: Content = {
        "id": "resp_1",
        "object": "response",
        "created_at": _CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": prompt.model,
        "output": [item],
        "parallel_tool_calls": True,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
    if not prompt.is_streamed:
        return json.dumps(response), _JSON
    begun = {**item, "arguments": ""} if reply.tool else {**item, "content": []}
    place: Content = {"item_id": item["id"], "output_index": 0}
    delta: Content = (
        {"type": "response.function_call_arguments.delta", "delta": reply.written_arguments}
        if reply.tool
        else {"type": "response.output_text.delta", "content_index": 0, "delta": reply.text}
    )
    started = {**response, "status": "in_progress", "output": []}
    events: list[Content] = [
        {"type": "response.created", "response": started},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {**delta, **place},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    numbered = ({**event, "sequence_number": number} for number, event in enumerate(events))
    return _events(numbered), _EVENTS


def _render_anthropic(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    block: Content = {"type": "text", "text": reply.text}
    if reply.tool:
        block = {"type": "tool_use", "id": f"toolu_{reply.call_id}", "name": reply.tool}
        block["input"] = dict(reply.arguments)
    end = "tool_use" if reply.tool else "end_turn"
    message: Content = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": prompt.model,
        "content": [block],
        "stop_reason": end,
        "stop_sequence": None,
        "usage": usage,
    }
    if not prompt.is_streamed:
        return json.dumps(message), _JSON
    begun = {**block, "input": {}} if reply.tool else {**block, "text": ""}
    delta: Content = (
        {"type": "input_json_delta", "partial_json": reply.written_arguments}
        if reply.tool
        else {"type": "text_delta", "text": reply.text}
    )
    events: list[Content] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": end, "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]
    return _events(events), _EVENTS


def _render_gemini(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    part: Content = {"text": reply.text}
    if reply.tool:
        part = {"functionCall": {"name": reply.tool, "args": dict(reply.arguments)}}
    content = {"role": "model", "parts": [part]}
    body = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": prompt.model,
    }
    if prompt.is_streamed:
        return f"data: {json.dumps(body)}\r\n\r\n", _EVENTS
    return json.dumps(body), _JSON


def _render_ollama(prompt: ChatPrompt, reply: Reply) -> tuple[str, str]:
    message: Content = {"role": "assistant", "content": reply.text}
    if reply.tool:
        call = {"function": {"name": reply.tool, "arguments": dict(reply.arguments)}}
        message["tool_calls"] = [call]
    line = {
        "model": prompt.model,
        "created_at": _CREATED_TEXT,
        "message": message,
        "done": True,
        "done_reason": "stop",
        "total_duration": 1,
        "prompt_eval_count": 1,
        "eval_count": 1,
    }
    if prompt.is_streamed:
        return json.dumps(line) + "\n", "application/x-ndjson"
    return json.dumps(line), _JSON


def _cohere(reply: Reply) -> Content:
    message: Content = {"role": "assistant", "content": [{"type": "text", "text": reply.text}]}
    if reply.tool:
        function = {"name": reply.tool, "arguments": reply.written_arguments}
        message = {
            "role": "assistant",
            "tool_calls": [{"id": reply.call_id, "type": "function", "function": function}],
        }
    tokens = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "1",
        "finish_reason": "TOOL_CALL" if reply.tool else "COMPLETE",
        "message": message,
        "usage": {"tokens": tokens, "billed_units": tokens},
    }
