"""Read the reply of a model out of what its endpoint answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.llm.drafter import DrafterError, Reply

_QUOTED = 300
_TEXT_KEYS = ("text", "content")
_REASONING = ("reasoning_content", "reasoning")
# What a plan, a refusal or a question is told by, when it comes as the arguments of one call.
_WHOLE = frozenset({"steps", "plan", "nodes", "cannot", "need"})


def reply_in(content: bytes) -> Reply:
    """The reply in an answer with status 200; DrafterError where there is none."""
    value = object_in(content)
    if value is None:
        begin = " ".join(content[:60].decode("utf-8", "replace").split())
        message = f'the model endpoint answered with no JSON object: "{begin}"'
        raise DrafterError("garbled", message, 200)
    message_of = _first_message(value)
    if message_of is None:
        raise DrafterError("garbled", 'the answer of the model endpoint has no "choices"', 200)
    text = _text_of(message_of)
    if not text.strip():
        refusal = message_of.get("refusal")
        result = f": {refusal[:_QUOTED]}" if isinstance(refusal, str) and refusal else ""
        raise DrafterError("empty", f"the model answered with nothing{result}", 200)
    usage = value.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    return Reply(text, _count(counted, "prompt_tokens"), _count(counted, "completion_tokens"))


def object_in(content: bytes) -> dict[str, Any] | None:
    """The JSON object that bytes are, None where they are none."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def error_message_in(content: bytes) -> str:
    """What an endpoint said of its error, in one line of bounded length."""
    error = (object_in(content) or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(message.split())[:_QUOTED] if isinstance(message, str) else ""


def _first_message(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


def _text_of(message: Mapping[str, Any]) -> str:
    """The content, else the calls of tools, else a document that stands in the reasoning."""
    text = _joined(message.get("content"))
    if text.strip():
        return text
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        return _called(calls)
    if isinstance(message.get("function_call"), dict):
        return _called([{"function": message["function_call"]}])
    # Some endpoints file all that a model says under reasoning when it is cut off or constrained.
    thoughts = (message.get(key) for key in _REASONING)
    return next(
        (thought for thought in thoughts if isinstance(thought, str) and "{" in thought), ""
    )


def _joined(content: Any) -> str:
    """A content is text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(_part(item) for item in content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type") in ("reasoning", "thinking"):
        return ""
    return next((part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)), "")


def _called(calls: list[Any]) -> str:
    """One call whose arguments are a whole reply is that reply; others are the steps of a plan."""
    functions = [call.get("function") for call in calls if isinstance(call, dict)]
    given = [function for function in functions if isinstance(function, dict)]
    if not given:
        return ""
    whole = _arguments(given[0]) if len(given) == 1 else None
    if whole is not None and _WHOLE & whole.keys():
        return orjson.dumps(whole).decode()
    return orjson.dumps({"tool_calls": [{"function": item} for item in given]}).decode()


def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of a call, which are an object or the text of one."""
    given = function.get("arguments")
    if isinstance(given, str):
        return object_in(given.encode("utf-8", "replace"))
    return given if isinstance(given, dict) else None


def _count(usage: Mapping[str, Any], key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) and value >= 0 else 0
