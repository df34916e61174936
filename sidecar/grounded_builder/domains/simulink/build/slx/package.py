"""Packs the JSON value of a model into the bytes of a .slx file; counts what it omits."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grounded_builder.domains.simulink.build.slx.diagram import diagram_text

# The earliest day that a zip can store, so that the same model gives the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)
_CREATED = "1980-01-01T00:00:00Z"
# The releases that write ``ModelInformation Version="0.9"``.
_RELEASES = ("R2012b", "R2013a", "R2013b", "R2014a")
UNVERIFIED = (
    "Simulink has not opened this file: it is unverified until an installation reports that it did"
)

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>'
# Names and types of ECMA-376 part 2 and of files of those releases.
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default ContentType="application/vnd.openxmlformats-package.relationships+xml"'
    ' Extension="rels"/>'
    '<Default ContentType="application/vnd.mathworks.simulink.mdl+xml" Extension="xml"/>'
    '<Override ContentType="application/vnd.openxmlformats-package.core-properties+xml"'
    ' PartName="/metadata/coreProperties.xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="blockDiagram" Target="simulink/blockdiagram.xml"'
    ' Type="http://schemas.mathworks.com/simulink/2010/relationships/blockDiagram"/>'
    '<Relationship Id="coreprops" Target="metadata/coreProperties.xml"'
    ' Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"'
    "/></Relationships>"
)
_PROPERTIES = (
    "<cp:coreProperties"
    ' xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    "<cp:category>{kind}</cp:category>"
    '<dcterms:created xsi:type="dcterms:W3CDTF">{created}</dcterms:created>'
    "<dc:creator>Grounded Builder</dc:creator>"
    '<dcterms:modified xsi:type="dcterms:W3CDTF">{created}</dcterms:modified>'
    "<cp:revision>1.0</cp:revision><cp:version>{release}</cp:version></cp:coreProperties>"
)


@dataclass(frozen=True, slots=True)
class Package:
    """The bytes of a file, and the number of omitted parts of the model by kind."""

    raw: bytes
    lost: Mapping[str, int]


def package_of(model: Mapping[str, Any]) -> Package:
    """Returns a model as a package; raises UnwritableError when the layout cannot hold it.

    The same model gives the same bytes.
    """
    lost: Counter[str] = Counter()
    diagram = diagram_text(model, lost)
    release = model.get("release")
    if release not in _RELEASES:
        lost["releases that write another layout"] += release is not None
        release = _RELEASES[-1]
    kind = escape(model["kind"].capitalize())
    files = {
        "[Content_Types].xml": _HEAD + _TYPES,
        "_rels/.rels": _HEAD + _RELATIONS,
        "metadata/coreProperties.xml": _HEAD
        + _PROPERTIES.format(kind=kind, created=_CREATED, release=release),
        "simulink/blockdiagram.xml": diagram,
    }
    raw = io.BytesIO()
    with ZipFile(raw, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = ZipInfo(name, _TIME)
            entry.compress_type = ZIP_DEFLATED
            # A zip stores the operating system that wrote it.
            entry.create_system = 0
            archive.writestr(entry, text.encode())
    return Package(raw.getvalue(), {what: count for what, count in lost.items() if count})
