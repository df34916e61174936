"""Generates hostile requests for every route of the published HTTP API, and for MCP."""

from __future__ import annotations

import base64
import io
import random
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

import orjson

from tests.support import catalogs

MOST_BYTES = 8_000_000
_SIZES = (30_000, 100_000, 400_000, 2_000_000, 7_900_000)
_QUERY_BYTES = 20_000
# The share of requests with a body.
_WITH_BODY = 0.8
_AS_FORM, _AS_TEXT = 0.1, 0.2
_MCP_TOOLS: dict[str, tuple[str, ...]] = {
    "validate": ("draft",),
    "repair": ("draft",),
    "build": ("draft", "key"),
    "import": ("artifact", "receipt"),
    "resolve": ("name", "about"),
    "find_tool": ("query", "kind"),
    "get_tool": ("tool", "params"),
    "generate": ("request", "constraints"),
}
_TOOL = {
    "name": "mail",
    "inputSchema": {
        "type": "object",
        "properties": {"to": {"type": "string", "pattern": "(a*)*" * 20 + "$"}},
    },
}

TEXTS: dict[str, Callable[[int], str]] = {
    "unclosed string": lambda size: '{"a":"' + '\\"' * (size // 2),
    "nested": lambda size: "[" * size,
    "fences": lambda size: "```json\n{" * (size // 9),
    "blanks": lambda size: "{" + " " * size,
    "backticks": lambda size: "`" * size,
    "commas": lambda size: '{"nodes": [' + "{}," * (size // 3),
    "lists": lambda size: "[[]" + ",[]" * (size // 3) + "]",
    "controls": lambda size: "\x01" * (size // 6),
    "commands": lambda size: "send a mail and then " * (size // 21),
    "secrets": lambda size: "password: sk-" * (size // 13),
}
VALUES: dict[str, Callable[[int], Any]] = {
    "lists": lambda size: {"nodes": [[]] * (size // 3)},
    "objects": lambda size: {"nodes": [{"a": 1}] * (size // 8)},
    "numbers": lambda size: {"nodes": [1] * (size // 2)},
    "keys": lambda size: {f"k{n}": 1 for n in range(size // 12)},
    "nodes": lambda size: {"nodes": [_make_node(n) for n in range(size // 90)], "connections": {}},
    "expression": lambda size: _make_workflow("={{ '" + "\\'" * (size // 2)),
    "code": lambda size: _make_workflow('"' + '\\"' * (size // 2)),
    "paths": lambda size: _make_workflow("={{ $json" + ".a" * (size // 2) + " }}"),
    "steps": lambda size: {"steps": [{"id": f"s{n}", "tool": f"t {n}"} for n in range(size // 28)]},
    "tools": lambda size: [{**_TOOL, "name": f"mail{n}"} for n in range(size // 190)],
}


@dataclass(frozen=True, slots=True)
class Target:
    """One operation of the API; ``schema`` is that of its JSON body, or None if it takes none."""

    method: str
    path: str
    queries: tuple[str, ...]
    content_type: str
    schema: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class HostileRequest:
    """A request and a description of its content."""

    kind: str
    method: str
    path: str
    content: bytes
    content_type: str


class Requests:
    """Makes requests for all operations of an OpenAPI document in turn.

    ``places`` maps names of path parameters to values that exist.
    """

    def __init__(
        self, api: Mapping[str, Any], chance: random.Random, places: Mapping[str, str]
    ) -> None:
        self._api = api
        self._chance = chance
        self._places = places
        targets = list(self._list_targets())
        self._with_body = [target for target in targets if target.content_type]
        self._others = [target for target in targets if not target.content_type]
        self._with_body.append(Target("POST", "/mcp", (), "application/json", None))
        self._turn = 0

    def next(self) -> HostileRequest:
        """Returns a request for the next operation."""
        self._turn += 1
        has_body = self._chance.random() < _WITH_BODY
        targets = self._with_body if has_body else self._others
        target = targets[self._turn % len(targets)]
        size = self._chance.choice(_SIZES)
        path = self._make_path(target)
        if not has_body:
            return HostileRequest("query", target.method, path, b"", "")
        kind, raw, content_type = self._make_body(target, size)
        if len(raw) > MOST_BYTES:
            kind, raw = f"{kind}, cut", raw[:MOST_BYTES]
        return HostileRequest(kind, target.method, path, raw, content_type)

    def _list_targets(self) -> Iterator[Target]:
        for path, operations in self._api["paths"].items():
            for method, operation in operations.items():
                content = operation.get("requestBody", {}).get("content", {})
                content_type = next(iter(content), "")
                schema = content[content_type].get("schema") if content_type else None
                queries = tuple(
                    parameter["name"]
                    for parameter in operation.get("parameters", ())
                    if parameter["in"] == "query"
                )
                yield Target(method.upper(), path, queries, content_type, schema)

    def _make_path(self, target: Target) -> str:
        path = target.path
        while "{" in path:
            name = path[path.index("{") + 1 : path.index("}")]
            place = self._fill_parameter(name)
            path = path.replace("{" + name + "}", place)
        asked = []
        for name in target.queries:
            if self._chance.random() < 0.5:
                text = self._chance.choice(list(TEXTS.values()))(self._chance.choice((8, 600)))
                asked.append(f"{name}={quote_plus(text[:_QUERY_BYTES])}")
        return f"{path}?{'&'.join(asked)}" if asked else path

    def _fill_parameter(self, name: str) -> str:
        if name == "domain":
            return self._chance.choice(["n8n", "n8n", "simulink", "tools"])
        if name in self._places and self._chance.random() < 0.8:
            return self._places[name]
        return quote(self._chance.choice(list(TEXTS.values()))(600), safe="")

    def _make_body(self, target: Target, size: int) -> tuple[str, bytes, str]:
        if target.path == "/mcp":
            return self._make_mcp_call(size)
        if target.schema is None or "json" not in target.content_type.split("/")[-1].split("-"):
            kind, text = self._draw_text(size)
            return f"lines, {kind}", catalogs.acme_bytes() + text.encode(), target.content_type
        if self._chance.random() < _AS_TEXT:
            kind, text = self._draw_text(size)
            return f"whole body, {kind}", text.encode(), target.content_type
        kind, value = self._make_object(self._resolve_schema(target.schema), size)
        raw = orjson.dumps(value)
        if self._chance.random() < _AS_FORM:
            form = b"payload=" + quote_plus(raw[: MOST_BYTES // 3]).encode()
            return f"{kind}, form", form, "application/x-www-form-urlencoded"
        return kind, raw, target.content_type

    def _make_object(self, schema: Mapping[str, Any], size: int) -> tuple[str, dict[str, Any]]:
        """Returns an object that follows the schema, with one hostile value."""
        fields = schema.get("properties", {})
        required = {name: self._plain_value(fields[name]) for name in schema.get("required", ())}
        name = self._chance.choice(sorted(fields) or ["x"])
        if "file" in str(fields.get(name, {}).get("description", "")) or name == "model":
            kind, raw = self._make_model_file(size)
            return f"{name}: {kind}", {**required, name: base64.b64encode(raw).decode()}
        if self._chance.random() < 0.5:
            kind, text = self._draw_text(size)
            return f"{name}: text of {kind}", {**required, name: text}
        kind = self._chance.choice(list(VALUES))
        value = VALUES[kind](size)
        takes_list = "array" in str(fields.get(name, {}))
        if takes_list and self._chance.random() < 0.5 and isinstance(value, dict):
            value = list(value.values())
        return f"{name}: {kind}", {**required, name: value}

    def _plain_value(self, schema: Mapping[str, Any]) -> Any:
        schema = self._resolve_schema(schema)
        if "enum" in schema:
            return schema["enum"][0]
        plain = {"object": {}, "array": [], "integer": 1, "number": 1, "boolean": True}
        return plain.get(schema.get("type", ""), "send a mail")

    def _make_mcp_call(self, size: int) -> tuple[str, bytes, str]:
        """Returns an MCP message that calls a tool with one hostile argument."""
        tool = self._chance.choice(list(_MCP_TOOLS))
        name = self._chance.choice(_MCP_TOOLS[tool])
        kind, value = self._draw_text(size)
        if self._chance.random() < 0.5:
            kind = self._chance.choice(list(VALUES))
            value = VALUES[kind](size)
        arguments = {_MCP_TOOLS[tool][0]: "a", "domain": "n8n", name: value}
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return f"{tool}, {name}: {kind}", orjson.dumps(message), "application/json"

    def _draw_text(self, size: int) -> tuple[str, str]:
        kind = self._chance.choice(list(TEXTS))
        return kind, TEXTS[kind](size)

    def _make_model_file(self, size: int) -> tuple[str, bytes]:
        """Returns a model file that grows much larger when it is read."""
        if self._chance.random() < 0.5:
            raw = b'Model {\nName "a"\nX ' + b'"x"\n' * (size // 8) + b"System {\n}\n}"
            return "continued text", raw
        element = self._chance.choice(
            ["<a/>", "<a>", '<P Name="a">1</P>', '<a b="" c="" d=""/>', '<Block Name="a"/>']
        )
        inside = element * (size * 5 // len(element))
        content = f"<ModelInformation><Model><System>{inside}</System></Model></ModelInformation>"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("simulink/blockdiagram.xml", content)
        return f"elements {element}", buffer.getvalue()

    def _resolve_schema(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self._api["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        return schema


def _make_node(number: int) -> dict[str, Any]:
    return {
        "name": f"a{number}",
        "type": f"acme.nope{number}",
        "parameters": {"a": "={{ $json.a }}"},
    }


def _make_workflow(value: str) -> dict[str, Any]:
    node = {"name": "a", "type": "acme.mail", "typeVersion": 1, "parameters": {"text": value}}
    return {"nodes": [node], "connections": {}}
