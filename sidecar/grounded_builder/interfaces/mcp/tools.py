"""Implements the MCP tools: find, get, resolve, validate, repair, build, rehearse, import, more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from grounded_builder.compiler.name_stats import occurrences_in, occurrences_of_name
from grounded_builder.compiler.pipeline import (
    Compilation,
    compile_draft,
    compile_with_fixes,
    open_points,
)
from grounded_builder.compiler.pipeline import repair_document as repair_draft
from grounded_builder.diagnostics import Diagnostic, to_pointer
from grounded_builder.drafting.constraints import narrow_constraints
from grounded_builder.interfaces.mcp.context import McpContext, RefusedError
from grounded_builder.ir.options import CompileOptions, SwitchesError
from grounded_builder.resolve.query import QueryError, answer_query, as_json
from grounded_builder.resolve.tool_search import describe_tool, find_tools, summarize_hits
from grounded_builder.services import import_workflow
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.edit_sessions import size_of
from grounded_builder.services.generate import generate as generate_whole
from grounded_builder.services.rehearsal import run_rehearsal
from grounded_builder.services.rehearsal_order import OrderError, RehearsalOrder, read_order
from grounded_builder.services.request_policy import receipt_of
from grounded_builder.storage.name_stats import NameStatsStore

ToolAnswer = dict[str, Any]

_FINDINGS = 30
_CANDIDATES = 5
_LONGEST_NAME = 2_000
_LONGEST_REQUEST = 20_000
_IMPORTED = "n8n"


class ToolService:
    """The tools of the server."""

    def __init__(self, workplace: McpContext) -> None:
        self._at = workplace

    def find_tool(
        self, query: str, domain: str, limit: int, kind: str | None, family: str | None
    ) -> ToolAnswer:
        """Returns the installed tools for a purpose, best first."""
        self._at.domain(domain)
        registry = self._at.registry(domain)
        hits = find_tools(
            query[:_LONGEST_NAME], registry, max(1, min(limit, 50)), kind=kind, family=family
        )
        return {"tools": summarize_hits(hits, registry), "catalog": registry.fingerprint}

    def get_tool(self, tool: str, domain: str, params: Mapping[str, Any]) -> ToolAnswer:
        """Returns one tool with its operations, or with the parameters of one operation."""
        known, registry = self._at.domain(domain), self._at.registry(domain)
        if tool not in registry.tools:
            near = ", ".join(
                candidate.tool
                for candidate in known.resolving.resolve(tool, registry, None).candidates
            )
            hint = f"nearest: {near}" if near else "find_tool finds one by what it does"
            raise RefusedError(f"there is no tool {tool[:100]!r}; {hint}")
        row = registry.tools[tool]
        facts = describe_tool(tool, params, known, registry)
        return {**facts, "what": row.description[:400], "availability": row.availability}

    def resolve(self, text: str, domain: str, context: Mapping[str, Any] | None) -> ToolAnswer:
        """Returns the tool that a name means."""
        known, registry = self._at.domain(domain), self._at.registry(domain)
        if not 0 < len(text) <= _LONGEST_NAME:
            raise RefusedError(f"text is not a name of 1 to {_LONGEST_NAME} characters")
        try:
            resolution = answer_query(
                text, context, registry, known.prompting.fallback, known.resolving
            )
        except QueryError as error:
            raise RefusedError(str(error)) from error
        NameStatsStore(self._at.store.engine, domain).add(occurrences_of_name(text, resolution))
        answer = as_json(resolution, registry)
        return {**answer, "candidates": answer["candidates"][:_CANDIDATES]}

    def validate(self, draft: Any, domain: str) -> ToolAnswer:
        """Returns the verdict on a draft and its findings."""
        return _verdict_record(
            self._compile_in_bounds(compile_draft, draft, domain, self._compile_options())
        )

    def repair(self, draft: Any, domain: str) -> ToolAnswer:
        """Returns a draft with its mechanical faults corrected, and what remains."""
        compilation = self._compile_in_bounds(repair_draft, draft, domain, self._compile_options())
        fixes = [correction.message for correction in compilation.corrections]
        return {**_verdict_record(compilation), "fixes": fixes, "document": compilation.document}

    def build(self, draft: Any, domain: str, key: str) -> ToolAnswer:
        """Returns the artifact of a draft that is not wrong, with the receipt for an import."""
        options = replace(self._compile_options(key), purpose="import")
        compilation = self._compile_in_bounds(compile_with_fixes, draft, domain, options)
        return {
            **_verdict_record(compilation),
            "artifact": compilation.artifact,
            "receipt": receipt_of(compilation, self._at.signing or self._at.store),
            "todo": open_points(compilation.diagnostics),
        }

    def rehearse(self, draft: Any, asked: Mapping[str, Any]) -> ToolAnswer:
        """Runs the real nodes of a workflow where nothing is reached; returns their requests."""
        try:
            return self._rehearse(read_order(draft, asked, size_of(draft)))
        except OrderError as error:
            raise RefusedError(f"{error.key}: {error}") from error

    def _rehearse(self, order: RehearsalOrder) -> ToolAnswer:
        registry, references = self._at.registry(_IMPORTED), self._at.references(_IMPORTED)
        facts = (self._at.store, registry, references, self._at.stages, self._at.compiling)
        result = run_rehearsal(order, *facts)
        return {
            "outcome": result.outcome,
            "reason": result.reason,
            "isolated": result.is_isolated,
            "gaps": list(result.gaps),
            "findings": _findings(result.diagnostics),
            **result.content,
        }

    def import_(
        self,
        artifact: Mapping[str, Any],
        signed: Mapping[str, Any],
        key: str,
        workflow_id: str | None,
        *,
        publish: bool,
    ) -> ToolAnswer:
        """Imports an artifact with its receipt into n8n."""
        wish = import_workflow.WorkflowImport(
            dict(artifact),
            receipt=dict(signed),
            signed=True,
            key=key,
            publish=publish,
            workflow_id=workflow_id,
            size=size_of(artifact),
        )
        registry, references = self._at.registry(_IMPORTED), self._at.references(_IMPORTED)
        result = import_workflow.run_import(
            wish, self._at.store, registry, references, self._at.compiling
        )
        result_json = import_workflow.result_json(result)
        keys = ("outcome", "workflow_id", "url", "published", "live", "todo")
        return {
            **{key: result_json[key] for key in keys},
            "findings": _findings(result.diagnostics),
        }

    def generate(self, request: str, domain: str, constraints: Mapping[str, Any]) -> ToolAnswer:
        """Generates an artifact with the configured models or the planner."""
        if not len(request.strip()) > 0 or len(request) > _LONGEST_REQUEST:
            raise RefusedError(f"request is not a text of 1 to {_LONGEST_REQUEST:,} characters")
        known, registry = self._at.domain(domain), self._at.registry(domain)
        references = self._at.references(domain)
        talks = Conversations(self._at.store, known, registry, references, self._at.compiling)
        try:
            narrowed = narrow_constraints(constraints, self._at.switches)
        except SwitchesError as error:
            raise RefusedError(
                f"constraints: {error}; docs/security.md lists the switches"
            ) from error
        made = generate_whole(request, narrowed, None, "auto", talks, self._at.store)
        keys = ("outcome", "reason", "summary", "artifact", "receipt", "todo", "rounds")
        wrong = [
            diagnostic for diagnostic in made["diagnostics"] if diagnostic["class"] != "advice"
        ]
        findings = [
            {key: finding[key] for key in ("code", "name", "class", "at", "message", "help")}
            for finding in wrong[:_FINDINGS]
        ]
        return {**{key: made[key] for key in keys}, "findings": findings, "run": made["session"]}

    def _compile_in_bounds(
        self, compile_: Any, draft: Any, domain: str, options: CompileOptions
    ) -> Compilation:
        known, registry = self._at.domain(domain), self._at.registry(domain)
        references = self._at.references(domain)
        work = partial(compile_, draft, known, registry, options, references)
        compilation: Compilation = self._at.compiling(work, size_of(draft))
        NameStatsStore(self._at.store.engine, domain).add(occurrences_in(compilation, registry))
        return compilation

    def _compile_options(self, key: str = "") -> CompileOptions:
        settings = self._at.store.settings
        return CompileOptions(
            policy=settings.policy,
            limits=settings.limits,
            seed=key[:200],
            path_secret=self._at.store.secrets().path_secret,
            is_draft=True,
        )


def _verdict_record(compilation: Compilation) -> ToolAnswer:
    return {
        "verdict": compilation.verdict,
        "findings": _findings(compilation.diagnostics),
        "total": len(compilation.diagnostics),
        "catalog": compilation.catalog,
    }


def _findings(diagnostics: Iterable[Diagnostic]) -> list[ToolAnswer]:
    """Returns the gravest findings first, a bounded number, without notes."""
    rank = {"wrong": 0, "incomplete": 1, "advice": 2}
    findings = [diagnostic for diagnostic in diagnostics if diagnostic.rule.severity != "info"]
    findings.sort(key=lambda diagnostic: rank[diagnostic.rule.kind])
    return [_format_finding(diagnostic) for diagnostic in findings[:_FINDINGS]]


def _format_finding(diagnostic: Diagnostic) -> ToolAnswer:
    record: ToolAnswer = {
        "code": diagnostic.code,
        "name": diagnostic.rule.name,
        "class": diagnostic.rule.kind,
        "at": to_pointer(diagnostic.at),
        "message": diagnostic.message,
    }
    if diagnostic.help:
        record["help"] = diagnostic.help
    if diagnostic.alternatives:
        record["alternatives"] = list(diagnostic.alternatives)[:_CANDIDATES]
    return record
