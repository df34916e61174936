"""Defines the known fields of an item as a shape; looks up paths, joins and extends shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

# A node may collect fields without end; larger shapes are not followed.
_MAX_FIELDS = 300
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of an object; the value of a field is None if nothing is known of it.

    An ``is_open`` object can have other fields too, except those of ``absent``. ``is_certain`` is
    False where the fields come from an example, ``is_loose`` is True where an example lacks fields
    that people define themselves. ``payload`` is the field that holds what a caller sent, with dots
    where it is deeper. ``hint`` says where fields that this object lacks can be had.
    """

    fields: Mapping[str, Shape | None] = field(default_factory=dict)
    is_open: bool = False
    is_certain: bool = True
    is_loose: bool = False
    payload: str = ""
    absent: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""

    def lacks(self, name: str) -> bool:
        """Returns whether objects of this shape never have a field."""
        return name in self.absent if self.is_open else name not in self.fields

    def find_paths(self, normalized: str) -> list[tuple[str, ...]]:
        """Returns the paths below the first level that end in a name, given in normalized form."""
        return [
            path
            for path in _walk(self, ())
            if len(path) > 1 and normalize_field(path[-1]) == normalized
        ]


def normalize_field(name: str) -> str:
    """Returns a name without case, spaces and punctuation, as people mix them up."""
    return "".join(char for char in name.casefold() if char.isalnum())


def _walk(shape: Shape, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, inner in shape.fields.items():
        path = (*above, name)
        yield path
        if inner is not None and len(path) < _MAX_DEPTH:
            yield from _walk(inner, path)


def unite(shapes: Iterable[Shape | None]) -> Shape | None:
    """Returns the shape of items that have any of these shapes, None if one is unknown."""
    united: Shape | None = None
    for shape in shapes:
        if shape is None:
            return None
        if united is None:
            united = shape
        elif united is not shape:
            united = _unite_two(united, shape)
        if len(united.fields) > _MAX_FIELDS:
            return None
    return united


def add_fields(shape: Shape | None, added: Mapping[str, Shape | None]) -> Shape | None:
    """Returns the shape of items that keep their fields and get others."""
    if shape is None or len(shape.fields) + len(added) > _MAX_FIELDS:
        return None
    absent = {name: help_ for name, help_ in shape.absent.items() if name not in added}
    return replace(shape, fields={**shape.fields, **added}, absent=absent)


def _unite_two(first: Shape, second: Shape) -> Shape:
    fields: dict[str, Shape | None] = dict(first.fields)
    for name, shape in second.fields.items():
        if name not in fields:
            fields[name] = shape
        else:
            own = fields[name]
            fields[name] = None if own is None or shape is None else unite((own, shape))
    is_open = first.is_open or second.is_open
    absent = {
        name: help_
        for name, help_ in {**second.absent, **first.absent}.items()
        if first.lacks(name) and second.lacks(name)
    }
    return Shape(
        fields,
        is_open=is_open,
        is_certain=first.is_certain and second.is_certain,
        is_loose=first.is_loose or second.is_loose,
        payload=first.payload if first.payload == second.payload else "",
        absent=absent if is_open else {},
        hint=first.hint if first.hint == second.hint else "",
    )
