"""Reads a routing model's reply: tool calls, text, or text around calls, in any common form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.compiler.parse import parse
from grounded_builder.diagnostics import verdict_of
from grounded_builder.ir.options import Limits

_CALLS = ("tool_calls", "tool_call", "function_call", "calls", "steps", "plan")
_WORDS = ("natural_language_response", "cannot", "content", "text", "response", "answer")
_TOOL = ("tool", "tool_id", "tool_name", "name", "function_name", "action")
_ARGUMENTS = ("arguments", "args", "params", "parameters", "input", "inputs", "tool_input")
_DEPENDS = ("depends_on", "dependsOn", "dependencies", "after")
_IDS = ("id", "call_id", "tool_call_id", "step")
# Keys beside a call that are no arguments.
_OTHER_KEYS = ("type", "function", "index", "reason", "provider", "operation")
_FENCE = re.compile(r"```[A-Za-z0-9]*")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_MAX_CHARS = 400_000
_MAX_TRIED = 400
_MAX_CALLS = 200
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a model's reply: text for the user, and calls as steps of a plan.

    ``fault`` is why the reply could not be read.
    """

    text: str
    steps: tuple[Mapping[str, Any], ...]
    fault: str = ""


def read_reply(content: Any, limits: Limits) -> Reply:
    """Returns the content of a reply: text, or a message of a chat API as JSON."""
    if not isinstance(content, str):
        return _make_reply(
            *_collect(content, [], []), "the reply is a JSON value without calls or words"
        )
    text = _THOUGHT.sub("", content[:_MAX_CHARS]).strip()
    if not text:
        return Reply("", (), "the reply is empty")
    words: list[str] = []
    calls: list[Mapping[str, Any]] = []
    values, around = _find_values(text)
    for value in values:
        _collect(value, words, calls)
    if values and (words or calls):
        prose = " ".join(_FENCE.sub(" ", part).strip() for part in around).strip()
        return _make_reply([prose, *words] if prose else words, calls, "")
    if not _seems_json(text):
        return Reply(text, ())
    repaired, notes = parse(text, limits)
    if verdict_of(notes) != "wrong":
        _collect(repaired, words, calls)
    return _make_reply(words, calls, "the reply has JSON that is neither a call nor an answer")


def _make_reply(words: list[str], calls: list[Mapping[str, Any]], fault: str) -> Reply:
    if len(calls) > _MAX_CALLS:
        return Reply("", (), f"the reply has {len(calls)} calls, the limit is {_MAX_CALLS}")
    text = "\n".join(dict.fromkeys(word.strip() for word in words if word.strip()))
    steps = tuple(_make_step(call, number) for number, call in enumerate(calls, 1))
    return Reply(text, steps, "" if text or steps else fault)


def _find_values(text: str) -> tuple[list[Any], list[str]]:
    """Returns every JSON object or list with content in a text, and the text around them."""
    values: list[Any] = []
    around: list[str] = []
    start = at = tried = 0
    while at < len(text) and tried < _MAX_TRIED:
        match = re.compile(r"[\[{]").search(text, at)
        if match is None:
            break
        tried += 1
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.start() + 1
            continue
        if value and _has_content(value):
            around.append(text[start : match.start()])
            values.append(value)
            start = end
        at = end
    around.append(text[start:])
    return values, around


def _has_content(value: Any) -> bool:
    """Returns whether a JSON value contains a call or an answer, and is not just quoted."""
    words, calls = _collect(value, [], [])
    return bool(words or calls)


def _collect(
    value: Any, words: list[str], calls: list[Mapping[str, Any]]
) -> tuple[list[str], list[Mapping[str, Any]]]:
    """Adds the texts and calls in a JSON value to the lists, and returns the lists."""
    if isinstance(value, list):
        for entry in value:
            _collect(entry, words, calls)
    elif isinstance(value, dict):
        _collect_object(value, words, calls)
    return words, calls


def _collect_object(
    value: dict[str, Any], words: list[str], calls: list[Mapping[str, Any]]
) -> None:
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        _collect(choices[:1], words, calls)
        return
    if isinstance(value.get("message"), dict):
        _collect(value["message"], words, calls)
        return
    if _is_call(value):
        calls.append(value)
        return
    for key in _WORDS:
        content = value.get(key)
        if isinstance(content, str):
            words.append(content)
        elif key == "content" and isinstance(content, list):
            _collect(content, words, calls)
    for key in _CALLS:
        inner = value.get(key)
        if isinstance(inner, dict) and key == "plan" and not _is_call(inner):
            _collect(inner, words, calls)
        elif isinstance(inner, list | dict):
            calls_found = inner if isinstance(inner, list) else [inner]
            calls.extend(entry for entry in calls_found if isinstance(entry, dict))
            break


def _is_call(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("function"), dict):
        return True
    if any(isinstance(value.get(key), list | dict) for key in _CALLS):
        return False
    has_tool = any(isinstance(value.get(key), str) for key in _TOOL)
    return has_tool and (
        any(key in value for key in (*_ARGUMENTS, *_DEPENDS)) or isinstance(value.get("tool"), str)
    )


def _make_step(call: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """Returns a call as a step of a plan; invalid arguments are kept, to be reported."""
    function = call.get("function")
    inner = {**call, **function} if isinstance(function, dict) else dict(call)
    tool_key = next((key for key in _TOOL if isinstance(inner.get(key), str)), None)
    tool = str(inner[tool_key]) if tool_key else ""
    if isinstance(function, str) and not tool:
        tool, tool_key = function, "function"
    provider, operation = inner.get("provider"), inner.get("operation")
    if not tool and isinstance(provider, str) and isinstance(operation, str):
        tool = f"{provider}.{operation}"
    identity = next((inner[key] for key in _IDS if isinstance(inner.get(key), str | int)), None)
    if not tool and isinstance(identity, str):
        # Tools are listed with an "id": a call without another name means that tool.
        tool, identity = identity, None
    # A name beside a tool is the id of the call.
    if identity is None and tool_key != "name" and isinstance(inner.get("name"), str):
        identity = inner["name"]
    step: dict[str, Any] = {"id": str(identity or f"call_{number}"), "params": {}}
    if tool:
        step["tool"] = tool
    key = next((key for key in _ARGUMENTS if inner.get(key) is not None), None)
    step["params"] = _parse_arguments(inner[key]) if key else _flat_arguments(inner)
    waits = next((inner[key] for key in _DEPENDS if inner.get(key) is not None), None)
    if waits is not None:
        step["depends_on"] = waits
    return step


def _parse_arguments(value: Any) -> Any:
    """Returns arguments as an object, also if they are written as JSON text."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _flat_arguments(inner: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arguments that are written beside the tool instead of in an object."""
    known = {*_TOOL, *_IDS, *_DEPENDS, *_CALLS, *_OTHER_KEYS}
    return {key: value for key, value in inner.items() if key not in known}


def _seems_json(text: str) -> bool:
    return '{"' in text.replace(" ", "").replace("\n", "") or "tool_call" in text
