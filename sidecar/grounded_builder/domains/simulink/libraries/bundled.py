"""Extends a registry by library files sent with a model, and lists libraries still missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import PurePath
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.libraries.extend_registry import (
    list_missing_libraries,
    make_extender,
)
from grounded_builder.domains.simulink.libraries.files import SUFFIXES, Library, library_in
from grounded_builder.domains.simulink.read.shape import check_shape
from grounded_builder.ir.bundled_libraries import BundledLibraries


def bundle_libraries(files: Mapping[str, bytes]) -> BundledLibraries:
    """Returns functions that extend a registry by libraries in files, and that list missing ones.

    Files that are not readable libraries are ignored. Of two files with one name the ``.slx``
    counts, as in Simulink.
    """
    by_name: dict[str, bytes] = {}
    for name in sorted(files, key=lambda name: (PurePath(name).suffix.lower() != ".slx", name)):
        file = PurePath(name)
        stem = file.stem if file.suffix.lower() in SUFFIXES else file.name
        by_name.setdefault(stem, files[name])

    @cache
    def find(name: str) -> Library | None:
        return library_in(by_name[name], name) if name in by_name else None

    widen = make_extender(find)

    def widen_sound_document(document: Any, registry: Registry) -> Registry:
        return widen(document, registry) if _is_sound(document) else registry

    def list_missing(document: Any, registry: Registry) -> tuple[str, ...]:
        return list_missing_libraries(document, registry, find) if _is_sound(document) else ()

    return BundledLibraries(widen_sound_document, list_missing)


def _is_sound(document: Any) -> bool:
    return isinstance(document, dict) and "system" in document and not any(check_shape(document))
