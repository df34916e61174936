"""Recognizes and reads lists of tool definitions in any published shape; checks call names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.catalog_file import CatalogError, Problem
from grounded_builder.catalog.text_cleaning import clean_name
from grounded_builder.diagnostics.json_kind import name_json_kind

_CALLABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
# Generated ids: UUIDs, other hexadecimal ids, a short word with a number.
_OPAQUE = re.compile(r"[0-9a-fA-F-]{8,}|[A-Za-z]{0,6}[-_.]?\d+")
_LISTS = ("tools", "functions", "result", "connected_tools")
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "schema", "args_schema")
_SCHEMA_WORDS = frozenset(
    {"type", "properties", "$ref", "anyOf", "oneOf", "allOf", "$schema", "$defs", "required"}
)
# How ranges and lists are written where parameters are no JSON Schema.
_SHORT_KEYWORDS = {"min": "minimum", "max": "maximum", "options": "enum"}
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_HELP = (
    "send a list of OpenAI functions, an MCP tool list, or "
    '[{"id", "name", "description", "parameters"}]'
)
_MOST_PROBLEMS = 20
_LONGEST_ID = 300


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool as it was defined.

    ``name`` is the name that calls use, ``given_id`` the id in the definition. Without a ``schema``
    nothing is known of the arguments.
    """

    name: str
    given_id: str
    title: str = ""
    description: str = ""
    provider: str = ""
    operation: str = ""
    capabilities: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    source: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_definitions(document: Any) -> tuple[Definition, ...]:
    """Returns the tools of a document, each once, sorted by name.

    Raises CatalogError that lists entries that are not tools, and different tools of one name.
    """
    entries = _list_entries(document)
    problems: list[Problem] = []
    definitions: list[Definition] = []
    for number, entry in enumerate(entries):
        definition = _read_definition(entry)
        if isinstance(definition, str):
            problems.append(Problem(f"tool {number}: {definition}"))
        else:
            definitions.append(definition)
    renamed = _assign_names(definitions)
    problems += _find_duplicates(renamed)
    if problems:
        raise CatalogError(tuple(problems[:_MOST_PROBLEMS]), _HELP)
    unique = {definition.name: definition for definition in renamed}
    return tuple(unique[name] for name in sorted(unique))


def is_definitions(document: Any) -> bool:
    """Returns whether a document is a list of tool definitions, or contains one."""
    if isinstance(document, list):
        return all(isinstance(definition, dict) for definition in document)
    return isinstance(document, dict) and any(key in document for key in _LISTS)


def _list_entries(document: Any) -> Sequence[Any]:
    for _ in range(2):
        if isinstance(document, list):
            return document
        if not isinstance(document, dict):
            break
        key = next((key for key in _LISTS if isinstance(document.get(key), list | dict)), None)
        if key is None:
            break
        document = document[key]
    if isinstance(document, list):
        return document
    message = f"{name_json_kind(document)} where a list of tools is expected"
    raise CatalogError((Problem(message),), _HELP)


def _read_definition(entry: Any) -> Definition | str:
    """Returns one tool, or what is wrong with it."""
    if not isinstance(entry, dict):
        return f"{name_json_kind(entry)}, not an object"
    inner = entry.get("function")
    body = {**entry, **inner} if isinstance(inner, dict) else entry
    is_bare = isinstance(body.get("properties"), dict) and not any(map(body.get, _SCHEMAS))
    if is_bare and not body.get("name"):
        # A JSON Schema on its own: its title is the name.
        schema_of_all = {key: value for key, value in body.items() if key != "id"}
        body = {"name": body.get("title"), "parameters": schema_of_all} | {
            key: body[key] for key in ("id", "description") if key in body
        }
    name, given_id = _strip_text(body.get("name")), _strip_text(body.get("id"))
    if not (name or given_id):
        return 'it has neither a "name" nor an "id"; a JSON Schema needs a "title"'
    if not is_callable(name) and not given_id and not clean_name(name):
        return "its name has no printable character"
    if max(len(name), len(given_id)) > _LONGEST_ID:
        return f"its name or id has more than {_LONGEST_ID} characters"
    key = next((key for key in _SCHEMAS if body.get(key) is not None), None)
    schema = _read_schema(body[key]) if key else None
    if isinstance(schema, str):
        return f"{clean_name(name or given_id)}: {schema}"
    if schema is None and isinstance(inner, dict):
        # In the format of OpenAI a function without parameters takes no arguments.
        schema = {"type": "object", "properties": {}}
    annotations = body.get("annotations")
    title = _strip_text(body.get("title")) or (
        _strip_text(annotations.get("title")) if isinstance(annotations, dict) else ""
    )
    return Definition(
        name=name or given_id,
        given_id=given_id or name,
        title=title,
        description=_strip_text(body.get("description")),
        provider=_strip_text(body.get("provider")),
        operation=_strip_text(body.get("operation")),
        capabilities=tuple(_split_texts(body.get("capabilities"))),
        schema=schema,
        source=entry,
    )


def is_callable(name: str) -> bool:
    """Returns whether a name can be used in a call as it is; a title with spaces cannot."""
    return _CALLABLE.fullmatch(name) is not None


def _assign_names(definitions: Sequence[Definition]) -> list[Definition]:
    """Returns the tools with the names that calls use.

    That is the name, or the id where the name is a title or several tools share it.
    """
    shared = {
        name
        for name, count in Counter(definition.name for definition in definitions).items()
        if count > 1
        and len({definition.given_id for definition in definitions if definition.name == name}) > 1
    }
    return [_assign_name(definition, shared) for definition in definitions]


def _assign_name(definition: Definition, shared: set[str]) -> Definition:
    if definition.given_id == definition.name or (
        definition.name not in shared and _is_called(definition)
    ):
        return definition
    return replace(definition, name=definition.given_id, title=definition.title or definition.name)


def _is_called(definition: Definition) -> bool:
    """Returns whether calls use the name: it is callable, and the id adds nothing to it."""
    if not is_callable(definition.name):
        return False
    return (
        definition.name == definition.name.casefold()
        or _OPAQUE.fullmatch(definition.given_id) is not None
    )


def _find_duplicates(definitions: Sequence[Definition]) -> Iterator[Problem]:
    first: dict[str, tuple[int, Definition]] = {}
    for number, definition in enumerate(definitions):
        earlier = first.setdefault(definition.name, (number, definition))
        if earlier[1] != definition:
            name = clean_name(definition.name)
            yield Problem(f'tools {earlier[0]} and {number} are both called "{name}" and differ')


def _read_schema(value: Any) -> Mapping[str, Any] | str | None:
    """Returns the JSON Schema of arguments in any notation; a text is the reason for none."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return "its parameters are a text that is not JSON"
    if isinstance(value, bool):
        return {} if value else {"not": {}}
    if isinstance(value, list):
        return _read_schema_list(value)
    if not isinstance(value, dict):
        return f"its parameters are {name_json_kind(value)}, not a JSON Schema"
    inner = value.get("schema")
    if isinstance(inner, dict) and not (_SCHEMA_WORDS & value.keys()):
        return _read_schema(inner)
    if not value:
        return None
    if _is_schema(value):
        return value
    return _read_schema_map(value)


def _is_schema(value: Mapping[str, Any]) -> bool:
    """Returns whether an object is a JSON Schema, and not a map of parameters by name."""
    if isinstance(value.get("properties"), dict) or "$ref" in value or "$schema" in value:
        return True
    if any(isinstance(value.get(key), list) for key in ("anyOf", "oneOf", "allOf")):
        return True
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _read_schema_map(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the schema of parameters by name, each a schema, a type's name or a description."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in value.items():
        schema = dict(parameter) if isinstance(parameter, dict) else {}
        if isinstance(parameter, str):
            schema = {"type": parameter} if parameter in _TYPES else {"description": parameter}
        for short, keyword in _SHORT_KEYWORDS.items():
            if short in schema:
                schema.setdefault(keyword, schema.pop(short))
        if isinstance(schema.get("required"), bool):
            required += [name] if schema.pop("required") else []
        properties[name] = schema
    return {"type": "object", "properties": properties, "required": required}


def _read_schema_list(value: list[Any]) -> Mapping[str, Any] | str:
    parameters = [
        parameter
        for parameter in value
        if isinstance(parameter, dict) and _strip_text(parameter.get("name"))
    ]
    if len(parameters) != len(value):
        return "its parameters are a list in which some have no name"
    return _read_schema_map(
        {
            parameter["name"]: {k: v for k, v in parameter.items() if k != "name"}
            for parameter in parameters
        }
    )


def _strip_text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _split_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(",") if part.strip())
    elif isinstance(value, list):
        yield from (text.strip() for text in value if isinstance(text, str) and text.strip())
