"""What policy keeps out of a model that is drafted."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check_policy(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find blocks that policy denies, by library path or by a pattern of paths."""
    del registry
    denied = setting.policy.denied
    for bound in resolved.bound if denied else ():
        if bound.tool is None or not any(fnmatchcase(bound.tool.id, one) for one in denied):
            continue
        yield found(
            "GB401",
            (*bound.node.at, "source"),
            f'"{bound.node.name}" is not allowed: policy denies {bound.tool.id}',
            help="use another tool, or have the policy changed by whoever owns it",
            node=bound.node.name,
            token=bound.tool.id,
        )
