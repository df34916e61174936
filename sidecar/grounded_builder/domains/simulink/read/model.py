"""Recognizes .slx and .mdl files by their bytes, and reads them into the JSON of a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.read.configuration import (
    active_file,
    read_agreed_settings,
    settings_of,
)
from grounded_builder.domains.simulink.read.document import SHAPE
from grounded_builder.domains.simulink.read.functions import functions_in, is_function_file
from grounded_builder.domains.simulink.read.mdl_text import decode, read_mdl
from grounded_builder.domains.simulink.read.package import OPC_MARK, is_package, read_package
from grounded_builder.domains.simulink.read.release import release_in, release_of_version
from grounded_builder.domains.simulink.read.section import Part, Room, UnreadableError
from grounded_builder.domains.simulink.read.skipped_parts import SkippedParts
from grounded_builder.domains.simulink.read.systems import Sources, read_systems
from grounded_builder.domains.simulink.read.xml_text import read_xml
from grounded_builder.ir.rules.reading import TOO_LARGE, WRONG_DOCUMENT

LEFT_OUT_PART = Rule.info("SLX103", "left-out-part", "Unsupported parts of the file are omitted.")

LARGEST = 64_000_000
KINDS = {"Model": "model", "Library": "library", "Subsystem": "subsystem"}

_DIAGRAM = "simulink/blockdiagram.xml"
_DEFAULTS = "simulink/bddefaults.xml"
_SYSTEM = re.compile(r"simulink/systems/(.+)\.xml")
_CHART = re.compile(r"simulink/stateflow(?:/chart_\d+)?\.xml")
_CLASSIC = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:#[^\n]*\n\s*)*(?:Model|Library|Subsystem)\s*\{")
_HELP = "open it in Simulink and save it again, or take another copy"


def open_model(raw: bytes, name: str = "") -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """Returns the model in the bytes of a ``.slx`` or ``.mdl`` file; None where it cannot be read.

    ``name`` is the name of the model where the file does not state one.
    """
    if len(raw) > LARGEST:
        message = f"the file has {len(raw):,} bytes, the limit is {LARGEST:,}"
        return None, [
            new_diagnostic(TOO_LARGE, (), message, help="divide the model into several files")
        ]
    unread = SkippedParts()
    try:
        model, diagnostics = _open(raw, name, unread)
    except UnreadableError as error:
        return None, [new_diagnostic(error.rule, (), str(error), help=_HELP)]
    if unread.counts:
        message = f"parts of the file are not supported and were omitted: {unread.summarize()}"
        diagnostics.append(
            new_diagnostic(LEFT_OUT_PART, (), message, help="these parts are not checked")
        )
    return model, diagnostics


def is_model(raw: bytes) -> bool:
    """Returns whether bytes begin like a model file, which may still be malformed."""
    return is_package(raw) or _CLASSIC.match(raw[:100_000]) is not None


def _open(raw: bytes, name: str, unread: SkippedParts) -> tuple[dict[str, Any], list[Diagnostic]]:
    if is_package(raw):
        return _package(raw, name, unread)
    if not _CLASSIC.match(raw[:100_000]):
        shown = raw[:30].decode("utf-8", "replace").strip()
        message = (
            f'the file is not a Simulink model: it begins with "{shown}"'
            if raw
            else "the file is empty"
        )
        raise UnreadableError(message, WRONG_DOCUMENT)
    text, whole = decode(raw)
    if not whole:
        unread.add("character")
    top = read_mdl(text)
    root = next((part for part in top.parts if part.tag in KINDS), None)
    if root is None:
        raise UnreadableError("the file holds no model", WRONG_DOCUMENT)
    for part in top.parts:
        if part is not root:
            unread.add(part.tag)
    model, diagnostics = _model(root, "mdl", name, Sources({}), unread)
    if (release := release_of_version(root.own.get("Version", ""))) is not None:
        model["release"] = release
    model["defaults"] = _defaults(root) or {}
    if scripts := functions_in(part for part in top.parts if part.tag == "Stateflow"):
        model["functions"] = scripts
    return model, diagnostics


def _package(
    raw: bytes, name: str, unread: SkippedParts
) -> tuple[dict[str, Any], list[Diagnostic]]:
    files, others = read_package(raw)
    if _DIAGRAM not in files:
        raise UnreadableError(
            f"the package holds no {_DIAGRAM}: it is not a Simulink model", WRONG_DOCUMENT
        )
    room = Room()
    root = _root(read_xml(files[_DIAGRAM], _DIAGRAM, room))
    systems = {
        match[1]: read_xml(content, file, room)
        for file, content in files.items()
        if (match := _SYSTEM.fullmatch(file))
    }
    sources = Sources(systems)
    layout = "mdl-opc" if raw.startswith(OPC_MARK) else "slx"
    model, diagnostics = _model(root, layout, name, sources, unread)
    release = next(
        filter(None, (release_in(files[file]) for file in sorted(files, reverse=True))), None
    )
    if release is not None:
        model["release"] = release
    part = read_xml(files[_DEFAULTS], _DEFAULTS, room) if _DEFAULTS in files else root
    model["defaults"] = _defaults(part) or _defaults(root) or {}
    if (file := active_file(files, room)) is not None:
        settings = settings_of(read_xml(files[file], file, room))
        model["settings"] |= {k: v for k, v in settings.items() if k not in model["settings"]}
    charts = {file: files[file] for file in files if _CHART.fullmatch(file)}
    code = [read_xml(raw, file, room) for file, raw in charts.items() if is_function_file(raw)]
    if scripts := functions_in(code):
        model["functions"] = scripts
    for file, content in charts.items():
        if "/chart_" in file and not is_function_file(content):
            unread.add("Stateflow chart")
    for left in sources.unreferenced_names():
        unread.add(f"diagram {left}")
    for other in others:
        if other.endswith("/blockdiagram.xml"):
            unread.add("test harness")
    return model, diagnostics


def _root(top: Part) -> Part:
    """Returns the model inside the outermost element."""
    root = next((part for part in top.parts if part.tag in KINDS), None)
    if top.tag != "ModelInformation" or root is None or root.first("System") is None:
        raise UnreadableError(f"{_DIAGRAM} holds no model: its root is <{top.tag}>", WRONG_DOCUMENT)
    return root


def _model(
    root: Part, layout: str, name: str, sources: Sources, unread: SkippedParts
) -> tuple[dict[str, Any], list[Diagnostic]]:
    system = root.first("System")
    if system is None:
        raise UnreadableError("the file holds no diagram", WRONG_DOCUMENT)
    read, diagnostics = read_systems(system, sources, unread)
    settings = dict(root.own)
    for part in root.parts:
        if part.tag in _SETTINGS:
            settings |= {key: value for key, value in part.own.items() if key not in settings}
        elif "ConfigurationSets" in (part.own.get("PropName"), part.own.get("$PropName")):
            settings |= {k: v for k, v in read_agreed_settings(part).items() if k not in settings}
        elif part.tag not in _ASIDE:
            unread.add(part.tag)
    model: dict[str, Any] = {
        "simulink": SHAPE,
        "kind": KINDS[root.tag],
        "name": settings.pop("Name", "") or name,
        "layout": layout,
        "settings": settings,
        "system": read,
    }
    return model, diagnostics


_SETTINGS = frozenset({"GraphicalInterface", "SimulationSettings", "EngineSettings"})
# Display settings of editors, and parts that are read elsewhere.
_ASIDE = frozenset(
    """
    System BlockDefaults BlockParameterDefaults LineDefaults AnnotationDefaults SystemDefaults
    MaskDefaults MaskParameterDefaults EditorSettings ConfigManagerSettings WindowsInfo
    """.split()
)


def _defaults(part: Part) -> Mapping[str, dict[str, str]] | None:
    """Returns the parameters that a file states once for all blocks of a BlockType."""
    listed = part.first("BlockParameterDefaults")
    if listed is None:
        return None
    return {
        block.own["BlockType"]: {k: v for k, v in block.own.items() if k != "BlockType"}
        for block in listed.all("Block")
        if "BlockType" in block.own
    }
