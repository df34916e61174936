"""Reads from the installed code of a node the fields in which it looks for the items of lists.

n8n's own helpers have the field as an argument, such as ``jiraSoftwareCloudApiRequestAllItems.call(
this, 'issues', ...)``, and declarative nodes name it as ``rootProperty``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PACKAGE = re.compile(r"(?:@[a-z0-9][\w-]{0,100}/)?[a-z0-9][\w-]{0,100}")
_FIELD = r"['\"`](?P<field>[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,5})['\"`]"
_HELPER = re.compile(rf"AllItems\w{{0,40}}\.call\(this, {_FIELD}")
_ROOT = re.compile(rf"rootProperty['\"],\s{{0,80}}properties: \{{\s{{0,80}}property: {_FIELD}")
_METHODS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_MOST_FILES = 300
_MOST_BYTES = 5_000_000


class NodeSources:
    """The code of the nodes of an n8n, found by its script ``node_modules/n8n/bin/n8n``."""

    def __init__(self, n8n: Path) -> None:
        own = n8n.resolve().parent.parent
        self._folders = (own.parent, own / "node_modules")
        self._fields: dict[str, frozenset[str]] = {}

    def list_fields(self, tool: str) -> frozenset[str]:
        """Returns the fields of a node type, with points where they are nested.

        The set is empty for a node whose code is not found or names none.
        """
        if tool not in self._fields:
            self._fields[tool] = frozenset(self._read_fields(tool))
        return self._fields[tool]

    def _read_fields(self, tool: str) -> Iterator[str]:
        package, _, name = tool.rpartition(".")
        if not _PACKAGE.fullmatch(package):
            return
        for root in self._folders:
            file = _find_file(root / package, name)
            if file is not None:
                for text in _read_texts(file.parent):
                    for pattern in (_HELPER, _ROOT):
                        fields = (match["field"] for match in pattern.finditer(text))
                        yield from (field for field in fields if field not in _METHODS)
                return


def _find_file(package: Path, name: str) -> Path | None:
    """Returns the file of a node, which the package lists for n8n or n8n's build has listed."""
    names = (name, name.removesuffix("Tool"))
    known = _read_json(package / "dist" / "known" / "nodes.json")
    for own in names:
        entry = known.get(own)
        if isinstance(entry, dict) and isinstance(entry.get("sourcePath"), str):
            return _inside(package, entry["sourcePath"])
    described = _read_json(package / "package.json").get("n8n")
    listed = described.get("nodes") if isinstance(described, dict) else None
    for path in listed if isinstance(listed, list) else ():
        if isinstance(path, str) and Path(path).name.partition(".")[0].lower() == name.lower():
            return _inside(package, path)
    return None


def _inside(package: Path, path: str) -> Path | None:
    file = (package / path).resolve()
    return file if file.is_relative_to(package.resolve()) and file.is_file() else None


def _read_json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _read_texts(folder: Path) -> Iterator[str]:
    """Yields the texts of a node's scripts, up to a number of files and bytes."""
    total = 0
    for number, file in enumerate(sorted(folder.rglob("*.js"))):
        total += file.stat().st_size
        if number >= _MOST_FILES or total > _MOST_BYTES:
            return
        yield file.read_text("utf-8", "replace")
