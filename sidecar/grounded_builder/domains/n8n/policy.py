"""What policy keeps out, and what it wants known."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.graph import Bound, Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

_BASE = "n8n-nodes-base."
# Nodes that run commands on, or read and write files of, the machine that n8n runs on (or, by
# ssh, another); the last three are the older forms of readWriteFile.
HOST = frozenset(
    _BASE + name
    for name in (
        "executeCommand",
        "ssh",
        "readWriteFile",
        "localFileTrigger",
        "readBinaryFile",
        "readBinaryFiles",
        "writeBinaryFile",
    )
)


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find nodes that policy denies, and nodes that reach the host."""
    del registry
    denied = frozenset(setting.policy.denied)
    for bound in resolved.bound:
        if bound.tool is None or bound.spec is None:
            continue
        tool, original = bound.tool.id, bound.spec.traits.get("tool_of", bound.tool.id)
        if tool in denied or original in denied:
            yield _refused(bound, f"policy denies {tool}")
        elif tool in HOST or original in HOST:
            if setting.purpose == "judge":
                yield _reaches_host(bound)
            elif not setting.policy.allow_host_access:
                yield _refused(bound, f"{tool} reaches the host, which policy does not allow")


def _refused(bound: Bound, reason: str) -> Diagnostic:
    return found(
        "GB401",
        (*bound.node.at, "type"),
        f'"{bound.node.name}" is not allowed: {reason}',
        help="use another tool, or have the policy changed by whoever owns it",
        node=bound.node.name,
        token=bound.node.tool,
    )


def _reaches_host(bound: Bound) -> Diagnostic:
    return found(
        "N8N332",
        (*bound.node.at, "type"),
        f'"{bound.node.name}" reaches the host machine by {bound.node.tool}',
        help="an import refuses it unless the policy allows host access",
        node=bound.node.name,
        token=bound.node.tool,
    )
