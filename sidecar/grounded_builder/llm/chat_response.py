"""Reads the reply, or the error message, from the response of a model endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.llm.drafter import DrafterError, Reply

_MAX_QUOTE_CHARS = 300
_TEXT_KEYS = ("text", "content")
_REASONING = ("reasoning_content", "reasoning")
# The keys of a plan, a refusal or a question, if these come as the arguments of one call.
_REPLY_KEYS = frozenset({"steps", "plan", "nodes", "workflow", "changes", "cannot", "need", "ask"})


def read_reply(content: bytes) -> Reply:
    """Returns the reply in a response with status 200; raises DrafterError if it has none."""
    value = parse_object(content)
    if value is None:
        beginning = " ".join(content[:60].decode("utf-8", "replace").split())
        message = f'the model endpoint answered with no JSON object: "{beginning}"'
        raise DrafterError("garbled", message, 200)
    message_ = _first_message(value)
    if message_ is None:
        raise DrafterError("garbled", 'the answer of the model endpoint has no "choices"', 200)
    text = _message_text(message_)
    if not text.strip():
        refusal = message_.get("refusal")
        quoted = f": {refusal[:_MAX_QUOTE_CHARS]}" if isinstance(refusal, str) and refusal else ""
        raise DrafterError("empty", f"the model answered with nothing{quoted}", 200, 0.0)
    usage = value.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Reply(
        text, _read_count(counts, "prompt_tokens"), _read_count(counts, "completion_tokens")
    )


def parse_object(content: bytes) -> dict[str, Any] | None:
    """Returns the JSON object in bytes, None if they are not one."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def read_error_message(content: bytes) -> str:
    """Returns the error message of an endpoint on one line, at most 300 characters."""
    error = (parse_object(content) or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(message.split())[:_MAX_QUOTE_CHARS] if isinstance(message, str) else ""


def _first_message(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


def _message_text(message: Mapping[str, Any]) -> str:
    """Returns the content, else the tool calls, else a document in the reasoning.

    A content without a document only introduces the calls beside it.
    """
    text = _join_parts(message.get("content"))
    calls = message.get("tool_calls")
    if isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    called = _read_calls(calls) if isinstance(calls, list) and "{" not in text else ""
    if called or text.strip():
        return called or text
    # Some endpoints return the whole reply as reasoning if it is cut off or constrained.
    thoughts = (message.get(key) for key in _REASONING)
    return next(
        (thought for thought in thoughts if isinstance(thought, str) and "{" in thought), ""
    )


def _join_parts(content: Any) -> str:
    """Returns the text of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(_part_text(part) for part in content)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type") in ("reasoning", "thinking"):
        return ""
    return next((part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)), "")


def _read_calls(calls: list[Any]) -> str:
    """Returns the arguments of a single call if they are a whole reply, else calls as steps."""
    functions = [call.get("function") for call in calls if isinstance(call, dict)]
    given = [function for function in functions if isinstance(function, dict)]
    if not given:
        return ""
    whole = _arguments(given[0]) if len(given) == 1 else None
    if whole is not None and _REPLY_KEYS & whole.keys():
        return orjson.dumps(whole).decode()
    return orjson.dumps({"tool_calls": [{"function": function} for function in given]}).decode()


def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the arguments of a call, which are an object or its JSON text."""
    given = function.get("arguments")
    if isinstance(given, str):
        return parse_object(given.encode("utf-8", "replace"))
    return given if isinstance(given, dict) else None


def _read_count(usage: Mapping[str, Any], key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) and value >= 0 else 0
