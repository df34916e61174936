"""The same block under several paths: what is known of it under one counts under the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scripts.simulink.sources import Sources, one_line

_COUNT = re.compile(r"(\d+) (in|out|lconn|rconn)")


class Twins:
    """Uses of blocks by product and name, and the ports that blocks are known to usually have."""

    def __init__(self, sources: Sources, product: Callable[[str], str]) -> None:
        self._product = product
        self._uses = sources.entries
        self._named: dict[tuple[str, str], Mapping[str, Any]] = {}
        for key, use in sorted(sources.entries.items(), key=lambda one: (-one[1]["count"], one[0])):
            path = one_line(key[4:])
            if key.startswith("ref:") and product(path):
                self._named.setdefault((product(path), last(path)), use)
        self._usual = {
            f"{library}/{name}": {kind: int(count) for count, kind in _COUNT.findall(shape)}
            for shape, libraries in sources.usual.items()
            for library, names in libraries.items()
            for name in names
        }
        self._backing = sources.backing
        self._kin = sources.kin

    def use(self, path: str) -> Mapping[str, Any]:
        """How a block is used, under this path or else under another of its product."""
        own = self._uses.get(f"ref:{path}")
        return own if own is not None else self._named.get((self._product(path), last(path)), {})

    def kin(self, path: str) -> Mapping[str, Any]:
        """How the block is used whose parameters are like this one's; nothing where none is."""
        return self.use(self._kin[path]) if path in self._kin else {}

    def shown(self, path: str) -> str | None:
        """The path under which the library shows a block that files link to behind it."""
        for root, shown in self._backing.items():
            if path.startswith(f"{root}/"):
                return f"{shown}/{path.removeprefix(f'{root}/')}"
        return None

    def is_own(self, path: str) -> bool:
        """Whether uses under this very path are known."""
        return f"ref:{path}" in self._uses

    def usual(self, path: str) -> dict[str, int] | None:
        """The ports that a block usually has, where a table says so."""
        return self._usual.get(path) or self._usual.get(self.shown(path) or "")


def behind(paths: Mapping[str, Any], backing: Mapping[str, str]) -> set[str]:
    """The paths that files link to where the library shows a block in another place."""
    return {
        f"{root}/{path.removeprefix(f'{shown}/')}"
        for root, shown in backing.items()
        for path in paths
        if path.startswith(f"{shown}/") and "/" not in path.removeprefix(f"{shown}/")
    }


def last(path: str) -> str:
    """The name of a block, at the end of its path."""
    return path.replace("//", "\0").rpartition("/")[2]
