"""The core is the same for every domain, so it names none of them and nothing of their products."""

from __future__ import annotations

import re
from pathlib import Path

import grounded_builder
from grounded_builder.domains.known import DOMAINS, TARGET_OPTIONS

_CORE = (
    "catalog",
    "compiler",
    "diagnostics",
    "drafting",
    "ir",
    "redaction",
    "resolve",
    "routing",
)
_PRODUCTS = (
    "langchain",
    "mathworks",
    "matlab",
    "mdl",
    "octave",
    "simscape",
    "slx",
    "stateflow",
    "toolbox",
    "toolboxes",
)
# "tools" is the core's own word for the entries of a catalog.
_GENERIC = frozenset({"tools"})
# What gives a lock back has the name that a release of a product has.
_UNLOCK = re.compile(r"\.release\(\)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _names_of_domains() -> frozenset[str]:
    exclusions = (e.name for known in DOMAINS.values() for e in known.resolving.exclusions)
    return frozenset((*DOMAINS, *TARGET_OPTIONS, *exclusions, *_PRODUCTS)) - _GENERIC


def _words(line: str) -> set[str]:
    text = _HUMP.sub(" ", _UNLOCK.sub("", line)).casefold()
    return {*re.findall(r"[a-z0-9]+", text), *re.findall(r"\w+", text)}


def test_the_core_names_no_domain_and_no_product() -> None:
    """Code, comments and texts alike: what differs between domains comes from their values."""
    names = _names_of_domains()
    root = Path(grounded_builder.__file__).parent
    files = [file for package in _CORE for file in sorted((root / package).rglob("*.py"))]
    places = [
        f"{file.relative_to(root)}:{number}: {', '.join(sorted(names & _words(line)))}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if names & _words(line)
    ]
    assert places == []


def test_names_are_seen_in_code_and_text() -> None:
    """A name is seen within identifiers and at any place of a text."""
    for line in ("simulinkRegistry()", "_N8N_URL", "is_n8n", "an n8n workflow", "policy.release"):
        assert _words(line) & _names_of_domains(), line
    for line in ("released = is_simulated(product)", "self._lock.release()"):
        assert not _words(line) & _names_of_domains(), line
