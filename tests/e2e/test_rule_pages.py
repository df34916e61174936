"""Every example in the pages of the rules, checked against the real catalog, gives its code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import grounded_builder.diagnostics as package
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.stated_values import check_stated_values
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.interfaces.cli.lint.configuration import Configuration
from grounded_builder.interfaces.cli.lint.findings import lint
from grounded_builder.ir.options import CompileOptions, Purpose
from tests.support.registries import registry_from
from tests.support.simulink import simulink_registry
from tests.support.tool_lists import make_tool_registry

_EXAMPLE = re.compile(r"## Example\n\n(`{3,4})(\w+)(?: (\w+))?\n(.*?)\n\1\n", re.DOTALL)
_REQUEST = re.compile(r"request: (.+)\ndraft: (.+)")
PAGES = sorted((Path(package.__file__).parent / "pages").glob("*.md"))
EXAMPLES = [page for page in PAGES if _EXAMPLE.search(page.read_text("utf-8"))]
PURPOSES: dict[str, Purpose] = {"import": "import", "publish": "publish"}


@pytest.fixture(scope="module")
def registry(catalog_file: Path) -> Registry:
    """The registry of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_the_example_of_a_page_gives_its_code(page: Path, registry: Registry) -> None:
    """A page's example has the fault that the page describes."""
    example = _EXAMPLE.search(page.read_text("utf-8"))
    assert example is not None
    options = CompileOptions(purpose=PURPOSES.get(example[3] or "", "judge"))
    if page.stem.startswith("SLX"):
        compilation_diagnostics = compile_draft(
            example[4], SIMULINK, simulink_registry(), options
        ).diagnostics
        assert page.stem in {d.code for d in compilation_diagnostics}
        return
    if page.stem.startswith("TLS"):
        shown = json.loads(example[4])
        made = compile_draft(
            {"steps": shown["plan"]}, TOOLS, make_tool_registry(shown["tools"]), options
        )
        assert page.stem in {d.code for d in made.diagnostics}
        return
    pair = _REQUEST.fullmatch(example[4])
    if pair is not None:
        findings = check_stated_values(pair[1], json.loads(pair[2]))
        assert page.stem in {d.code for d in findings}
        return
    compilation = compile_draft(example[4], N8N, registry, options)
    linted = lint(compilation, N8N, page, example[4], Configuration(page.parent), None)
    diagnostics = linted.diagnostics if example[3] == "lint" else compilation.diagnostics
    results = {d.code for d in (*diagnostics, *compilation.corrections)}
    assert page.stem in results
