"""Reports nodes that take a file which no earlier node adds, or which an earlier node drops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.binary_files import (
    FileUse,
    files_of,
    find_file_uses,
    fits,
)
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISSING_FILE = Rule.advice(
    "N8N359", "missing-file", "EmptyData", "A file is used that the items never have."
)

_MAX_SEARCHED = 200


@dataclass(frozen=True, slots=True)
class _Found:
    """The files that reach a node, None if unknown, with the nodes that add or drop some."""

    files: frozenset[str] | None
    droppers: tuple[str, ...]


def check_missing_files(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Yields a finding for each file that a node takes and that its items certainly lack."""
    if resolved.graph.document.get("pinData"):
        return
    settings = resolved.graph.document.get("settings")
    if isinstance(settings, Mapping) and settings.get("binaryMode") == "combined":
        return
    before: dict[str, list[str]] = {}
    served: dict[str, list[str]] = {}
    for edge in resolved.graph.edges:
        if edge.source_kind == MAIN:
            before.setdefault(edge.target, []).append(edge.source)
        else:
            served.setdefault(edge.source, []).append(edge.target)
    for bound in resolved.nodes:
        name = bound.node.name
        if bound.node.disabled or name in served or name not in before:
            continue
        origin: _Found | None = None
        for use in find_file_uses(bound):
            origin = origin or _search(name, before, resolved)
            if origin.files is not None and not fits(use.name, origin.files):
                yield _report(bound, use, origin)


def _search(name: str, before: Mapping[str, Sequence[str]], resolved: ResolvedGraph) -> _Found:
    files: set[str] = set()
    droppers: list[str] = []
    seen, stack = {name}, list(before[name])
    while stack:
        source = stack.pop()
        if source in seen:
            continue
        seen.add(source)
        bound = resolved.by_name.get(source)
        known = files_of(bound) if bound is not None else None
        if known is None or known.added is None or len(seen) > _MAX_SEARCHED:
            return _Found(None, ())
        files |= known.added
        if known.drops and before.get(source):
            droppers.append(source)
        elif not known.drops:
            stack.extend(before.get(source, ()))
    return _Found(frozenset(files), tuple(droppers))


def _report(bound: ResolvedNode, use: FileUse, origin: _Found) -> Diagnostic:
    files = sorted(origin.files or ())
    names = [file for file in files if not file.endswith("*")]
    fix = None
    if len(names) == 1 and use.is_whole:
        reason = f'"{bound.node.name}" takes the file {use.name}, and its items have {names[0]}'
        fix = Fix(True, (Edit("set", use.at, names[0]),), reason)
    if files:
        shown = ", ".join(file.replace("*", "0") for file in files[:8])
        help_ = f"write {shown}"
        what = f"which its items do not have: they have {shown}"
    elif origin.droppers:
        shown = " and ".join(f'"{name}"' for name in origin.droppers[:3])
        what = f"and {shown} passes on no files"
        help_ = (
            f"connect it before {shown}, or join the items with those from before with a Merge node"
        )
    else:
        what = "and no node before it adds a file"
        help_ = "add a step that downloads or makes the file"
    return new_diagnostic(
        MISSING_FILE,
        use.at,
        f'"{bound.node.name}" takes the file {use.name}, {what}',
        help=help_,
        node=bound.node.name,
        token=use.name,
        alternatives=tuple(names),
        fix=fix,
    )
