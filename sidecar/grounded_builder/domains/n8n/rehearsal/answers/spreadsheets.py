"""Answers requests to Google Sheets from spreadsheets that are kept for one run.

The header of a sheet has the columns that the workflow's nodes name, map or read; two rows follow.
What is appended or updated is read again. The shapes are those of Google's public reference,
version 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.examples import text_of
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, json_answer
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue
from grounded_builder.domains.n8n.trial.expected_fields import Shape
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_HOST = "sheets.googleapis.com"
_TOOLS = frozenset({"googleSheets", "googleSheetsTool"})
_SOURCE = "a spreadsheet of the rehearsal"
_PATH = "/v4/spreadsheets/"
_ID = re.compile(r"[^/:]+")
_CELLS = re.compile(r"([A-Z]{0,3})(\d{0,7})(?::([A-Z]{0,3})(\d{0,7}))?")
_GID = re.compile(r"gid=(\d{1,12})")
_SHEET = "sheetName"
_FIRST_TITLE = "Sheet1"
_ROWS = 2
_MAX_ROWS = 10_000
_COLUMN_FIELDS = frozenset({"lookupColumn", "fieldId", "column", "columnToMatchOn", "fieldName"})
_DEEPEST = 6
# Fields that the node itself adds to the rows that it reads.
_ADDED = frozenset({"row_number"})


class Spreadsheets:
    """The spreadsheets of one run, by id and title."""

    def __init__(
        self,
        resolved: ResolvedGraph,
        shapes: Mapping[str, Shape],
        filled: Sequence[FilledValue] = (),
    ) -> None:
        nodes = [b for b in resolved.nodes if (b.node.tool or "").rpartition(".")[2] in _TOOLS]
        self._columns: dict[str, None] = {}
        for bound in nodes:
            self._columns |= dict.fromkeys(_read_columns(bound.node.params, 0))
            shape = shapes.get(bound.node.name)
            self._columns |= dict.fromkeys(shape.fields if shape is not None else ())
        stand_ins = {item.node: item.value for item in filled if item.parameter == _SHEET}
        self._titles = dict(_read_titles(nodes, stand_ins)) or {0: _FIRST_TITLE}
        self._grids: dict[tuple[str, str], list[list[Any]]] = {}

    def answer(self, question: Question) -> Answer | None:
        """Returns the answer to a request to Google Sheets, None for any other."""
        place = question.path.removeprefix(_PATH)
        match = _ID.match(place)
        if question.request.host != _HOST or match is None or place == question.path:
            return None
        document, rest = match[0], place[match.end() :]
        if rest == "":
            return json_answer(self._describe(document), _SOURCE)
        if rest.startswith("/values:batchUpdate"):
            data = question.fields.get("data") or ()
            responses = [self._write(document, item["range"], item.get("values")) for item in data]
            content = {"spreadsheetId": document, "responses": responses}
            return json_answer({**content, "totalUpdatedRows": len(responses)}, _SOURCE)
        if rest.startswith("/values:batchGet"):
            ranges = question.request.query.get("ranges", _FIRST_TITLE)
            values = [{"range": ranges, "values": self._read(document, ranges)}]
            return json_answer({"spreadsheetId": document, "valueRanges": values}, _SOURCE)
        if rest.startswith("/values/"):
            return self._answer_values(document, rest.removeprefix("/values/"), question)
        return json_answer({"spreadsheetId": document, "replies": [{"addSheet": {}}]}, _SOURCE)

    def _answer_values(self, document: str, place: str, question: Question) -> Answer:
        values = question.fields.get("values")
        if place.endswith(":append"):
            updates = self._write(document, place.removesuffix(":append"), values, appends=True)
            return json_answer({"spreadsheetId": document, "updates": updates}, _SOURCE)
        if place.endswith(":clear"):
            cleared = place.removesuffix(":clear")
            return json_answer({"spreadsheetId": document, "clearedRange": cleared}, _SOURCE)
        if question.request.method == "PUT":
            return json_answer(self._write(document, place, values), _SOURCE)
        rows = self._read(document, place)
        if question.request.query.get("majorDimension") == "COLUMNS":
            width = max(map(len, rows), default=0)
            rows = [[row[i] if i < len(row) else "" for row in rows] for i in range(width)]
        return json_answer({"range": place, "majorDimension": "ROWS", "values": rows}, _SOURCE)

    def _describe(self, document: str) -> Mapping[str, Any]:
        size = {"rowCount": 1_000, "columnCount": 26}
        sheets = [
            {
                "properties": {
                    "sheetId": gid,
                    "title": title,
                    "index": index,
                    "sheetType": "GRID",
                    "gridProperties": size,
                }
            }
            for index, (gid, title) in enumerate(self._titles.items())
        ]
        properties = {"title": "Rehearsal", "timeZone": "UTC"}
        return {"spreadsheetId": document, "properties": properties, "sheets": sheets}

    def _grid(self, document: str, title: str) -> list[list[Any]]:
        """Returns the rows of a sheet, made at its first use."""
        columns = [name for name in self._columns if name not in _ADDED] or ["id", "name"]
        return self._grids.setdefault(
            (document, title),
            [columns, *([text_of(name, i + 1) for name in columns] for i in range(_ROWS))],
        )

    def _read(self, document: str, place: str) -> list[list[Any]]:
        title, cells = _split(place)
        rows = self._grid(document, title)
        left, top, right, bottom = _bounds(cells)
        return [row[left:right] for row in rows[top:bottom]]

    def _write(
        self, document: str, place: str, values: Any, appends: bool = False
    ) -> Mapping[str, Any]:
        title, cells = _split(place)
        grid = self._grid(document, title)
        left, top, _, _ = _bounds(cells)
        rows = [row for row in values or () if isinstance(row, list)]
        first = len(grid) if appends else top
        for number, row in enumerate(rows[: max(0, _MAX_ROWS - first)], start=first):
            grid.extend([] for _ in range(number + 1 - len(grid)))
            line = grid[number]
            line.extend([""] * (left + len(row) - len(line)))
            line[left : left + len(row)] = row
        return {
            "spreadsheetId": document,
            "updatedRange": f"{title}!A{first + 1}",
            "updatedRows": len(rows),
            "updatedColumns": max(map(len, rows), default=0),
            "updatedCells": sum(map(len, rows)),
        }


def _read_titles(
    nodes: Sequence[ResolvedNode], stand_ins: Mapping[str, Any]
) -> Iterator[tuple[int, str]]:
    """Yields the sheets that nodes name, by their number in the spreadsheet."""
    for index, bound in enumerate(nodes):
        chosen = stand_ins.get(bound.node.name, bound.node.params.get(_SHEET))
        locator = chosen if isinstance(chosen, Mapping) else {"mode": "name", "value": chosen}
        value = str(locator.get("value") or "").removeprefix("=")
        title = str(locator.get("cachedResultName") or _FIRST_TITLE)
        if locator.get("mode") == "name":
            yield 1_000 + index, value or _FIRST_TITLE
        else:
            gid = _GID.search(value)
            number = gid[1] if gid else value
            yield (int(number) if number.isdecimal() else 0), title


def _read_columns(value: Any, depth: int) -> Iterator[str]:
    """Yields the names of columns in the parameters of a node."""
    if isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _read_columns(item, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for key, item in value.items():
            if key in _COLUMN_FIELDS and isinstance(item, str) and item and item[0] != "=":
                yield item
            elif key == "columns" and isinstance(item, Mapping):
                mapped = item.get("value")
                yield from (mapped if isinstance(mapped, Mapping) else ())
                yield from (x for x in item.get("matchingColumns") or () if isinstance(x, str))
            else:
                yield from _read_columns(item, depth + 1)


def _split(place: str) -> tuple[str, str]:
    """Returns the title and the cells of a range such as ``'Sheet 1'!A1:B2``."""
    title, mark, cells = place.rpartition("!")
    return (title if mark else cells).strip("'"), cells if mark else ""


def _bounds(cells: str) -> tuple[int, int, int | None, int | None]:
    """Returns the first column and row, and those after the last; None is no end."""
    match = _CELLS.fullmatch(cells)
    if match is None:
        row = cells.partition(":")
        ends = (row[0], row[2]) if row[0].isdecimal() and row[2].isdecimal() else ("1", "")
        return 0, int(ends[0]) - 1, None, int(ends[1]) if ends[1] else None
    left, top, right, bottom = match.groups()
    start = max(int(top) - 1, 0) if top else 0
    if right is None and bottom is None:
        return _column(left), start, None, None
    return _column(left), start, _column(right) + 1 if right else None, int(bottom or 0) or None


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return max(number - 1, 0)
