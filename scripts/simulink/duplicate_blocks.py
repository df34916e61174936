"""Merges the collected facts about a block that has several library paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scripts.simulink.sources import Sources, one_line

# Libraries of a product with physical lines and ports.
_SPECIALIZED = re.compile(r"powerlib|sps|electricdrivelib|re_lib|factslib")
_COUNT = re.compile(r"(\d+) (in|out|lconn|rconn)")


class Twins:
    """The uses of blocks by product and name, and their usual ports."""

    def __init__(self, sources: Sources, product: Callable[[str], str]) -> None:
        self._product = product
        self._shown = behind(sources.paths, sources.backing)
        self._uses = sources.entries
        self._named: dict[tuple[str, str], Mapping[str, Any]] = {}
        for key, use in sorted(
            sources.entries.items(), key=lambda pair: (-pair[1]["count"], pair[0])
        ):
            path = one_line(key[4:])
            if key.startswith("ref:") and product(path):
                self._named.setdefault(self._same(path), use)
        self._usual = {
            f"{library}/{name}": {kind: int(count) for count, kind in _COUNT.findall(shape)}
            for shape, libraries in sources.usual.items()
            for library, names in libraries.items()
            for name in names
        }
        self._alike = {self._same(path): item for path, item in self._usual.items()}
        self._kin = sources.kin
        self.linked = {f"{root}/{name}" for root, names in sources.linked.items() for name in names}

    def _same(self, path: str) -> tuple[str, str]:
        """Return the key of all paths of one block: its name and its equivalent libraries."""
        root = self.find_shown_path(path) or path
        product = self._product(root)
        if _SPECIALIZED.match(root):
            product = "Specialized Power Systems"
        elif product == "Simulink":
            product = root.partition("/")[0]
        return product, last(path)

    def use(self, path: str) -> Mapping[str, Any]:
        """Return the uses of a block under this path, or under another of its product."""
        own = self._uses.get(f"ref:{path}")
        return own if own is not None else self._named.get(self._same(path), {})

    def kin(self, path: str) -> Mapping[str, Any]:
        """Return the uses of the block with the most similar parameters; empty if there is none."""
        return self.use(self._kin[path]) if path in self._kin else {}

    def find_shown_path(self, path: str) -> str | None:
        """Return the path under which the library shows a block that files link to elsewhere."""
        return self._shown.get(path)

    def is_own(self, path: str) -> bool:
        """Return whether uses under this path are known."""
        return f"ref:{path}" in self._uses

    def usual(self, path: str) -> dict[str, int] | None:
        """Return the usual ports of a block, if a table has them."""
        return self._usual.get(path) or self._alike.get(self._same(path))


def behind(paths: Iterable[str], backing: Mapping[str, str]) -> dict[str, str]:
    """Map the paths that files link to onto the paths under which the library shows the blocks.

    A star in the root of such a library stands for the name of its only block.
    """
    entries = {}
    for root, shown in backing.items():
        for path in paths:
            if path.startswith(f"{shown}/"):
                name = last(path)
                home = root.replace("*", re.sub(r"[^A-Za-z0-9]", "", name))
                if "*" in root or path == f"{shown}/{spelt(name)}":
                    entries[f"{home}/{spelt(name)}"] = path
    return entries


def spelt(name: str) -> str:
    """Return a name as it is written in a path."""
    return name.replace("/", "//")


def last(path: str) -> str:
    """Return the name of a block, the end of its path."""
    return path.replace("//", "\0").rpartition("/")[2].replace("\0", "/")
