"""Checks calls against policy: denied tools, and arguments with hosts that are not allowed."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import diagnose_refusal
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.diagnostics.json_texts import list_texts
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.hosts import is_allowed_host, parse_host
from grounded_builder.ir.options import CompileOptions, is_denied


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds calls of tools that policy denies, by id or shell pattern, and hosts that it forbids.

    Definitions do not state whether a tool runs code or which product it belongs to, so ``no_code``
    and ``core_only`` have no effect here.
    """
    del registry
    for bound in resolved.nodes:
        tool = bound.tool
        if tool and is_denied(tool.id, options.policy.denied, by_last_part=False):
            at: Route = (*bound.node.at, "tool")
            yield diagnose_refusal(bound, at, f"policy denies {tool.id}", tool.id)
        if options.policy.allowed_hosts is None:
            continue
        for at, text in list_texts(bound.node.params, (*bound.node.at, "params")):
            host = parse_host(text) if "://" in text else None
            if host is not None and not is_allowed_host(host, options.policy.allowed_hosts):
                reason = f"its arguments name the host {host}, which policy does not allow"
                yield diagnose_refusal(bound, at, reason, host)
