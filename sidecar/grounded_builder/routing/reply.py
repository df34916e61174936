"""Read a model's reply: calls, words, or words around calls, in any of the usual shapes."""

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
# What is written beside a call and is no argument of it.
_BESIDE = ("type", "function", "index", "reason", "provider", "operation")
_FENCE = re.compile(r"```[A-Za-z0-9]*")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LONGEST = 400_000
_MOST_TRIED = 400
_MOST_CALLS = 200
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: words for the person, and calls as steps of a plan.

    ``fault`` says why nothing could be read.
    """

    text: str
    steps: tuple[Mapping[str, Any], ...]
    fault: str = ""


def read_reply(said: Any, limits: Limits) -> Reply:
    """Read a reply: text, or a message of a chat API as a JSON value."""
    if not isinstance(said, str):
        return _made(*_split(said, [], []), "the reply is a JSON value without calls or words")
    text = _THOUGHT.sub("", said[:_LONGEST]).strip()
    if not text:
        return Reply("", (), "the reply is empty")
    words: list[str] = []
    calls: list[Mapping[str, Any]] = []
    values, around = _values(text)
    for value in values:
        _split(value, words, calls)
    if values and (words or calls):
        prose = " ".join(_FENCE.sub(" ", part).strip() for part in around).strip()
        return _made([prose, *words] if prose else words, calls, "")
    if not _seems_json(text):
        return Reply(text, ())
    mended, notes = parse(text, limits)
    if verdict_of(notes) != "wrong":
        _split(mended, words, calls)
    return _made(words, calls, "the reply holds JSON that is neither a call nor an answer")


def _made(words: list[str], calls: list[Mapping[str, Any]], fault: str) -> Reply:
    if len(calls) > _MOST_CALLS:
        return Reply("", (), f"the reply holds {len(calls)} calls, {_MOST_CALLS} are taken")
    text = "\n".join(dict.fromkeys(word.strip() for word in words if word.strip()))
    steps = tuple(_step(call, number) for number, call in enumerate(calls, 1))
    return Reply(text, steps, "" if text or steps else fault)


def _values(text: str) -> tuple[list[Any], list[str]]:
    """Every JSON object or list in a text, and the pieces of text around them."""
    results: list[Any] = []
    around: list[str] = []
    start = at = tried = 0
    while at < len(text) and tried < _MOST_TRIED:
        match = re.compile(r"[\[{]").search(text, at)
        if match is None:
            break
        tried += 1
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.start() + 1
            continue
        if value and _speaks(value):
            around.append(text[start : match.start()])
            results.append(value)
            start = end
        at = end
    around.append(text[start:])
    return results, around


def _speaks(value: Any) -> bool:
    """Whether a JSON value holds a call or an answer, and is not just something quoted."""
    words, calls = _split(value, [], [])
    return bool(words or calls)


def _split(
    value: Any, words: list[str], calls: list[Mapping[str, Any]]
) -> tuple[list[str], list[Mapping[str, Any]]]:
    """Sort what a JSON value says into words and calls."""
    if isinstance(value, list):
        for item in value:
            _split(item, words, calls)
    elif isinstance(value, dict):
        _of_object(value, words, calls)
    return words, calls


def _of_object(value: dict[str, Any], words: list[str], calls: list[Mapping[str, Any]]) -> None:
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        _split(choices[:1], words, calls)
        return
    if isinstance(value.get("message"), dict):
        _split(value["message"], words, calls)
        return
    if _is_call(value):
        calls.append(value)
        return
    for key in _WORDS:
        result = value.get(key)
        if isinstance(result, str):
            words.append(result)
        elif key == "content" and isinstance(result, list):
            _split(result, words, calls)
    for key in _CALLS:
        inner = value.get(key)
        if isinstance(inner, dict) and key == "plan" and not _is_call(inner):
            _split(inner, words, calls)
        elif isinstance(inner, list | dict):
            entries = inner if isinstance(inner, list) else [inner]
            calls.extend(entry for entry in entries if isinstance(entry, dict))
            break


def _is_call(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("function"), dict):
        return True
    if any(isinstance(value.get(key), list | dict) for key in _CALLS):
        return False
    named = any(isinstance(value.get(key), str) for key in _TOOL)
    return named and (
        any(key in value for key in (*_ARGUMENTS, *_DEPENDS)) or isinstance(value.get("tool"), str)
    )


def _step(call: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """A call as a step of a plan; arguments that are no object stay as they are, to be told."""
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
        # Tools are listed with an "id": a call that names nothing else means that.
        tool, identity = identity, None
    # A name beside a tool is what the call is called.
    if identity is None and tool_key != "name" and isinstance(inner.get("name"), str):
        identity = inner["name"]
    step: dict[str, Any] = {"id": str(identity or f"call_{number}"), "params": {}}
    if tool:
        step["tool"] = tool
    key = next((key for key in _ARGUMENTS if inner.get(key) is not None), None)
    step["params"] = _arguments(inner[key]) if key else _leftovers(inner)
    waits = next((inner[key] for key in _DEPENDS if inner.get(key) is not None), None)
    if waits is not None:
        step["depends_on"] = waits
    return step


def _arguments(value: Any) -> Any:
    """Arguments as they were meant: models write them as a text of JSON too."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _leftovers(inner: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that were written beside the tool instead of below it."""
    known = {*_TOOL, *_IDS, *_DEPENDS, *_CALLS, *_BESIDE}
    return {key: value for key, value in inner.items() if key not in known}


def _seems_json(text: str) -> bool:
    return '{"' in text.replace(" ", "").replace("\n", "") or "tool_call" in text
