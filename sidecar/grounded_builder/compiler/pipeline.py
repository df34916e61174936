"""Compiles a draft in passes, can apply its fixes, and lists the open points for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import APPROVED, NEEDS_APPROVAL, check_unused_approvals
from grounded_builder.compiler.dependencies import check_order
from grounded_builder.compiler.draft_values import reject_ignored_values
from grounded_builder.compiler.duplicate_keys import DUPLICATE_KEY
from grounded_builder.compiler.fixes import apply_fixes, is_inside, note_correction, report_losses
from grounded_builder.compiler.goal_coverage import StepSummary, check_goal_coverage
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.read_plan import holds_plan, is_plan, read_plan
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.compiler.unread_keys import drop_file_keys, report_unread, states_nothing
from grounded_builder.compiler.unwrap import drop_prefix, unwrap
from grounded_builder.diagnostics import (
    Diagnostic,
    Verdict,
    new_diagnostic,
    sorted_unique,
    to_pointer,
    verdict_of,
    within_size,
)
from grounded_builder.ir.domain import Domain, Embedded, OpenedFile, Reading, open_native_file
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.lowering import Lowered, ResolvedPlan
from grounded_builder.ir.options import CompileOptions, Purpose
from grounded_builder.ir.plan import EXPECT
from grounded_builder.ir.rules.reading import TOO_LARGE
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs
from grounded_builder.resolve.package_hints import add_package_hints

_MAX_ROUNDS = 12
_MAX_TRIED = 20
_MAX_NESTED = 8
# A longer list would take more memory than the compilation.
_MAX_FINDINGS = 10_000
POLICY_ERROR = "PolicyError"
_VERDICTS: tuple[Verdict, ...] = ("ok", "incomplete", "wrong")


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling a draft.

    ``artifact`` is None if the verdict is wrong or no artifact was requested. ``plan`` is the
    resolved plan if the draft was a plan. ``expect`` are the expectations of the draft about its
    runs, with the names of nodes of the artifact.
    """

    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    document: Any
    artifact: Mapping[str, Any] | None
    catalog: str
    corrections: tuple[Diagnostic, ...] = ()
    plan: ResolvedPlan | None = None
    expect: tuple[Mapping[str, Any], ...] = ()


def compile_draft(
    draft: Any,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
) -> Compilation:
    """Parses, resolves, checks and builds one draft: text, bytes or a JSON value."""
    document, diagnostics, broken = _open_native(draft, domain, options)
    if broken:
        return _finish(diagnostics, document, registry)
    facts = (domain, registry, options, references)
    if is_plan(document, domain.resolving.target_options):
        return _compile_plan(document, diagnostics, *facts)
    reading = domain.reading.read(document)
    if reading.graph is None:
        document, route, notes = unwrap(document, partial(_is_draft, domain), options.limits)
        diagnostics = (*drop_prefix(diagnostics, route), *notes)
        if verdict_of(notes) == "wrong":
            return _finish(diagnostics, document, registry)
        if is_plan(document, domain.resolving.target_options):
            return _compile_plan(document, diagnostics, *facts)
        reading = domain.reading.read(document) if route else reading
    return _compile_document(document, reading, diagnostics, *facts)


def _is_draft(domain: Domain, value: Any) -> bool:
    """Returns whether a value inside a draft is a plan or a document of the domain."""
    return holds_plan(value) or (
        isinstance(value, dict) and domain.reading.read(value).graph is not None
    )


def _open_native(
    draft: Any, domain: Domain, options: CompileOptions
) -> tuple[Any, tuple[Diagnostic, ...], bool]:
    """Returns the document of a draft, its diagnostics, and whether compilation must stop."""
    native = draft if isinstance(draft, OpenedFile) else None
    if isinstance(draft, str | bytes | bytearray):
        raw = draft.encode("utf-8", "surrogatepass") if isinstance(draft, str) else bytes(draft)
        native = open_native_file(raw, "", domain)
    if native is None:
        document, diagnostics = parse(draft, options.limits)
        return document, diagnostics, verdict_of(diagnostics) == "wrong"
    if native.document is None:
        return None, native.diagnostics, True
    _, depth_diagnostics = parse(native.document, options.limits)
    return native.document, (*native.diagnostics, *depth_diagnostics), bool(depth_diagnostics)


def _compile_document(
    document: Any,
    reading: Reading,
    diagnostics: tuple[Diagnostic, ...],
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> Compilation:
    diagnostics = (*diagnostics, *reading.diagnostics)
    if reading.graph is None:
        return _finish(diagnostics, document, registry)
    if len(reading.graph.nodes) > options.limits.nodes:
        return _finish(
            (*diagnostics, _exceeds_node_limit(len(reading.graph.nodes), options)),
            document,
            registry,
        )
    resolved, unresolved = resolve_graph(
        reading.graph, domain, registry, references, options.limits
    )
    unresolved = _with_package_hints(unresolved, domain, registry, options)
    checked = [
        finding
        for check in domain.checking.checks
        for finding in check(resolved, registry, options)
    ]
    checked += _compile_embedded(resolved, domain, registry, options, references)
    checked += check_unused_approvals(checked, options)
    if options.is_draft:
        checked = reject_ignored_values(checked)
    names = {node.name: node.name for node in reading.graph.nodes}
    whole = reading.graph.document
    expect, faults = _read_expectations(whole, names, domain) if not options.within else ((), ())
    findings = (*diagnostics, *unresolved, *checked, *faults)
    compilation = replace(_finish(findings, document, registry), expect=expect)
    if compilation.verdict == "wrong" or not options.builds:
        return compilation
    return replace(compilation, artifact=domain.building.build(resolved, options))


def _read_expectations(
    document: Any, names: Mapping[str, str], domain: Domain
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Diagnostic, ...]]:
    """Returns what a draft expects of its runs, and the findings about that.

    ``names`` has the node for each name that the draft may use.
    """
    value = document.get(EXPECT) if isinstance(document, Mapping) else None
    if states_nothing(value):
        return (), ()
    if domain.checking.expectations is None:
        return (), (report_unread(EXPECT, value, (EXPECT,), f"a draft of {domain.name}"),)
    return domain.checking.expectations(value, names)


def _compile_embedded(
    resolved: ResolvedGraph,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> Iterator[Diagnostic]:
    """Yields the findings in embedded documents, each at its place in the outer one.

    For a document that is data and does not run in place, only policy findings count.
    """
    if domain.checking.embedded is None:
        return
    for embedded in domain.checking.embedded(resolved):
        name = " > ".join((*options.within, embedded.node))
        if len(options.within) >= _MAX_NESTED:
            yield new_diagnostic(
                TOO_LARGE,
                embedded.at,
                f'the document in "{name}" is nested more than {_MAX_NESTED} deep',
                help="nest the documents less deeply",
                node=embedded.node,
            )
            continue
        purpose: Purpose = "import" if options.purpose == "publish" else options.purpose
        within = (*options.within, embedded.node)
        inside = replace(options, purpose=purpose, within=within, builds=False)
        reading = domain.reading.read(embedded.document)
        facts = (domain, registry, inside, references)
        compilation = _compile_document(embedded.document, reading, (), *facts)
        for finding in compilation.diagnostics:
            if embedded.runs or finding.rule.error_type == POLICY_ERROR or finding.rule == APPROVED:
                yield _map_to_outer(finding, embedded)


def _map_to_outer(finding: Diagnostic, embedded: Embedded) -> Diagnostic:
    """Returns a finding in an embedded document at its place in the outer document."""
    route = () if embedded.is_text else finding.at
    place = f" at {to_pointer(finding.at)}" if embedded.is_text and finding.at else ""
    node = f"{embedded.node} > {finding.node}" if finding.node else embedded.node
    return replace(
        finding,
        at=(*embedded.at, *route),
        message=f'in the document inside "{embedded.node}"{place}: {finding.message}',
        node=node,
        related=(),
        fix=None,
    )


def _with_package_hints(
    diagnostics: tuple[Diagnostic, ...], domain: Domain, registry: Registry, options: CompileOptions
) -> tuple[Diagnostic, ...]:
    installable = options.policy.installable
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
    options: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
    *,
    unsafe: bool = False,
) -> Compilation:
    """Compiles a draft, applies safe fixes, and repeats until none is left.

    The verdict never becomes worse; ``unsafe`` also applies the possible fixes.
    """
    first = compilation = compile_draft(draft, domain, registry, options, references)
    corrections: list[Diagnostic] = []
    losses: list[Diagnostic] = []
    seen: list[Any] = []
    for _ in range(_MAX_ROUNDS):
        fixable = [d for d in compilation.diagnostics if d.fix and (d.fix.safe or unsafe)]
        seen.append(compilation.document)
        step = _apply_safe_fixes(
            compilation,
            fixable,
            lambda changed: compile_draft(changed, domain, registry, options, references),
        )
        if step is None or step[0].document in seen:
            break
        compilation = step[0]
        losses += report_losses(step[1])
        corrections += [note_correction(diagnostic) for diagnostic in step[1]]
    # The result of a plan already has the corrections of its lowered document.
    corrections += compilation.corrections
    compilation = _with_findings_of_draft(compilation, first, losses)
    return replace(compilation, corrections=within_size(corrections[:_MAX_FINDINGS]))


def _with_findings_of_draft(
    after: Compilation, first: Compilation, losses: Iterable[Diagnostic]
) -> Compilation:
    """Returns a compilation of a corrected document with what only the draft shows.

    That is the findings in its text, and the values that corrections took out.
    """
    findings = [*(d for d in first.diagnostics if d.rule == DUPLICATE_KEY), *losses]
    if after is first or not findings:
        return after
    diagnostics = sorted_unique((*after.diagnostics, *findings))
    return replace(after, diagnostics=diagnostics, verdict=verdict_of(diagnostics))


def repair_document(
    draft: Any,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs = no_reference_catalogs,
    *,
    unsafe: bool = False,
) -> Compilation:
    """Fixes a draft, and adds the fields by which editors identify its nodes."""
    compilation = compile_with_fixes(draft, domain, registry, options, references, unsafe=unsafe)
    if is_plan(compilation.document, domain.resolving.target_options):
        return compilation
    if parse(compilation.document, options.limits)[1]:
        # The passes after parsing cannot process a document that is too deep or has immense
        # numbers.
        return compilation
    reading = domain.reading.read(compilation.document)
    if reading.graph is None or len(reading.graph.nodes) > options.limits.nodes:
        return compilation
    if domain.checking.missing_editor_fields is None:
        return compilation
    resolved, _ = resolve_graph(reading.graph, domain, registry, references)
    missing = domain.checking.missing_editor_fields(resolved, options)
    document, applied = apply_fixes(compilation.document, missing)
    notes = (*compilation.corrections, *map(note_correction, applied))
    return replace(compilation, document=document, corrections=notes)


def _apply_safe_fixes(
    before: Compilation, fixable: list[Diagnostic], recompile: Callable[[Any], Compilation]
) -> tuple[Compilation, tuple[Diagnostic, ...]] | None:
    """Applies one round of fixes: all that fit, or the first one that does no harm, else None."""
    document, applied = apply_fixes(before.document, fixable)
    if not applied:
        return None
    after = recompile(document)
    if not _is_worse(after, before):
        return after, applied
    for diagnostic in applied[:_MAX_TRIED]:
        document, single = apply_fixes(before.document, [diagnostic])
        after = recompile(document)
        if not _is_worse(after, before):
            return after, single
    return None


def _is_worse(after: Compilation, before: Compilation) -> bool:
    return _VERDICTS.index(after.verdict) > _VERDICTS.index(before.verdict)


def _compile_plan(
    document: Any,
    diagnostics: tuple[Diagnostic, ...],
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> Compilation:
    """Lowers a plan to a native document, fixes that, and maps the findings to the plan."""
    plan, read_diagnostics = read_plan(
        document,
        domain.reading.plan_keys,
        domain.resolving.target_options,
        domain.reading.step_settings,
        domain.reading.model_keys,
        domain.reading.plan_settings,
    )
    if plan is None:
        return _finish((*diagnostics, *read_diagnostics), document, registry)
    plan, file_notes = drop_file_keys(plan, domain.reading.file_keys)
    read_diagnostics = (*read_diagnostics, *file_notes)
    max_steps = min(options.limits.nodes, options.limits.steps)
    if len(plan.steps) > max_steps:
        message = f"the plan has {len(plan.steps):,} steps, the limit is {max_steps:,}"
        excess = new_diagnostic(TOO_LARGE, (), message, help="split the plan")
        return _finish((*diagnostics, *read_diagnostics, excess), document, registry)
    order_diagnostics = tuple(
        check_order(
            plan,
            forward_is_wrong=domain.checking.forward_reference_is_wrong,
            itself_is_wrong=domain.checking.self_loop_is_wrong,
        )
    )
    choices, resolve_diagnostics = resolve_steps(plan, domain, registry, options, references)
    plan = replace(plan, steps=tuple(choice.step for choice in choices))
    resolve_diagnostics = _with_package_hints(resolve_diagnostics, domain, registry, options)
    lowered = domain.building.lower(plan, choices, registry, options)
    drafted = replace(options, is_draft=True)
    native = compile_with_fixes(lowered.document, domain, registry, drafted, references)
    unresolved = {choice.step.at for choice in choices if choice.tool is None}
    mapped = tuple(
        _map_to_plan(finding, lowered)
        for finding in native.diagnostics
        if not is_inside(lowered.map_to_plan(finding.at), unresolved)
    )
    steps = (
        StepSummary(str(node.get("tool_id")), node.get("params") or {}, str(node["id"]))
        for node in lowered.plan.nodes
    )
    expect, faults = _read_expectations(document, lowered.names, domain)
    gaps = check_goal_coverage(plan.goal, tuple(steps), domain, registry)
    findings = (
        *diagnostics,
        *read_diagnostics,
        *order_diagnostics,
        *resolve_diagnostics,
        *lowered.diagnostics,
        *mapped,
        *gaps,
        *faults,
    )
    compilation = _finish(findings, document, registry)
    notes = tuple(
        _map_to_plan(note, lowered)
        for note in native.corrections
        if not is_inside(lowered.map_to_plan(note.at), unresolved)
    )
    artifact = native.artifact if compilation.verdict != "wrong" else None
    if artifact is not None and domain.building.annotate is not None:
        artifact = domain.building.annotate(artifact, open_points(compilation.diagnostics))
    return replace(
        compilation, artifact=artifact, corrections=notes, plan=lowered.plan, expect=expect
    )


def open_points(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Returns what only a person can supply or may choose, one line each; an approval with the way
    to give it.

    The same value of several nodes, such as a document, is one line that names them all.
    """
    missing = [d for d in diagnostics if d.rule.kind == "incomplete" or d.only_user]
    nodes: dict[tuple[str, str], list[str]] = {}
    for d in missing:
        if d.only_user:
            nodes.setdefault(_split_at_node(d), []).append(f'"{d.node}"')
    lines: list[str] = []
    for d in missing:
        before, after = _split_at_node(d) if d.only_user else ("", "")
        names = list(dict.fromkeys(nodes.get((before, after), ())))
        is_shared = bool(before) and len(names) > 1
        text = f"{before}{', '.join(names[:-1])} and {names[-1]}{after}" if is_shared else d.message
        lines.append(f"{text}: {d.help}" if d.rule == NEEDS_APPROVAL else text)
    return list(dict.fromkeys(lines))


def _split_at_node(diagnostic: Diagnostic) -> tuple[str, str]:
    """Returns the message of a finding before and after the name of its node."""
    before, name, after = diagnostic.message.partition(f'"{diagnostic.node}"')
    return (before, after) if name else ("", diagnostic.message)


def _map_to_plan(finding: Diagnostic, lowered: Lowered) -> Diagnostic:
    """Returns a finding about the native document at its place in the plan, without its fix."""
    related = tuple(replace(place, at=lowered.map_to_plan(place.at)) for place in finding.related)
    return replace(finding, at=lowered.map_to_plan(finding.at), related=related, fix=None)


def _exceeds_node_limit(count: int, options: CompileOptions) -> Diagnostic:
    message = f"the draft has {count:,} nodes, the limit is {options.limits.nodes:,}"
    return new_diagnostic(TOO_LARGE, (), message, help="split the draft")


def _finish(findings: Iterable[Diagnostic], document: Any, registry: Registry) -> Compilation:
    diagnostics = sorted_unique(findings)
    listed = within_size(diagnostics[:_MAX_FINDINGS])
    if len(listed) < len(diagnostics):
        message = f"there are {len(diagnostics):,} findings, the first {len(listed):,} are listed"
        excess = new_diagnostic(TOO_LARGE, (), message, help="split the draft")
        diagnostics = (excess, *listed)
    return Compilation(verdict_of(diagnostics), diagnostics, document, None, registry.fingerprint)
