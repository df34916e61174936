"""Inputs to begin with: the golden drafts, the models of the tests, catalogs and receipts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.support import catalogs, simulink_files

_GOLDEN = Path(__file__).parents[1] / "golden"
_SMALL = 4_000


@cache
def golden_drafts(domain: str) -> tuple[bytes, ...]:
    """The golden drafts of a domain, JSON and text; the largest are left out."""
    drafts: list[bytes] = []
    for folder in sorted(_GOLDEN.iterdir()):
        options = folder / "setting.json"
        facts = json.loads(options.read_text("utf-8")) if options.exists() else {}
        if facts.get("domain", "n8n") == domain:
            drafts += [path.read_bytes() for path in sorted(folder.glob("draft.*"))]
    return tuple(draft for draft in drafts if len(draft) <= _SMALL)


def plans(domain: str) -> Iterable[bytes]:
    """The golden drafts that have steps, and a small one."""
    yield b'{"goal": "x", "steps": [{"tool": "hook"}, {"tool": "mail", "params": {"to": "a"}}]}'
    yield from (draft for draft in golden_drafts(domain) if b'"steps"' in draft)


def documents(domain: str) -> Iterable[bytes]:
    """The golden drafts that are documents of the domain itself."""
    yield json.dumps(catalogs.workflow()).encode()
    yield from (draft for draft in golden_drafts(domain) if b'"steps"' not in draft)


def packages() -> Iterable[bytes]:
    """Model files that are zip packages, in both layouts, and as text."""
    yield simulink_files.pack_files(simulink_files.make_single_file_package())
    yield simulink_files.pack_files(simulink_files.make_split_package())
    yield simulink_files.pack_as_text(simulink_files.make_split_package())


def diagrams() -> Iterable[bytes]:
    """The outermost part of a package, to be packed after it was changed."""
    yield simulink_files.make_single_file_package()["simulink/blockdiagram.xml"].encode()
    yield simulink_files.diagram("<P Name='Solver'>ode45</P>").encode()


def classic_texts() -> Iterable[bytes]:
    """Model files of old releases."""
    yield simulink_files.CLASSIC.encode()
    yield (Path(__file__).parents[2] / "examples" / "simulink" / "pi-loop.mdl").read_bytes()
