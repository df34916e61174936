"""Compile a draft: the only place that knows the order of the passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import APPROVED, unused_approvals
from grounded_builder.compiler.dependencies import check_order
from grounded_builder.compiler.fixes import apply_fixes, corrections_of
from grounded_builder.compiler.goal_coverage import StepSummary, check_goal_coverage
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.read_plan import is_plan, read_plan
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.diagnostics import (
    Diagnostic,
    Route,
    Verdict,
    new_diagnostic,
    sorted_unique,
    to_pointer,
    verdict_of,
)
from grounded_builder.ir.domain import Domain, Embedded, OpenedFile, open_native_file
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.lowering import Lowered, ResolvedPlan
from grounded_builder.ir.options import CompileOptions, Purpose
from grounded_builder.ir.rules.reading import TOO_LARGE
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs
from grounded_builder.resolve.package_hints import add_package_hints

_CORRECTION_ROUNDS = 12
_MOST_TRIED = 20
_MOST_NESTED = 8
# An answer that lists more takes more memory than the compile.
_MOST_FINDINGS = 10_000
POLICY_ERROR = "PolicyError"
_VERDICTS: tuple[Verdict, ...] = ("ok", "incomplete", "wrong")


@dataclass(frozen=True, slots=True)
class Compilation:
    """What became of a draft; ``artifact`` is absent when the verdict is wrong or none was wanted.

    ``plan`` is the resolved plan, where the draft was a plan.
    """

    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    document: Any
    artifact: Mapping[str, Any] | None
    catalog: str
    corrections: tuple[Diagnostic, ...] = ()
    plan: ResolvedPlan | None = None


def compile_draft(
    draft: Any,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
) -> Compilation:
    """Parse, resolve, check and build one draft: text, bytes or a JSON value."""
    document, diagnostics, broken = _open_native(draft, domain, setting)
    if broken:
        return _finish(diagnostics, document, registry)
    if is_plan(document, domain.resolving.target_options):
        return _compile_plan(document, diagnostics, domain, registry, setting, references)
    return _compile_document(document, diagnostics, domain, registry, setting, references)


def _open_native(
    draft: Any, domain: Domain, setting: CompileOptions
) -> tuple[Any, tuple[Diagnostic, ...], bool]:
    """The document of a draft, what is to be said of it, and whether nothing can follow."""
    native = draft if isinstance(draft, OpenedFile) else None
    if isinstance(draft, str | bytes | bytearray):
        raw = draft.encode("utf-8", "surrogatepass") if isinstance(draft, str) else bytes(draft)
        native = open_native_file(raw, "", domain)
    if native is None:
        document, diagnostics = parse(draft, setting.limits)
        return document, diagnostics, verdict_of(diagnostics) == "wrong"
    if native.document is None:
        return None, native.diagnostics, True
    _, deep = parse(native.document, setting.limits)
    return native.document, (*native.diagnostics, *deep), bool(deep)


def _compile_document(
    document: Any,
    diagnostics: tuple[Diagnostic, ...],
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs,
) -> Compilation:
    reading = domain.reading.read(document)
    diagnostics = (*diagnostics, *reading.diagnostics)
    if reading.graph is None:
        return _finish(diagnostics, document, registry)
    if len(reading.graph.nodes) > setting.limits.nodes:
        return _finish(
            (*diagnostics, _exceeds_node_limit(len(reading.graph.nodes), setting)),
            document,
            registry,
        )
    resolved, unresolved = resolve_graph(
        reading.graph, domain, registry, references, setting.limits
    )
    unresolved = _with_packages(unresolved, domain, registry, setting)
    checked = [
        finding
        for check in domain.checking.checks
        for finding in check(resolved, registry, setting)
    ]
    checked += _judge_embedded(resolved, domain, registry, setting, references)
    checked += unused_approvals(checked, setting)
    compilation = _finish((*diagnostics, *unresolved, *checked), document, registry)
    if compilation.verdict == "wrong" or not setting.builds:
        return compilation
    return replace(compilation, artifact=domain.building.build(resolved, setting))


def _judge_embedded(
    resolved: ResolvedGraph,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs,
) -> Iterator[Diagnostic]:
    """Judge the documents inside a document like it, each finding at its place in the outer one.

    Of a document that is data, and does not run where it is, only what policy says counts.
    """
    if domain.checking.embedded is None:
        return
    for embedded in domain.checking.embedded(resolved):
        name = " > ".join((*setting.within, embedded.node))
        if len(setting.within) >= _MOST_NESTED:
            yield new_diagnostic(
                TOO_LARGE,
                embedded.at,
                f'the document in "{name}" is nested more than {_MOST_NESTED} deep',
                help="nest documents less deep",
                node=embedded.node,
            )
            continue
        purpose: Purpose = "import" if setting.purpose == "publish" else setting.purpose
        within = (*setting.within, embedded.node)
        inside = replace(setting, purpose=purpose, within=within, builds=False)
        compilation = _compile_document(embedded.document, (), domain, registry, inside, references)
        for finding in compilation.diagnostics:
            if embedded.runs or finding.rule.error_type == POLICY_ERROR or finding.rule == APPROVED:
                yield _in_outer(finding, embedded)


def _in_outer(finding: Diagnostic, embedded: Embedded) -> Diagnostic:
    """A finding in an embedded document, at the place in the outer one that can be shown."""
    route = () if embedded.is_text else finding.at
    place = f" at {to_pointer(finding.at)}" if embedded.is_text and finding.at else ""
    named = f"{embedded.node} > {finding.node}" if finding.node else embedded.node
    return replace(
        finding,
        at=(*embedded.at, *route),
        message=f'in the document inside "{embedded.node}"{place}: {finding.message}',
        node=named,
        related=(),
        fix=None,
    )


def _with_packages(
    diagnostics: tuple[Diagnostic, ...], domain: Domain, registry: Registry, setting: CompileOptions
) -> tuple[Diagnostic, ...]:
    installable = setting.policy.installable
    return add_package_hints(
        diagnostics,
        registry,
        domain.resolving.package_of,
        domain.resolving.core_packages,
        installable,
    )


def compile_with_fixes(
    draft: Any,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
    *,
    unsafe: bool = False,
) -> Compilation:
    """Judge a draft, apply the safe fixes of its findings, and judge again until none is left.

    The verdict never becomes worse; ``unsafe`` applies the possible fixes too.
    """
    compilation = compile_draft(draft, domain, registry, setting, references)
    corrections: list[Diagnostic] = []
    seen: list[Any] = []
    for _ in range(_CORRECTION_ROUNDS):
        fixable = [d for d in compilation.diagnostics if d.fix and (d.fix.safe or unsafe)]
        seen.append(compilation.document)
        step = _apply_safe_fixes(
            compilation,
            fixable,
            lambda changed: compile_draft(changed, domain, registry, setting, references),
        )
        if step is None or step[0].document in seen:
            break
        compilation = step[0]
        corrections += [corrections_of(diagnostic) for diagnostic in step[1]]
    # A plan comes with what was corrected in what it was lowered to.
    return replace(compilation, corrections=(*corrections, *compilation.corrections))


def repair_document(
    draft: Any,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
    *,
    unsafe: bool = False,
) -> Compilation:
    """Correct a draft, and write into a document what its nodes lack to be known by."""
    compilation = compile_with_fixes(draft, domain, registry, setting, references, unsafe=unsafe)
    if is_plan(compilation.document, domain.resolving.target_options):
        return compilation
    if parse(compilation.document, setting.limits)[1]:
        # Too deep, or with a number that nothing can hold: no pass after parsing takes it.
        return compilation
    reading = domain.reading.read(compilation.document)
    if reading.graph is None or len(reading.graph.nodes) > setting.limits.nodes:
        return compilation
    if domain.checking.missing_editor_fields is None:
        return compilation
    resolved, _ = resolve_graph(reading.graph, domain, registry, references)
    missing = domain.checking.missing_editor_fields(resolved, setting)
    document, filled = apply_fixes(compilation.document, missing)
    notes = (*compilation.corrections, *map(corrections_of, filled))
    return replace(compilation, document=document, corrections=notes)


def _apply_safe_fixes(
    before: Compilation, fixable: list[Diagnostic], judged: Callable[[Any], Compilation]
) -> tuple[Compilation, tuple[Diagnostic, ...]] | None:
    """One round of fixes: all that apply, or the first alone that does no harm; else None."""
    document, applied = apply_fixes(before.document, fixable)
    if not applied:
        return None
    after = judged(document)
    if not _is_worse(after, before):
        return after, applied
    for diagnostic in applied[:_MOST_TRIED]:
        document, alone = apply_fixes(before.document, [diagnostic])
        after = judged(document)
        if not _is_worse(after, before):
            return after, alone
    return None


def _is_worse(after: Compilation, before: Compilation) -> bool:
    return _VERDICTS.index(after.verdict) > _VERDICTS.index(before.verdict)


def _compile_plan(
    document: Any,
    diagnostics: tuple[Diagnostic, ...],
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs,
) -> Compilation:
    """Lower a plan into a native document, correct that, and lead what is said back to the plan."""
    plan, read = read_plan(document, domain.reading.plan_keys, domain.resolving.target_options)
    if plan is None:
        return _finish((*diagnostics, *read), document, registry)
    most_steps = min(setting.limits.nodes, setting.limits.steps)
    if len(plan.steps) > most_steps:
        message = f"the plan has {len(plan.steps):,} steps, the limit is {most_steps:,}"
        excess = new_diagnostic(TOO_LARGE, (), message, help="split the plan")
        return _finish((*diagnostics, *read, excess), document, registry)
    ordered = tuple(
        check_order(
            plan,
            forward_is_wrong=domain.checking.forward_reference_is_wrong,
            itself_is_wrong=domain.checking.self_loop_is_wrong,
        )
    )
    choices, placed = resolve_steps(plan, domain, registry, setting, references)
    placed = _with_packages(placed, domain, registry, setting)
    lowered = domain.building.lower(plan, choices, registry, setting)
    native = compile_with_fixes(lowered.document, domain, registry, setting, references)
    holes = {choice.step.at for choice in choices if choice.tool is None}
    found_there = tuple(
        _map_to_plan(finding, lowered)
        for finding in native.diagnostics
        if not _is_inside(lowered.map_to_plan(finding.at), holes)
    )
    steps = (
        StepSummary(str(node.get("tool_id")), node.get("params") or {}, str(node["id"]))
        for node in lowered.plan.nodes
    )
    gaps = check_goal_coverage(plan.goal, tuple(steps), domain, registry)
    everything = (*diagnostics, *read, *ordered, *placed, *lowered.diagnostics, *found_there, *gaps)
    compilation = _finish(everything, document, registry)
    notes = tuple(
        _map_to_plan(note, lowered)
        for note in native.corrections
        if not _is_inside(lowered.map_to_plan(note.at), holes)
    )
    artifact = native.artifact if compilation.verdict != "wrong" else None
    if artifact is not None and domain.building.annotate is not None:
        artifact = domain.building.annotate(artifact, open_points(compilation.diagnostics))
    return replace(compilation, artifact=artifact, corrections=notes, plan=lowered.plan)


def open_points(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """What only a person can supply, one line each."""
    missing = (d for d in diagnostics if d.rule.kind == "incomplete")
    return list(dict.fromkeys(d.message for d in missing))


def _map_to_plan(finding: Diagnostic, lowered: Lowered) -> Diagnostic:
    """A finding about the native document, told of the plan; its edits fit there no more."""
    related = tuple(replace(place, at=lowered.map_to_plan(place.at)) for place in finding.related)
    return replace(finding, at=lowered.map_to_plan(finding.at), related=related, fix=None)


def _is_inside(route: Route, holes: set[Route]) -> bool:
    return any(route[:length] in holes for length in range(len(route) + 1))


def _exceeds_node_limit(count: int, setting: CompileOptions) -> Diagnostic:
    message = f"the draft has {count:,} nodes, the limit is {setting.limits.nodes:,}"
    return new_diagnostic(TOO_LARGE, (), message, help="split the draft")


def _finish(said: Iterable[Diagnostic], document: Any, registry: Registry) -> Compilation:
    diagnostics = sorted_unique(said)
    if len(diagnostics) > _MOST_FINDINGS:
        count = len(diagnostics)
        message = f"there are {count:,} findings, the first {_MOST_FINDINGS:,} are listed"
        excess = new_diagnostic(TOO_LARGE, (), message, help="split the draft")
        diagnostics = (excess, *diagnostics[:_MOST_FINDINGS])
    return Compilation(verdict_of(diagnostics), diagnostics, document, None, registry.fingerprint)
