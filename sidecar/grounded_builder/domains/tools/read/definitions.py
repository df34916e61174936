"""Read tool definitions in any of the shapes that tools are published in."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.catalog_file import CatalogError, Problem
from grounded_builder.catalog.sanitize import clean_name
from grounded_builder.diagnostics.json_kind import name_json_kind

_CALLABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
# Ids that are made, not written: UUIDs, other hexadecimal marks, a word with a number.
_OPAQUE = re.compile(r"[0-9a-fA-F-]{8,}|[A-Za-z]{0,6}[-_.]?\d+")
_LISTS = ("tools", "functions", "result", "connected_tools")
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "schema", "args_schema")
_SCHEMA_WORDS = frozenset(
    {"type", "properties", "$ref", "anyOf", "oneOf", "allOf", "$schema", "$defs", "required"}
)
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_HELP = (
    "send a list of OpenAI functions, an MCP tool list, or "
    '[{"id", "name", "description", "parameters"}]'
)
_MOST_PROBLEMS = 20
_LONGEST_ID = 300


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool as it was defined; ``name`` is what calls say, ``given_id`` what it came with.

    Without a ``schema`` nothing is known of its arguments.
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
    """The tools of a document, each once, in the order of their names.

    CatalogError names everything that is no tool, and tools of one name that differ.
    """
    entries = _entries(document)
    problems: list[Problem] = []
    definitions: list[Definition] = []
    for number, entry in enumerate(entries):
        definition = _definition(entry)
        if isinstance(definition, str):
            problems.append(Problem(f"tool {number}: {definition}"))
        else:
            definitions.append(definition)
    named = _named(definitions)
    problems += _doubled(named)
    if problems:
        raise CatalogError(tuple(problems[:_MOST_PROBLEMS]), _HELP)
    unique = {item.name: item for item in named}
    return tuple(unique[name] for name in sorted(unique))


def is_definitions(document: Any) -> bool:
    """Whether a document is a list of tool definitions, or holds one."""
    if isinstance(document, list):
        return all(isinstance(item, dict) for item in document)
    return isinstance(document, dict) and any(key in document for key in _LISTS)


def _entries(document: Any) -> Sequence[Any]:
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


def _definition(entry: Any) -> Definition | str:
    """One tool, or what is wrong with it."""
    if not isinstance(entry, dict):
        return f"{name_json_kind(entry)}, not an object"
    inner = entry.get("function")
    body = {**entry, **inner} if isinstance(inner, dict) else entry
    name, given = _text(body.get("name")), _text(body.get("id"))
    if not (name or given):
        return 'it has neither a "name" nor an "id"'
    if not is_callable(name) and not given and not clean_name(name):
        return "nothing of its name can be shown"
    if max(len(name), len(given)) > _LONGEST_ID:
        return f"its name or id has more than {_LONGEST_ID} characters"
    key = next((key for key in _SCHEMAS if body.get(key) is not None), None)
    schema = _schema(body[key]) if key else None
    if isinstance(schema, str):
        return f"{clean_name(name or given)}: {schema}"
    if schema is None and isinstance(inner, dict):
        # OpenAI: a function without parameters takes none.
        schema = {"type": "object", "properties": {}}
    annotations = body.get("annotations")
    title = _text(body.get("title")) or (
        _text(annotations.get("title")) if isinstance(annotations, dict) else ""
    )
    return Definition(
        name=name or given,
        given_id=given or name,
        title=title,
        description=_text(body.get("description")),
        provider=_text(body.get("provider")),
        operation=_text(body.get("operation")),
        capabilities=tuple(_texts(body.get("capabilities"))),
        schema=schema,
        source=entry,
    )


def is_callable(name: str) -> bool:
    """Whether a name can stand in a call as it is, as no title with spaces can."""
    return _CALLABLE.fullmatch(name) is not None


def _named(definitions: Sequence[Definition]) -> list[Definition]:
    """The tools by what calls say: the name, or the id where the name is a title or not unique."""
    shared = {
        name
        for name, count in Counter(definition.name for definition in definitions).items()
        if count > 1
        and len({definition.given_id for definition in definitions if definition.name == name}) > 1
    }
    return [_renamed(definition, shared) for definition in definitions]


def _renamed(definition: Definition, shared: set[str]) -> Definition:
    if definition.given_id == definition.name or (
        definition.name not in shared and _is_called(definition)
    ):
        return definition
    return replace(definition, name=definition.given_id, title=definition.title or definition.name)


def _is_called(definition: Definition) -> bool:
    """Whether calls say the name: it can stand in one, and the id says no more than it."""
    if not is_callable(definition.name):
        return False
    return (
        definition.name == definition.name.casefold()
        or _OPAQUE.fullmatch(definition.given_id) is not None
    )


def _doubled(definitions: Sequence[Definition]) -> Iterator[Problem]:
    first: dict[str, tuple[int, Definition]] = {}
    for number, definition in enumerate(definitions):
        earlier = first.setdefault(definition.name, (number, definition))
        if earlier[1] != definition:
            name = clean_name(definition.name)
            yield Problem(f'tools {earlier[0]} and {number} are both called "{name}" and differ')


def _schema(value: Any) -> Mapping[str, Any] | str | None:
    """The JSON Schema of arguments, however they were written; a text says what is wrong."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return "its parameters are a text that is not JSON"
    if isinstance(value, bool):
        return {} if value else {"not": {}}
    if isinstance(value, list):
        return _listed(value)
    if not isinstance(value, dict):
        return f"its parameters are {name_json_kind(value)}, not a JSON Schema"
    inner = value.get("schema")
    if isinstance(inner, dict) and not (_SCHEMA_WORDS & value.keys()):
        return _schema(inner)
    if not value:
        return None
    if _is_schema(value):
        return value
    return _mapped(value)


def _is_schema(value: Mapping[str, Any]) -> bool:
    """Whether an object is a JSON Schema, and not a map of parameters by name."""
    if isinstance(value.get("properties"), dict) or "$ref" in value or "$schema" in value:
        return True
    if any(isinstance(value.get(key), list) for key in ("anyOf", "oneOf", "allOf")):
        return True
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _mapped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters by name, each a schema, the name of a type or a description."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, item in value.items():
        schema = dict(item) if isinstance(item, dict) else {}
        if isinstance(item, str):
            schema = {"type": item} if item in _TYPES else {"description": item}
        if isinstance(schema.get("required"), bool):
            required += [name] if schema.pop("required") else []
        properties[name] = schema
    return {"type": "object", "properties": properties, "required": required}


def _listed(value: list[Any]) -> Mapping[str, Any] | str:
    named = [item for item in value if isinstance(item, dict) and _text(item.get("name"))]
    if len(named) != len(value):
        return "its parameters are a list of which not all have a name"
    return _mapped({item["name"]: {k: v for k, v in item.items() if k != "name"} for item in named})


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(",") if part.strip())
    elif isinstance(value, list):
        yield from (item.strip() for item in value if isinstance(item, str) and item.strip())
