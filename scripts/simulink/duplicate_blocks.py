"""The same block under several paths: what is known of it under one counts under the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scripts.simulink.sources import Sources, one_line

# Of one product with others, over lines and ports of another kind.
_SPECIALIZED = re.compile(r"powerlib|sps|electricdrivelib|re_lib|factslib")
_COUNT = re.compile(r"(\d+) (in|out|lconn|rconn)")


class Twins:
    """Uses of blocks by product and name, and the ports that blocks are known to usually have."""

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
        """What paths of one block share: its name, and libraries that mean the same by it."""
        root = self.find_shown_path(path) or path
        product = self._product(root)
        if _SPECIALIZED.match(root):
            product = "Specialized Power Systems"
        elif product == "Simulink":
            product = root.partition("/")[0]
        return product, last(path)

    def use(self, path: str) -> Mapping[str, Any]:
        """How a block is used, under this path or else under another of its product."""
        own = self._uses.get(f"ref:{path}")
        return own if own is not None else self._named.get(self._same(path), {})

    def kin(self, path: str) -> Mapping[str, Any]:
        """How the block is used whose parameters are like this one's; nothing where none is."""
        return self.use(self._kin[path]) if path in self._kin else {}

    def find_shown_path(self, path: str) -> str | None:
        """The path under which the library shows a block that files link to behind it."""
        return self._shown.get(path)

    def is_own(self, path: str) -> bool:
        """Whether uses under this very path are known."""
        return f"ref:{path}" in self._uses

    def usual(self, path: str) -> dict[str, int] | None:
        """The ports that a block usually has, where a table says so."""
        return self._usual.get(path) or self._alike.get(self._same(path))


def behind(paths: Iterable[str], backing: Mapping[str, str]) -> dict[str, str]:
    """The paths that files link to where the library shows a block in another place.

    A star in the root of a library that is behind stands for the name of its one block.
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
    """A name as it stands in a path."""
    return name.replace("/", "//")


def last(path: str) -> str:
    """The name of a block, at the end of its path."""
    return path.replace("//", "\0").rpartition("/")[2].replace("\0", "/")
