from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from grounded_builder.catalog.catalog_line import LINE
from tests.support import catalogs

Line = dict[str, Any]
Change = Callable[[Line], None]

_SCHEMA = Draft202012Validator(
    json.loads((files("grounded_builder.catalog") / "catalog.schema.json").read_text("utf-8"))
)
_JUNK: tuple[Any, ...] = (None, True, 1, 1.5, -1, "", "x", [], ["x"], [1], {}, {"x": 1}, [{}])


def _accepts_schema(line: Any) -> bool:
    return bool(_SCHEMA.is_valid(line))


def _accepts_model(line: Any) -> bool:
    try:
        LINE.validate_python(line)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    "line", catalogs.acme(), ids=lambda line: str(line.get("id", line["kind"]))
)
def test_sound_lines_are_accepted_by_both(line: Line) -> None:
    """Every line of a valid catalog conforms to the schema and to the models."""
    assert _accepts_schema(line)
    assert _accepts_model(line)


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every route in a JSON value; parameters are the domain's own and are not entered."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield (*at, key)
            if key not in ("default", "options", "displayOptions", "traits", "when"):
                yield from _places(child, (*at, key))
    elif isinstance(value, list):
        for index, child in enumerate(value[:2]):
            yield (*at, index)
            yield from _places(child, (*at, index))


def _change_line(line: Line, at: tuple[str | int, ...], change: Callable[[Any, Any], None]) -> Line:
    copy: Line = json.loads(json.dumps(line))
    target: Any = copy
    for part in at[:-1]:
        target = target[part]
    change(target, at[-1])
    return copy


@pytest.mark.long
@pytest.mark.parametrize(
    "line", catalogs.acme(), ids=lambda line: str(line.get("id", line["kind"]))
)
def test_both_agree_on_every_small_change(line: Line) -> None:
    """Schema and models agree after any value is replaced or removed, or a key is added."""
    for at in _places(line):
        candidates = [_change_line(line, at, lambda target, key: target.pop(key))]
        for junk in _JUNK:

            def replace_value(target: Any, key: Any, junk: Any = junk) -> None:
                target[key] = junk

            candidates.append(_change_line(line, at, replace_value))
        if isinstance(at[-1], str):
            candidates.append(_change_line(line, at, lambda target, _: target.update(unheard_of=1)))
        for candidate in candidates:
            agreed = _accepts_schema(candidate) == _accepts_model(candidate)
            assert agreed, (at, json.dumps(candidate)[:400])


def test_a_line_of_no_kind_is_refused_by_both() -> None:
    """Schema and models both refuse a value that is no catalog line."""
    for junk in (*_JUNK, {"kind": "widget"}, {"kind": None}):
        assert not _accepts_schema(junk)
        assert not _accepts_model(junk)
