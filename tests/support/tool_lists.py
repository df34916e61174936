"""Builds lists of tool definitions in the formats in which tools are published."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.domains.tools.read.convert_catalog import make_catalog


def make_desk_tools() -> list[dict[str, Any]]:
    """Returns eight tools for documents and mail as OpenAI functions."""
    text = {"type": "string"}
    return [
        tool("search_documents", "Search the indexed documents for a query.", query=text),
        tool(
            "extract_section",
            "Extract one section of a document.",
            doc_path=text,
            section=text,
        ),
        tool("take_screenshot", "Take pictures of pages of a document.", doc_path=text),
        tool("compose_email", "Write an email and send it.", to=text, subject=text, body=text),
        tool("create_keynote", "Make a presentation of slides.", title=text, content=text),
        tool(
            "create_keynote_with_images",
            "Make a presentation of slides with images.",
            title=text,
            images={"type": "array", "items": text, "minItems": 1, "uniqueItems": True},
        ),
        tool("create_pages_doc", "Write a text document.", title=text, content=text),
        tool(
            "organize_files",
            "Organize files into a folder, all in one step: makes the folder, finds the files "
            "of a category and moves them.",
            category=text,
            target_folder=text,
            mode={"type": "string", "enum": ["move", "copy"], "optional": True},
            limit={"type": "integer", "minimum": 1, "maximum": 500, "optional": True},
        ),
    ]


def make_web_tools() -> list[dict[str, Any]]:
    """Returns a search and a calendar, in the format in which agents list connected tools."""
    return [
        {
            "id": "calendar.list_events",
            "name": "Calendar",
            "provider": "calendar",
            "operation": "list_events",
            "description": "List the events of a calendar between two dates.",
            "capabilities": ["calendar.list", "list events"],
            "parameters": {
                "schema": {
                    "type": "object",
                    "properties": {"start": {"type": "string"}, "end": {"type": "string"}},
                    "required": ["start", "end"],
                }
            },
        },
        {
            "id": "web_search",
            "name": "Web Search",
            "provider": "web",
            "operation": "search",
            "description": "Search the web and give the best pages for a query.",
            "capabilities": ["web.search", "find information online"],
            "parameters": {
                "schema": {
                    "type": "object",
                    "properties": {"query": {"type": "string", "minLength": 1}},
                    "required": ["query"],
                }
            },
        },
    ]


def tool(name: str, description: str, **arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns an OpenAI function; arguments are required unless marked ``optional``."""
    required = [key for key, argument in arguments.items() if not argument.get("optional")]
    properties = {
        key: {k: v for k, v in argument.items() if k != "optional"}
        for key, argument in arguments.items()
    }
    parameters = {"type": "object", "properties": properties, "required": required}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def make_tool_registry(definitions: Any) -> Registry:
    """Returns a registry over a list of definitions, in memory."""
    prepared = prepare_catalog(read_catalog(make_catalog(definitions)))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    return open_registry(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        TOOLS.resolving.compile_tool,
    )
