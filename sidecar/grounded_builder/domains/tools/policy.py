"""Check that no call is made of a tool that policy denies."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """One finding for each call of a tool that policy denies by id or shell pattern."""
    del registry
    for bound in resolved.bound:
        tool = bound.tool
        if tool and any(fnmatchcase(tool.id, denied) for denied in setting.policy.denied):
            yield found(
                "GB401",
                (*bound.node.at, "tool"),
                f'"{bound.node.name}" is not allowed: policy denies {tool.id}',
                help="use another tool, or have the policy changed by whoever owns it",
                node=bound.node.name,
                token=tool.id,
            )
