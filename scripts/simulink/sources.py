"""Reads the collected facts about Simulink's libraries for the built-in catalog."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.simulink.whole_names import names_in_files, whole_names

FACTS = Path(__file__).parent / "facts"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "simulink"

_ASIDE = re.compile(r"\s*\(([^()]*)\)$")
# BlockTypes that one source writes as identifiers.
_TYPES = {
    "S_Function": "S-Function",
    "M_S_Function": "M-S-Function",
    "Lookup_n_D": "Lookup_n-D",
    "Interpolation_n_D": "Interpolation_n-D",
}


@dataclass(frozen=True, slots=True)
class Sources:
    """What was collected: uses in real models, documented parameters, ports, library paths.

    ``listed`` are the paths that lists of the libraries themselves have. The other tables are
    kept beside this module: products of libraries, colloquial names, presets, renamed blocks,
    blocks and BlockTypes that no collection lists, the libraries that links lead to behind others
    (``backing``), the ports that blocks usually have, by shape and library (``usual``), and blocks
    whose parameters are those of another but for a few (``kin``), blocks by the libraries that
    files link to where no list has them (``linked``), and options of parameters that no document
    lists, by path or BlockType (``menus``).
    """

    entries: Mapping[str, Any]
    file_defaults: Mapping[str, Any]
    documented: Mapping[str, Any]
    physical: Mapping[str, Any]
    paths: Mapping[str, str | None]
    listed: frozenset[str]
    products: Mapping[str, Any]
    aliases: Mapping[str, list[str]]
    presets: Mapping[str, Any]
    library: Mapping[str, Any]
    renamed: Mapping[str, str]
    blocks: Mapping[str, Any]
    descriptions: Mapping[str, str]
    ranges: Mapping[str, Any]
    patterns: Mapping[str, Any]
    types: list[str]
    releases: Mapping[str, Mapping[str, Any]]
    homes: Mapping[str, str]
    backing: Mapping[str, str]
    usual: Mapping[str, Mapping[str, list[str]]]
    kin: Mapping[str, str]
    linked: Mapping[str, list[str]]
    menus: Mapping[str, Mapping[str, list[str]]]

    def ranges_of(self, kind: str | None) -> dict[str, Any]:
        """Return the numeric ranges of a BlockType's parameters."""
        return {**self.ranges["*"], **self.ranges["type"].get(kind or "", {})}

    def menus_of(self, path: str, kind: str | None) -> Mapping[str, list[str]]:
        """Return the options of a block's parameters that no document lists."""
        return self.menus.get(path, self.menus.get(kind or "", {}))


def read_sources(shared: Path = SHARED) -> Sources:
    """Read all sources; raise OSError if the collection is absent."""
    harvest = _gz(shared / "harvest.json.gz")
    known = names_in_files(harvest)
    listed = _gz(shared / "library_paths.json.gz")
    paths = {one_line(item["path"]): block_type(item.get("block_type")) for item in listed}
    return Sources(
        entries=harvest["entries"],
        file_defaults=harvest["block_parameter_defaults"],
        documented={
            key: {**item, "params": whole_names(item["params"], known)}
            for key, item in _gz(shared / "block_params.json.gz").items()
        },
        physical=_gz(shared / "simscape_ports.json.gz"),
        paths=paths,
        listed=frozenset(one_line(item["path"]) for item in listed if item["from"] != ["harvest"]),
        **{name: _own(name) for name in _TABLES},
    )


_TABLES = (
    "products",
    "aliases",
    "presets",
    "library",
    "renamed",
    "blocks",
    "descriptions",
    "ranges",
    "patterns",
    "types",
    "releases",
    "homes",
    "backing",
    "usual",
    "kin",
    "linked",
    "menus",
)


def one_line(path: str) -> str:
    """Return a path with single spaces: the id of a tool."""
    return " ".join(path.split())


def block_type(name: str | None) -> str | None:
    """Return a BlockType as Simulink writes it."""
    return None if name is None else _TYPES.get(name, name)


def documented_name(key: str) -> tuple[str, str | None]:
    """Split a key such as ``Ramp (Ramp)`` into the block's name and mask type."""
    if key.startswith(("Direct Lookup", "PID")):
        return key, None
    aside = _ASIDE.search(key)
    if aside is None:
        return key, None
    return _ASIDE.sub("", key).replace(" (S-Function)", ""), aside[1]


def _gz(path: Path) -> Any:
    with gzip.open(path) as stream:
        return json.load(stream)


def _own(name: str) -> Any:
    return json.loads((FACTS / f"{name}.json").read_text("utf-8"))
