"""Compiles invented declarations and judges single nodes by them."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.check.credentials import check_credentials
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.parameters.properties import Declarations, compile_declarations
from grounded_builder.domains.n8n.parameters.visibility import Facts
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import add_end_line, header, jsonl
from tests.support.registries import registry_from

Line = dict[str, Any]

THING = "acme-nodes.thing"


def compile_parameters(
    parameters: list[Line], version: float = 1, *, is_tool: bool = False
) -> Declarations:
    """Declarations compiled on their own."""
    return compile_declarations(parameters, Facts(version, is_tool))


def declare(name: str, kind: str = "string", default: Any = "", **facts: Any) -> Line:
    """A declaration."""
    return {"name": name, "displayName": name.title(), "type": kind, "default": default} | facts


def choice(name: str, values: list[Any], **facts: Any) -> Line:
    """A closed list; its first value is the default."""
    options = [{"name": str(value), "value": value} for value in values]
    return declare(name, "options", values[0], options=options) | facts


def when(**conditions: Any) -> Line:
    """`displayOptions` that show under these conditions."""
    return {"show": {key: as_list(value) for key, value in conditions.items()}}


def unless(**conditions: Any) -> Line:
    """`displayOptions` that hide under these conditions."""
    return {"hide": {key: as_list(value) for key, value in conditions.items()}}


def as_list(value: Any) -> list[Any]:
    """A condition is a list of values."""
    return value if isinstance(value, list) else [value]


def registry(
    parameters: list[Line],
    versions: tuple[float, ...] = (1,),
    credentials: tuple[Line, ...] = (),
    types: tuple[str | Line, ...] = (),
    **facts: Any,
) -> Registry:
    """A catalog of one invented node; `types` are its credential types, as ids or lines."""
    variant = {
        "versions": list(versions),
        "inputs": [{"kind": "main"}],
        "outputs": [{"kind": "main"}],
        "parameters": parameters,
        "credentials": list(credentials),
    }
    tool = {
        "kind": "tool",
        "id": THING,
        "name": "Acme Thing",
        "package": "acme-nodes",
        "variants": [variant, *facts.pop("others", [])],
    }
    lines = [kind if isinstance(kind, dict) else {"id": kind, "name": kind} for kind in types]
    known = [{"kind": "credential", **line} for line in lines]
    return registry_from(jsonl(add_end_line([header(**facts), tool, *known])))


def findings(
    parameters: list[Line], given: Line, version: float = 1, **node: Any
) -> list[Diagnostic]:
    """What the parameter check says of a node with these values."""
    known = registry(parameters, versions=(version,))
    return list(
        check_parameters(_resolve_node(known, given, version, node), known, CompileOptions())
    )


def credential_findings(
    known: Registry, given: Line, options: CompileOptions | None = None, **node: Any
) -> list[Diagnostic]:
    """What the credential check says of a node with these values."""
    return list(
        check_credentials(_resolve_node(known, given, 1, node), known, options or CompileOptions())
    )


def codes(diagnostics: list[Diagnostic]) -> list[str]:
    """The codes alone."""
    return [diagnostic.code for diagnostic in diagnostics]


def _resolve_node(known: Registry, given: Line, version: float, node: Line) -> ResolvedGraph:
    source = {"name": "Thing", "type": THING, "parameters": given, **node}
    drafted = Node(
        name="Thing",
        tool=THING,
        version=version,
        params=given,
        at=("nodes", 0),
        source=source,
        disabled=bool(node.get("disabled")),
    )
    bound = ResolvedNode(drafted, known.tools[THING], version, known.spec(THING, version))
    return ResolvedGraph(Graph({}, (drafted,), ()), (bound,), {"Thing": bound})
