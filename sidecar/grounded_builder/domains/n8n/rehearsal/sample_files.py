"""Adds files to the samples of triggers that receive them: forms, mails, messages, uploads."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.answers.files import make_file
from grounded_builder.domains.n8n.trial.samples import CERTAIN, Sample
from grounded_builder.domains.n8n.trial.trigger_fields import (
    FORM,
    list_form_fields,
    name_form_field,
)
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_WEBHOOK = "n8n-nodes-base.webhook"
# Parameters of n8n-nodes-base 2.41 that name the files that a node reads.
_READING = ("binaryPropertyName", "binaryProperty", "inputDataFieldName", "attachments")
# Switches of triggers that add the file of a message to its item.
_DOWNLOADS = ("download", "binaryData")
_PREFIXES = ("dataPropertyAttachmentsPrefixName", "attachmentsPrefix")
_OF_EXPRESSION = re.compile(r"(?<![\w$.])\$binary\.([A-Za-z_]\w{0,80})")
_NAME = re.compile(r"\w{1,80}")
# Operations of Extract From File that are named otherwise than the ending of their files.
_ENDINGS = {"text": "txt", "fromJson": "json", "fromIcs": "ics"}
_EXTRACT = "n8n-nodes-base.extractFromFile"
_DEFAULT = "pdf"


def add_files(resolved: ResolvedGraph, samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """Returns the samples with the files that triggers receive or later nodes read of them."""
    out = dict(samples)
    for name, sample in samples.items():
        if sample.origin in CERTAIN:
            continue
        readers = dict(_list_readers(resolved, name))
        names = dict.fromkeys(_list_received(resolved.by_name[name], readers))
        if names:
            files = {key: _describe_file(*_choose_file(key, readers)) for key in names}
            items = tuple({**item, "binary": files} for item in sample.items)
            out[name] = replace(sample, items=items)
    return out


def _choose_file(name: str, readers: Mapping[str, str]) -> tuple[bytes, str, str]:
    ending = readers.get(name) or _DEFAULT
    return (*make_file(ending), ending)


def _describe_file(content: bytes, kind: str, ending: str) -> Mapping[str, Any]:
    """Returns a file as n8n keeps it in an item."""
    return {
        "mimeType": kind,
        "fileName": f"sample.{ending}",
        "fileExtension": ending,
        "fileSize": f"{len(content)} B",
        "data": b64encode(content).decode(),
    }


def _list_received(bound: ResolvedNode, readers: Mapping[str, str]) -> Iterator[str]:
    """Yields the names of the files that a trigger receives."""
    if bound.node.tool == FORM:
        for field in list_form_fields(bound):
            if field.get("fieldType") == "file":
                several = "_0" if field.get("multipleFiles") else ""
                yield re.sub(r"\W", "_", name_form_field(bound, field)) + several
        return
    if bound.node.tool == _WEBHOOK:
        yield from readers
        return
    values = dict(_flatten(filled_parameters(bound).full if _is_known(bound) else {}))
    prefix = next((values[key] for key in _PREFIXES if isinstance(values.get(key), str)), None)
    # A prefix without a switch: the format of the mails includes their attachments.
    if values.get("downloadAttachments", prefix is not None) is True:
        yield f"{prefix or 'attachment_'}0"
    elif any(values.get(key) is True for key in _DOWNLOADS):
        yield "data"


def _list_readers(resolved: ResolvedGraph, trigger: str) -> Iterator[tuple[str, str]]:
    """Yields the files that nodes behind a trigger read, with the ending that they expect."""
    after: dict[str, list[str]] = {}
    for edge in resolved.graph.edges:
        if edge.source_kind == MAIN:
            after.setdefault(edge.source, []).append(edge.target)
    seen, stack = {trigger}, [trigger]
    while stack:
        for name in after.get(stack.pop(), ()):
            bound = resolved.by_name.get(name)
            if bound is None or name in seen:
                continue
            seen.add(name)
            stack.append(name)
            yield from _list_read(bound)


def _list_read(bound: ResolvedNode) -> Iterator[tuple[str, str]]:
    if not _is_known(bound) or bound.node.disabled:
        return
    values = dict(_flatten(filled_parameters(bound).full))
    operation = values.get("operation")
    is_extracting = bound.node.tool == _EXTRACT and isinstance(operation, str)
    ending = _ENDINGS.get(str(operation), str(operation)) if is_extracting else ""
    for key in _READING:
        for name in str(values.get(key) or "").split(","):
            if _NAME.fullmatch(name.strip()):
                yield name.strip(), ending
    for text in collect_texts(bound):
        if text.use in ("expression", "code"):
            yield from ((name, "") for name in _OF_EXPRESSION.findall(text.value))


def _flatten(values: Any) -> Iterator[tuple[str, Any]]:
    """Yields the plain values of nested parameters by their names."""
    if isinstance(values, list):
        for value in values:
            yield from _flatten(value)
    elif isinstance(values, Mapping):
        for key, value in values.items():
            if isinstance(value, Mapping | list):
                yield from _flatten(value)
            else:
                yield key, value


def _is_known(bound: ResolvedNode) -> bool:
    return isinstance(bound.spec, NodeSpec)
