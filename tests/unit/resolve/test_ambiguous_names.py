"""Names that look like a tool's and may mean something else are asked about."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import NameContext, Resolution
from grounded_builder.resolve import resolve_name
from tests.support.catalogs import MAIL, acme, add_end_line, jsonl, mail
from tests.support.registries import registry_from

OTHER = "other-nodes"


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with short names, a second package, and a store beside the steps."""

    def tool(identity: str, name: str, **facts: object) -> dict[str, object]:
        return mail() | {"id": identity, "name": name, "aliases": [], "keywords": [], **facts}

    store = tool(f"{OTHER}.storeQuokka", "Quokka Vector Store", capabilities=["for-agents"])
    for variant in store["variants"]:  # type: ignore[attr-defined]  # a list
        variant["outputs"] = [{"kind": "ai_vectorStore"}]
    added = [
        tool(f"{OTHER}.parserStructured", "Structured Output Parser", package=OTHER),
        tool("acme-nodes.zest", "Zest", family="zest"),
        tool("acme-nodes.shape", "Molt Fields", family="molt"),
        tool("acme-nodes.macrosoftCrews", "Microsoft Crews", family="microsoft"),
        store | {"package": OTHER},
    ]
    lines = acme()
    packages = [*lines[0]["packages"], {"name": OTHER, "version": "1"}]
    head = lines[0] | {"packages": packages}
    return registry_from(jsonl(add_end_line([head, *lines[1:-1], *added])))


def resolve_text(text: str, registry: Registry) -> Resolution:
    return resolve_name(text, registry, NameContext())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("acme-nodes.jsonParser", f"{OTHER}.parserStructured"),
        ("Molt", "acme-nodes.shape"),
        ("Zester", "acme-nodes.zest"),
        ("Quokka", f"{OTHER}.storeQuokka"),
        ("MS Crews", "acme-nodes.macrosoftCrews"),
    ],
)
def test_a_doubtful_name_is_asked_about(text: str, first: str, registry: Registry) -> None:
    """Another package's tool, one word of a longer name, a short name with an ending, what is no
    step, and an abbreviation are offered and not taken.
    """
    resolution = resolve_text(text, registry)
    assert resolution.tool is None
    assert first in [candidate.tool for candidate in resolution.candidates[:2]]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("other-nodes.outputParser", f"{OTHER}.parserStructured"),
        ("acme-nodes.shape", "acme-nodes.shape"),
        ("Zestt", "acme-nodes.zest"),
        ("Zest", "acme-nodes.zest"),
        ("Molt Fields", "acme-nodes.shape"),
    ],
)
def test_clear_name_resolves(text: str, tool: str, registry: Registry) -> None:
    """Misspellings, whole names and ids of the written package resolve."""
    assert resolve_text(text, registry).tool == tool


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("Acme Mail Send", {"resource": "message", "operation": "send"}),
        ("AcmeMail message", {"resource": "message"}),
        ("AcmeMailX", {}),
    ],
)
def test_preset_needs_word_of_text(text: str, params: dict[str, str], registry: Registry) -> None:
    """A resource or operation is preset only where a word of the text names it."""
    resolution = resolve_text(text, registry)
    assert (resolution.tool, resolution.params) == (MAIL, params)


def test_an_operation_without_its_resource_is_reported_itself(registry: Registry) -> None:
    """An operation that several resources have is preset by its own name alone."""
    get = {"operation": "get"}
    line = mail() | {"id": "acme-nodes.vole", "name": "Vole", "aliases": [], "family": "vole"}
    line["variants"] = line["variants"][-1:]
    line["variants"][0]["operations"] = [
        {"name": f"Get a {item}", "params": {"resource": item, **get}} for item in ("nest", "path")
    ]
    grown = registry_from(jsonl(add_end_line([*acme()[:-1], line])))
    resolution = resolve_text("Vole search", grown)
    assert (resolution.tool, resolution.params) == ("acme-nodes.vole", {})
    assert resolve_text("Vole get", grown).params == get
    assert resolve_text("Vole get nest", grown).params == {"resource": "nest", **get}
