"""Compile a draft: the only place that knows the order of the passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.bind import bind
from grounded_builder.diagnostics import Diagnostic, Verdict, found, settle, verdict_of
from grounded_builder.domain import Domain
from grounded_builder.graph import Graph
from grounded_builder.parse import parse
from grounded_builder.registry.registry import Registry
from grounded_builder.repair.fixes import apply_fixes, corrected
from grounded_builder.setting import Setting
from grounded_builder.unresolved import References, no_references

_CORRECTION_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Compilation:
    """What became of a draft; ``artifact`` is absent when the verdict is wrong."""

    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    document: Any
    artifact: Mapping[str, Any] | None
    catalog: str
    corrections: tuple[Diagnostic, ...] = ()


def judge(
    draft: Any,
    domain: Domain,
    registry: Registry,
    setting: Setting,
    references: References = no_references,
) -> Compilation:
    """Parse, resolve, check and build one draft: text, bytes or a JSON value."""
    document, said = parse(draft, setting.limits)
    if verdict_of(said) == "wrong":
        return _ended(said, document, registry)
    reading = domain.read(document)
    said = (*said, *reading.diagnostics)
    if reading.graph is None:
        return _ended(said, document, registry)
    if len(reading.graph.nodes) > setting.limits.nodes:
        return _ended((*said, _too_many(reading.graph, setting)), document, registry)
    resolved, unresolved = bind(reading.graph, domain, registry, references)
    checked = [finding for check in domain.checks for finding in check(resolved, registry, setting)]
    compilation = _ended((*said, *unresolved, *checked), document, registry)
    if compilation.verdict == "wrong":
        return compilation
    return replace(compilation, artifact=domain.build(resolved, setting))


def correct(
    draft: Any,
    domain: Domain,
    registry: Registry,
    setting: Setting,
    references: References = no_references,
) -> Compilation:
    """Judge a draft, apply the safe fixes of its findings, and judge again until none is left."""
    compilation = judge(draft, domain, registry, setting, references)
    corrections: list[Diagnostic] = []
    for _ in range(_CORRECTION_ROUNDS):
        fixable = [d for d in compilation.diagnostics if d.fix is not None and d.fix.safe]
        if not fixable:
            break
        document, applied = apply_fixes(compilation.document, fixable)
        if not applied:
            break
        corrections += [corrected(diagnostic) for diagnostic in applied]
        compilation = judge(document, domain, registry, setting, references)
    return replace(compilation, corrections=tuple(corrections))


def _too_many(graph: Graph, setting: Setting) -> Diagnostic:
    message = f"the draft has {len(graph.nodes):,} nodes, the limit is {setting.limits.nodes:,}"
    return found("GB104", (), message, help="split the draft")


def _ended(said: Iterable[Diagnostic], document: Any, registry: Registry) -> Compilation:
    diagnostics = settle(said)
    return Compilation(verdict_of(diagnostics), diagnostics, document, None, registry.fingerprint)
