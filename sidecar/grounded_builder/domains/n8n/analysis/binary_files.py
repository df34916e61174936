"""Determines which files a node adds, drops and takes from items, from its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.analysis.node_outputs import PASSING_ON
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode

_BASE = "n8n-nodes-base."
_LANGCHAIN = "@n8n/n8n-nodes-langchain."
_MAX_DEPTH = 6
# How n8n's nodes describe the fields from which they take a file, and into which they put one.
_TAKES = re.compile(
    r"input (?:binary|data) field|binary property (?:which|that|containing)"
    r"|attachment (?:input data )?field name|input field with",
    re.IGNORECASE,
)
_PUTS = re.compile(
    r"put output|output binary field|output file|to which to write|prefix", re.IGNORECASE
)
# A setting with such a name may add a file; only its description tells which.
_MAY_ADD = re.compile(r"download|attachment|binary|upload", re.IGNORECASE)
_UNKNOWN_NAMES = frozenset(
    f"{_BASE}{name}"
    for name in (
        *("code", "function", "functionItem", "executeWorkflow", "executeWorkflowTrigger"),
        *("webhook", "moveBinaryData", "itemLists", "compareDatasets", "n8n", "ftp", "ssh"),
    )
)
# They output new items without the files of those that they receive.
_WITHOUT_FILES = frozenset(
    {
        f"{_BASE}summarize",
        f"{_LANGCHAIN}agent",
        f"{_LANGCHAIN}chainLlm",
        f"{_LANGCHAIN}chainSummarization",
        f"{_LANGCHAIN}informationExtractor",
    }
)
_FORMS = frozenset({f"{_BASE}formTrigger", f"{_BASE}form"})


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a node adds, None if unknown, and whether it drops those that it receives.

    A name that ends with ``*`` stands for all names that begin like it.
    """

    added: frozenset[str] | None
    drops: bool = False


@dataclass(frozen=True, slots=True)
class FileUse:
    """A field from which a node takes a file; ``is_whole`` if its parameter names no other."""

    at: tuple[str | int, ...]
    name: str
    is_whole: bool


def files_of(bound: ResolvedNode) -> Files:
    """Returns what a node does with the files of items, cached on it."""
    known: Files | None = bound.memo.get("files")
    if known is None:
        known = bound.memo["files"] = _read_files(bound)
    return known


def find_file_uses(bound: ResolvedNode) -> Iterator[FileUse]:
    """Yields the fields from which a node takes files, also those by default."""
    if not isinstance(bound.spec, NodeSpec):
        return
    for route, raw, value in _shown_values(bound):
        if not isinstance(value, str) or value[:1] in ("", "="):
            continue
        if raw.get("type") != "string" or not _TAKES.search(_words(raw)):
            continue
        if _PUTS.search(_words(raw)):
            continue
        for name in value.split(","):
            if name.strip():
                at = (*bound.node.at, "parameters", *route)
                yield FileUse(at, name.strip(), is_whole="," not in value)


def fits(name: str, files: frozenset[str]) -> bool:
    """Returns whether a field is one of the files."""
    return name in files or any(name.startswith(file[:-1]) for file in files if file.endswith("*"))


def _read_files(bound: ResolvedNode) -> Files:
    tool, source = bound.node.tool or "", bound.node.source
    if bound.node.disabled or tool in PASSING_ON:
        return Files(frozenset())
    is_core = tool.startswith(_BASE) or tool in _WITHOUT_FILES
    if not isinstance(bound.spec, NodeSpec) or not is_core or tool in _UNKNOWN_NAMES:
        return Files(None)
    if source.get("continueOnFail") or str(source.get("onError", "")).startswith("continue"):
        return Files(None)
    given = filled_parameters(bound).full
    options = given.get("options")
    options = options if isinstance(options, Mapping) else {}
    if tool in _WITHOUT_FILES:
        return Files(frozenset(), drops=True)
    if tool in _FORMS:
        return Files(_read_form(given, bound.version or 0), drops=True)
    if given.get("operation") == "sendAndWait":
        return Files(frozenset(), drops=given.get("responseType") != "customForm")
    if tool == f"{_BASE}aggregate":
        return Files(frozenset(), drops=not options.get("includeBinaries"))
    if tool == f"{_BASE}set":
        return Files(frozenset(), drops=_set_drops(given, options, bound.version or 0))
    if tool == f"{_BASE}httpRequest":
        return _read_request(options, bound.version or 0)
    return Files(_read_added(bound))


def _read_form(given: Mapping[str, Any], version: float) -> frozenset[str] | None:
    """Returns the files of a form: Form/utils replaces what is no letter in the field's name."""
    fields = given.get("formFields")
    entries = fields.get("values") if isinstance(fields, Mapping) else None
    if given.get("defineForm") == "json" or not isinstance(entries, list | None):
        return None
    names: set[str] = set()
    for entry in entries or ():
        if not isinstance(entry, Mapping):
            return None
        if entry.get("fieldType") != "file":
            continue
        label, name = entry.get("fieldLabel"), entry.get("fieldName")
        named = name if version >= 2.4 and name else label or name
        if not isinstance(named, str) or named.startswith("="):
            return None
        field = re.sub(r"[^A-Za-z0-9_]", "_", named)
        names.add(field)
        if entry.get("multipleFiles") is not False:
            names.add(f"{field}_*")
    return frozenset(names)


def _set_drops(given: Mapping[str, Any], options: Mapping[str, Any], version: float) -> bool:
    """Returns whether Set drops files: Set/v2 composeReturnItem."""
    if version < 3:
        return given.get("keepOnlySet") is True
    if version < 3.4:
        return not options.get("includeBinary")
    assigned = given.get("assignments")
    if "binary" in str(assigned):
        return False
    return given.get("includeOtherFields") is False or options.get("stripBinary") is True


def _read_request(options: Mapping[str, Any], version: float) -> Files:
    response = options.get("response")
    inner = response.get("response") if isinstance(response, Mapping) else None
    inner = inner if isinstance(inner, Mapping) else {}
    kind, name = inner.get("responseFormat", "autodetect"), inner.get("outputPropertyName", "data")
    if version < 3 or not isinstance(name, str) or name.startswith("="):
        return Files(None)
    if kind in ("json", "text"):
        return Files(frozenset(), drops=True)
    return Files(frozenset({name}), drops=True)


def _read_added(bound: ResolvedNode) -> frozenset[str] | None:
    """Returns the files that a node adds by its shown parameters and by defaults of its options."""
    names: set[str] = set()
    for _, raw, value in _shown_values(bound):
        if raw.get("type") == "collection":
            for option in raw.get("options") or ():
                if isinstance(option, Mapping) and _puts(option):
                    names.add(_file_name(option, option.get("default")))
        elif _puts(raw):
            names.add(_file_name(raw, value))
        elif value is True and _MAY_ADD.search(str(raw.get("name"))):
            return None
    return None if any(name.startswith(("=", "*")) for name in names) else frozenset(names)


def _puts(raw: Mapping[str, Any]) -> bool:
    words = _words(raw)
    return _PUTS.search(words) is not None and _TAKES.search(words) is None


def _file_name(raw: Mapping[str, Any], value: Any) -> str:
    """Returns the name under which a file is put, a star where it is not stated."""
    name = value if isinstance(value, str) else ""
    return f"{name}*" if not name or "prefix" in _words(raw).casefold() else name


def _shown_values(
    bound: ResolvedNode,
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any], Any]]:
    """Yields the route, declaration and value of the parameters that n8n shows, with defaults."""
    filled = filled_parameters(bound)
    for name, declared in bound.spec.declarations.root.by_name.items():
        for prop in declared:
            if prop.is_shown(filled.simple, filled.simple):
                if prop.type == "collection":
                    yield (name,), prop.raw, filled.full.get(name)
                yield from _walk([prop.raw], filled.full, (), 0)


def _walk(
    declared: Any, given: Any, above: tuple[str | int, ...], depth: int
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any], Any]]:
    """Yields the route, declaration and value of the values of a level and of those below it."""
    if not isinstance(declared, list) or not isinstance(given, Mapping) or depth > _MAX_DEPTH:
        return
    for raw in declared:
        name = raw.get("name") if isinstance(raw, Mapping) else None
        if not isinstance(name, str) or name not in given:
            continue
        value, route = given[name], (*above, name)
        if raw.get("type") == "collection":
            yield from _walk(raw.get("options"), value, route, depth + 1)
        elif raw.get("type") == "fixedCollection" and isinstance(value, Mapping):
            for group in raw.get("options") or ():
                inner = value.get(group.get("name")) if isinstance(group, Mapping) else None
                entries = list(enumerate(inner)) if isinstance(inner, list) else [(None, inner)]
                for index, entry in entries:
                    place = (*route, group["name"]) if inner is not None else route
                    place = place if index is None else (*place, index)
                    yield from _walk(group.get("values"), entry, place, depth + 1)
        else:
            yield route, raw, value


def _words(raw: Mapping[str, Any]) -> str:
    return " | ".join(str(raw.get(key, "")) for key in ("displayName", "description", "hint"))
