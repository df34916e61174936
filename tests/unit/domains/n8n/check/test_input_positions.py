"""Scripts that find items of another node by the ``pairedItem`` of their input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

ROWS = "const rows = $('Rows').all();\n"


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _reported(code: str, registry: Registry, between: str = "executeWorkflow") -> list[str]:
    """The messages about a script behind Rows and a node between."""
    types = {"Start": "manualTrigger", "Rows": "splitOut", "Call": between, "Report": "code"}
    nodes: list[dict[str, Any]] = [
        {
            "name": name,
            "type": f"n8n-nodes-base.{kind}",
            "typeVersion": registry.tools[f"n8n-nodes-base.{kind}"].preferred_version,
            "position": [200 * place, 0],
            "parameters": {"jsCode": code} if kind == "code" else {},
        }
        for place, (name, kind) in enumerate(types.items())
    ]
    names = list(types)
    connections = {
        source: {"main": [[{"node": target, "type": "main", "index": 0}]]}
        for source, target in pairwise(names)
    }
    draft = {"nodes": nodes, "connections": connections}
    findings = compile_draft(draft, N8N, registry, CompileOptions()).diagnostics
    return [diagnostic.message for diagnostic in findings if diagnostic.code == "N8N362"]


@pytest.mark.parametrize(
    "code",
    [
        ROWS + "return $input.all().map((item) => ({ json: rows[item.pairedItem.item].json }));",
        ROWS + "const out = [];\nfor (const item of $input.all()) {\n  const p = [].concat("
        "item.pairedItem ?? [])[0];\n  out.push({ json: { mail: rows[p.item]?.json.mail } });\n}\n"
        "return out;",
        (
            "const sent = $input.all();\n"
            "const mails = $('Rows').all().map((row) => row.json.mail);\n"
            "const n = (i) => sent[i].pairedItem.item;\n"
            "return sent.map((s, i) => ({ json: { mail: mails[n(i)] } }));"
        ),
        "return items.map(i => ({ json: { of: $items('Rows')[i.pairedItem.item].json.mail } }));",
    ],
)
def test_an_item_found_by_an_overwritten_number_is_reported(code: str, registry: Registry) -> None:
    """n8n has set the number to the position in the input of the script."""
    (message,) = _reported(code, registry)
    assert '"Rows"' in message


@pytest.mark.parametrize(
    "code",
    [
        ROWS + "return $input.all().map((item, i) => ({ json: rows[i].json, "
        "pairedItem: item.pairedItem }));",
        ROWS + "return $input.all().map((item) => { const out = { json: rows[rows.length - 1] };"
        " out.pairedItem = item.pairedItem; return out; });",
        (
            "const done = $('Call').all();\nconst rows = $('Rows').all();\n"
            "return done.map((item) => ({ json: rows[item.pairedItem.item].json }));"
        ),
        "return $input.all().map((item, i) => ({ json: $('Rows').itemMatching(i).json }));",
        (
            "return $input.all().map((item) => ({ json: { n: item.pairedItem.item, "
            "all: $('Rows').all().length } }));"
        ),
        ROWS + "// item.pairedItem is not read here\nreturn $input.all().map((i, n) => rows[n]);",
        (
            "const settings = $('Rows').all();\nreturn $input.all().map((item) => "
            "({ json: { n: item.pairedItem.item, days: settings[0].json.days } }));"
        ),
    ],
)
def test_other_uses_are_not_reported(code: str, registry: Registry) -> None:
    """Handing it on, the pairedItem of another node's items, and a fixed item are right."""
    assert _reported(code, registry) == []


def test_positions_that_stay_the_same_are_not_reported(registry: Registry) -> None:
    """Behind nodes that give one item for each, the number is also that of the earlier node."""
    code = ROWS + "return $input.all().map((item) => rows[item.pairedItem.item]);"
    assert _reported(code, registry, between="set") == []
    assert _reported(code, registry, between="filter") != []
