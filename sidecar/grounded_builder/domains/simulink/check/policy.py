"""Checks a model against policy (denied blocks, code, files, hosts); finds a type's blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.compiler.approval import diagnose_refusal, require_approval
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.hosts import is_allowed_host, locate_host, parse_bare_host, parse_host
from grounded_builder.ir.options import CompileOptions, Policy, is_denied

# Blocks that run code that they contain or name (Simulink documentation, "User-Defined Functions").
# What the code does cannot be checked. The action language of charts and truth tables is code too.
# Names are without spaces, as in block types.
_NAMING_CODE = frozenset(
    {
        "InterpretedMATLABFunction",
        "Level-2MATLABS-Function",
        "M-S-Function",
        "MATLABSystem",
        "S-Function",
        "S-FunctionBuilder",
        "CCaller",
        "CFunction",
        "PythonCode",
        "CustomCode",
        "CustomCallbackButton",
        "GeneratedS-Function",
    }
)
_HOLDING_CODE = _NAMING_CODE | {
    "MATLABFunction",
    "FunctionCaller",
    "Chart",
    "StateTransitionTable",
    "TruthTable",
}
_NETWORK = re.compile(r"\b(?:UDP|TCP|TCP/IP|XCP|ThingSpeak|MQTT|HTTP)\b")
# Parameters that name files, models and folders; and texts that lead out of the folder of the
# model, or may do so through a variable or a function.
_PLACE = re.compile(r"file|path|folder|dir|model|library|uri", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"(?:[/\\~$%\[{]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]+://)|(?:.*[/\\])?\.\.(?:[/\\]|$)|[A-Za-z]\w*+\("
)
_ADDRESS = re.compile(r"address|host|url|server", re.IGNORECASE)
_FAMILY = "Simulink"
# The package of the bare block types, which a library's block is made of.
_BARE = "built-in"


def check_policy(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds blocks that policy denies, and blocks with access to outside files, code or hosts.

    Blocks are denied by library path or by a pattern of paths.
    """
    policy = _for_library_blocks(options.policy, registry)
    for bound in resolved.nodes:
        refused = _why_refused(bound, policy)
        if refused:
            yield diagnose_refusal(bound, (*bound.node.at, "source"), refused)
            continue
        if options.purpose != "judge" or options.policy.is_restricting:
            yield from _files(bound, options)
            yield from _addresses(bound, options)
        if options.purpose != "judge" or options.policy.no_host_access:
            yield from _named_code(bound, options)


def _for_library_blocks(policy: Policy, registry: Registry) -> Policy:
    """Returns a policy that also denies the library blocks whose bare block type it denies."""
    rows = (registry.tools.get(name) for name in policy.denied)
    same = [id_ for row in rows if row is not None and row.package == _BARE for id_ in _ids(row)]
    return replace(policy, denied=(*policy.denied, *same)) if same else policy


def _why_refused(bound: ResolvedNode, policy: Policy) -> str:
    """Returns why policy denies a block; empty where it does not."""
    tool = bound.tool
    if tool is None:
        return ""
    if any(is_denied(id_, policy.denied) for id_ in _ids(tool)):
        return f"policy denies {tool.id}"
    # Blocks of MathWorks either belong to Simulink or require the licence of a product.
    if policy.core_only and tool.family != _FAMILY and not tool.requires_license:
        return f"{tool.id} is of {tool.family or tool.package}, and policy allows only MathWorks"
    if policy.no_code and _block_names(bound) & _HOLDING_CODE:
        return f"{tool.id} runs code, which policy does not allow"
    return ""


def library_blocks(tool: ToolRow) -> tuple[str, ...]:
    """Returns the library blocks that a bare block type stands for; none for a library block."""
    return tool.replaced_by if tool.package == _BARE else ()


def _ids(tool: ToolRow) -> tuple[str, ...]:
    """Returns the path of a block, and of a bare block type that of the library's block."""
    return (tool.id, *library_blocks(tool))


def _block(bound: ResolvedNode) -> str:
    return bound.tool.id.rpartition("/")[2] if bound.tool is not None else ""


def _block_names(bound: ResolvedNode) -> frozenset[str]:
    """Returns the names of a block in the library and as a block type, without spaces."""
    ids = _ids(bound.tool) if bound.tool is not None else ()
    return frozenset(id_.rpartition("/")[2].replace(" ", "") for id_ in ids)


def _files(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Finds files and models outside the folder of the model."""
    policy = options.policy
    opened = policy.allow_host_access or "host-access" in policy.opened
    if (opened and not policy.no_host_access) or (
        options.purpose == "judge" and not policy.no_host_access
    ):
        return
    for name, value in bound.node.params.items():
        if not isinstance(value, str) or not _PLACE.search(str(name)):
            continue
        text = value.strip().strip("'\"").strip()
        if _OUTSIDE.match(text):
            at: Route = (*bound.node.at, "parameters", str(name))
            reason = f'"{name}" is "{text[:60]}", which is outside the folder of the model'
            yield diagnose_refusal(bound, at, reason)


def _addresses(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Finds hosts to which blocks connect."""
    allowed = options.policy.allowed_hosts
    known = False
    for name, value in bound.node.params.items():
        if not isinstance(value, str) or not _ADDRESS.search(str(name)):
            continue
        text = value.strip().strip("'\"").strip()
        host = parse_host(text) if "://" in text else parse_bare_host(text)
        if host is None or not ("." in host or ":" in host or host == "localhost"):
            continue
        known = True
        at: Route = (*bound.node.at, "parameters", str(name))
        if allowed is not None and not is_allowed_host(host, allowed):
            reason = f"it connects to {host}, which policy does not allow"
            yield diagnose_refusal(bound, at, reason)
        elif locate_host(host) != "public":
            what = f"connects to the {locate_host(host)} address {host}"
            asked = require_approval("local-address", at, bound, what, options)
            yield from () if asked is None else (asked,)
    if allowed is not None and not known and _NETWORK.search(_block(bound)):
        reason = "its host is not known, and policy allows only certain hosts"
        yield diagnose_refusal(bound, (*bound.node.at, "source"), reason)


def _named_code(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Finds blocks that run a function or class that a parameter names."""
    if not _block_names(bound) & _NAMING_CODE:
        return
    what = f"runs code of {_block(bound)} that cannot be checked"
    at: Route = (*bound.node.at, "source")
    if options.policy.no_host_access:
        yield diagnose_refusal(
            bound, at, f"it {what}, and policy does not allow access to the host"
        )
        return
    asked = require_approval("host-access", at, bound, what, options)
    yield from () if asked is None else (asked,)
