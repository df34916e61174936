"""Writes small real files of the type that a request asks for."""

from __future__ import annotations

import io
import zipfile
from base64 import b64decode

from grounded_builder.domains.n8n.rehearsal.answers.question import Question

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAA"
    "AABJRU5ErkJggg=="
)
"""An image of one pixel, in Base64."""

_CSV = b"id,name\n1,name 1\n2,name 2\n"
_PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R
/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 37>>stream
BT /F1 12 Tf 20 100 Td (sample) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""
# One silent frame of MPEG-1 layer III, 32 kbit/s, 44.1 kHz: its header, then zeros.
_MP3 = b"\xff\xfb\x10\xc4" + bytes(100)
_SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c>'
    '<c r="B1" t="inlineStr"><is><t>name</t></is></c></row>'
    '<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="inlineStr"><is><t>name 1</t></is></c></row>'
    "</sheetData></worksheet>"
)
_OFFICE = "http://schemas.openxmlformats.org"
_XLSX = {
    "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
    '<Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship'
    f' Id="r1" Type="{_OFFICE}/officeDocument/2006/relationships/officeDocument"'
    ' Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_OFFICE}/spreadsheetml/2006/main" xmlns:r="{_OFFICE}/'
    'officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument/2006/relationships/worksheet"'
    ' Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": _SHEET,
}
_TYPES = {
    "csv": "text/csv",
    "jpg": "image/jpeg",
    "mp3": "audio/mpeg",
    "oga": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
_TEXTS = {
    "html": "text/html",
    "ics": "text/calendar",
    "json": "application/json",
    "rtf": "application/rtf",
    "xml": "application/xml",
}


def write_file(question: Question) -> tuple[bytes, str]:
    """Returns a file and its type, from the end of the URL, the accepted types or the path."""
    asked = " ".join(
        (
            question.path,
            question.request.headers.get("accept", ""),
            question.request.query.get("mimeType", ""),
        )
    ).lower()
    if "/audio/speech" in asked:
        return _MP3, _TYPES["mp3"]
    for ending, kind in _TYPES.items():
        if f".{ending}" in asked or kind in asked:
            return _content(ending), kind
    return _PDF, _TYPES["pdf"]


def make_file(ending: str) -> tuple[bytes, str]:
    """Returns a small file with this ending and its type, a text where no other is known."""
    kind = _TYPES.get(ending) or _TEXTS.get(ending, "text/plain")
    return (_content(ending) if ending in _TYPES else _write_text(ending)), kind


def _write_text(ending: str) -> bytes:
    return {
        "html": b"<!doctype html><title>sample</title><p>sample</p>",
        "ics": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:sample\r\nEND:VCALENDAR\r\n",
        "json": b'{"id": 1, "name": "name 1"}',
        "rtf": b"{\\rtf1 sample}",
        "xml": b"<items><item><id>1</id></item></items>",
    }.get(ending, b"sample")


def _content(ending: str) -> bytes:
    if ending == "csv":
        return _CSV
    if ending in ("mp3", "oga"):
        return _MP3
    if ending == "pdf":
        return _PDF
    if ending == "xlsx":
        return _zip(_XLSX)
    return _zip({"sample.txt": "sample"}) if ending == "zip" else b64decode(PNG)


def _zip(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()
