"""Determines since which release a block exists, from documents and from files.

The kinds are kept apart. ``introduced`` is what the documentation says of a block, ``moved`` since
when a block of another product has its path, ``products`` the first release of a product, and
``instead`` names older blocks that do the work of a newer one. A block that a file of a release
holds existed by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.domains.simulink.catalog.releases import find_release_order

_BARE = "built-in/"


class Releases:
    """The collected facts about releases; ``types`` are the BlockTypes of all library paths."""

    def __init__(
        self,
        facts: Mapping[str, Mapping[str, Any]],
        entries: Mapping[str, Any],
        types: Mapping[str, str | None],
        homes: Mapping[str, str],
    ) -> None:
        self._introduced = facts["introduced"]
        self._since = {**facts["introduced"], **facts["moved"]}
        self._products = facts["products"]
        self._instead = facts["instead"]
        self._seen = {
            _path_of(key): _earliest(entry.get("versions", ())) for key, entry in entries.items()
        }
        self._types = self._of_types(types)
        # Files identify a block of the base library by its BlockType.
        for kind, path in homes.items():
            self._seen.setdefault(path, self._seen.get(f"{_BARE}{kind}"))

    def onto(self, line: dict[str, Any], kind: str | None = None) -> None:
        """Write the release facts of a block or a BlockType into its catalog line."""
        path, bare = line["id"], line["id"].startswith(_BARE)
        since = self._types.get(line["name"]) if bare else self._since.get(path)
        bounds = [self._products.get(line["family"]), self._types.get(kind or "")]
        line["version_introduced"] = since
        _bound_release(
            line, None if since else max((bound for bound in bounds if bound), default=None)
        )
        known = {"seen": self._seen.get(path), "instead": self._instead.get(path)}
        line["variants"][0]["traits"] |= {key: item for key, item in known.items() if item}

    def onto_preset(self, line: dict[str, Any], whole: Mapping[str, Any]) -> None:
        """Write the release facts of a preset, at least those of its block, into its line."""
        traits = line["variants"][0]["traits"]
        for key in ("seen", "instead"):
            traits.pop(key, None)
        _bound_release(line, whole.get("version_introduced"))

    def _of_types(self, types: Mapping[str, str | None]) -> dict[str, str]:
        """Return the earliest release of each BlockType whose blocks all have a documented one."""
        paths: dict[str, list[str]] = {}
        for path, kind in types.items():
            if kind and kind not in ("SubSystem", "S-Function"):
                paths.setdefault(kind, []).append(path)
        return {
            kind: min(self._introduced[path] for path in items if path in self._introduced)
            for kind, items in paths.items()
            if any(path in self._introduced for path in items)
            and all(path in self._introduced or _is_copy(path) for path in items)
        }


def _bound_release(line: dict[str, Any], release: str | None) -> None:
    if release:
        line["variants"][0]["traits"]["not_before"] = release


def _is_copy(path: str) -> bool:
    return path.startswith(("simulink/Quick Insert/", "simulink/Commonly Used Blocks/"))


def _path_of(key: str) -> str:
    """Return the catalog id of a collected entry: a library reference or a BlockType."""
    kind, _, name = key.partition(":")
    return f"{_BARE}{name}" if kind == "type" else " ".join(name.split())


def _earliest(versions: Iterable[str]) -> str | None:
    known = [
        (place, version)
        for version in versions
        if (place := find_release_order(version)) is not None
    ]
    return min(known)[1] if known else None
