"""Reports what a model needs that an installation lacks: release, products, licences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.catalog.releases import is_later
from grounded_builder.domains.simulink.resolve.availability import (
    find_absence,
    find_hindrance,
    release_here,
    terms_under,
)
from grounded_builder.domains.simulink.resolve.replacements import find_replacements
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.diagnose import UNAVAILABLE_TOOL

NEWER_BLOCK = Rule.advice(
    "SLX351", "newer-block", "UnsupportedVersion", "A block is newer than its file."
)
NEWER_FILE = Rule.advice(
    "SLX352", "newer-file", "UnsupportedVersion", "A file is newer than the configured release."
)
NEEDED_PRODUCTS = Rule.info("SLX353", "needed-products", "A model needs further products.")

_MOST_RELATED = 5
_CHARTS = {
    "Chart": "Stateflow",
    "State Transition Table": "Stateflow",
    "Truth Table": "Stateflow",
    "Test Sequence": "Simulink Test",
}


OLD_RELEASE = Rule.advice(
    "SLX354", "old-release", "UnsupportedVersion", "Build scripts need a later release."
)

# The first release that the build scripts and the toolbox support.
_FIRST = "R2019b"


def check_releases(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds blocks that are not available, and files of a later release."""
    # Blocks that are commented out are not required when the model runs.
    active = [node for node in resolved.nodes if not node.node.disabled]
    absent = list(_check_availability(active, registry, options))
    yield from absent
    document = resolved.graph.document
    if document.get("layout") in (None, "plan"):
        yield from check_minimum_release(release_here(registry, options.policy))
        return
    yield from _newer_file(document, registry, options)
    results = {diagnostic.at for diagnostic in absent}
    yield from _newer_blocks(
        document, [resolved_node for resolved_node in active if _at(resolved_node) not in results]
    )
    yield from _products(active, registry)


def _check_availability(
    active: list[ResolvedNode], registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    policy = options.policy
    terms = terms_under(policy, registry)
    reason_of = cache(lambda tool: find_hindrance(tool, registry, terms))
    bound = NameContext(target=policy.target)
    for resolved_node in active:
        if resolved_node.tool is None:
            continue
        chart = _chart_of(resolved_node)
        reason = find_absence(chart, terms) if chart else reason_of(resolved_node.tool.id)
        if not reason:
            continue
        what = f'the chart "{resolved_node.node.name}"' if chart else resolved_node.tool.id
        yield new_diagnostic(
            UNAVAILABLE_TOOL,
            _at(resolved_node),
            f"{what} is not available: {reason}",
            help="use another block, or run the model where this block is available",
            node=resolved_node.node.name,
            token=resolved_node.tool.id,
            alternatives=() if chart else find_replacements(resolved_node.tool.id, registry, bound),
        )


def _newer_file(
    document: Mapping[str, Any], registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds a file of a later release; a preference of Simulink decides whether it opens."""
    here, wrote = release_here(registry, options.policy), document.get("release")
    if is_later(wrote, here):
        yield new_diagnostic(
            NEWER_FILE,
            (),
            f"the file was saved by {wrote}, which is later than {here}",
            help=f"export it to {here} from the release that saved it",
            token=wrote,
        )


def _newer_blocks(document: Mapping[str, Any], active: list[ResolvedNode]) -> Iterator[Diagnostic]:
    """Finds blocks that are newer than the release of the file; one finding for each block type."""
    wrote = document.get("release")
    found_there: dict[str, list[ResolvedNode]] = {}
    for resolved_node in active:
        since = resolved_node.spec and (resolved_node.spec.release or resolved_node.spec.not_before)
        if resolved_node.tool is not None and is_later(since, wrote):
            found_there.setdefault(resolved_node.tool.id, []).append(resolved_node)
    for tool, several in found_there.items():
        first, *others = several
        since = first.spec.release or f"{first.spec.not_before} or later"
        yield new_diagnostic(
            NEWER_BLOCK,
            _at(first),
            f"{tool} came with {since}, and the file was saved by {wrote}",
            help=f"open it in {since}; {wrote} does not have the block",
            node=first.node.name,
            token=tool,
            related=[Related(_at(other), "another one") for other in others[:_MOST_RELATED]],
        )


def _products(active: list[ResolvedNode], registry: Registry) -> Iterator[Diagnostic]:
    """Finds the products other than Simulink that the known blocks of a file require."""
    of_library: dict[str, str] = {}
    for row in registry.tools.values():
        if row.requires_license:
            of_library.setdefault(row.package, row.requires_license)
    counts = Counter(
        product
        for resolved_node in active
        if (product := _product(resolved_node, of_library)) is not None
    )
    if counts:
        each = (f"{name} ({_format_count(count)})" for name, count in sorted(counts.items()))
        yield new_diagnostic(
            NEEDED_PRODUCTS, (), f"in addition to Simulink the model requires {', '.join(each)}"
        )


def _product(resolved_node: ResolvedNode, of_library: Mapping[str, str]) -> str | None:
    if chart := _chart_of(resolved_node):
        return chart
    if resolved_node.tool is not None:
        return resolved_node.tool.requires_license
    # A block that the catalog lacks belongs to the product of its library.
    return of_library.get((resolved_node.node.tool or "").partition("/")[0])


def _chart_of(resolved_node: ResolvedNode) -> str:
    """Returns the product of a chart; in old files a MATLAB Function is a chart as well."""
    return _CHARTS.get(
        (resolved_node.node.source.get("parameters") or {}).get("SFBlockType", ""), ""
    )


def _format_count(count: int) -> str:
    return f"{count:,} block{'s' if count > 1 else ''}"


def _at(resolved_node: ResolvedNode) -> tuple[str | int, ...]:
    return (
        (*resolved_node.node.at, "source")
        if "source" in resolved_node.node.source
        else resolved_node.node.at
    )


def check_minimum_release(release: str) -> Iterator[Diagnostic]:
    """Yields a finding for a draft whose release is older than the first supported one."""
    if is_later(_FIRST, release):
        yield new_diagnostic(
            OLD_RELEASE,
            (),
            f"the model is for {release}, and build scripts need {_FIRST} or later",
            help=f"build it in {_FIRST} or later, and export it to {release}",
            token=release,
        )
