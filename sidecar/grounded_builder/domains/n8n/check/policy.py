"""What policy keeps out, what a person has to approve, and what is only to be known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from grounded_builder.catalog.name_index import id_head
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import approval, refusal
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.catalog.code_nodes import runs_code
from grounded_builder.domains.n8n.check.called_addresses import Call, calls_of
from grounded_builder.domains.n8n.check.embedded_workflows import (
    string_leaves,
    takes_workflows,
    texts_read,
    unread_workflows,
)
from grounded_builder.domains.n8n.expressions.texts import Text, texts_of
from grounded_builder.domains.n8n.javascript.code_filter import MEMBERS_OUT, judge_code
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.hosts import is_allowed_host, locate_host
from grounded_builder.ir.options import CompileOptions, Policy

HOST_ACCESS = Rule.advice(
    "N8N332", "host-access", "PolicyError", "The node accesses the host machine."
)
UNREAD_WORKFLOW = Rule.advice(
    "N8N357", "unread-workflow", "PolicyError", "A nested workflow cannot be checked."
)

_BASE = "n8n-nodes-base."
# What nodes do to the machine that n8n runs on, or, by ssh, to another: read off their code in
# n8n-nodes-base 2.41 (nodes/NAME/*.node.js); what it calls is named after each.
HOST = {
    f"{_BASE}executeCommand": "runs commands on the host",  # child_process.exec
    f"{_BASE}ssh": "runs commands on another machine",  # node-ssh
    f"{_BASE}readWriteFile": "reads and writes files of the host",  # fs, by helpers
    f"{_BASE}localFileTrigger": "watches files of the host",  # chokidar
    f"{_BASE}readBinaryFile": "reads files of the host",  # the older forms of readWriteFile
    f"{_BASE}readBinaryFiles": "reads files of the host",
    f"{_BASE}writeBinaryFile": "writes files of the host",
    f"{_BASE}git": "writes folders of the host and may run what is set up there",  # simple-git
    f"{_BASE}ftp": "moves files by way of the host",  # basic-ftp, ssh2-sftp-client, fs
}
# Nodes that take a workflow from a file, by their parameter "source".
_FROM_FILE = "localFile"
CORE_PACKAGES = frozenset({"n8n-nodes-base", "@n8n/n8n-nodes-langchain"})
_API_CREDENTIAL = "n8nApi"
_TYPE = re.compile(r"(?:@[\w-]{1,100}/)?[\w-]{1,200}\.\w{1,200}")
# The ways out of the sandbox of a Code node in Python, whose syntax tree nothing here reads:
# functions of n8n and of the language that make code of text.
_WAYS_OUT = re.compile(
    r"helpers|httpRequest|constructor|__|prototype|\\[ux]"
    r"|(?<![\w$.])(?:this|require|import|from|process|module|fetch|eval|exec|open|getattr|Function"
    r"|globalThis|global|Reflect|Proxy|with|XMLHttpRequest|WebSocket)(?![\w$])"
)


def check(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Find what policy keeps out of nodes, what needs approval, and nodes that reach the host."""
    for bound in resolved.nodes:
        refused = _why_refused(bound, setting.policy)
        if refused:
            yield refusal(bound, (*bound.node.at, "type"), refused)
            continue
        if bound.spec is None:
            continue
        yield from _host_access(bound, setting)
        yield from _unread(bound, setting)
        yield from _carried_types(bound, registry, setting)
        yield from _credentials(bound, setting)
        yield from _code(bound, setting)
        yield from _addresses(bound, setting)


def _why_refused(bound: ResolvedNode, policy: Policy) -> str:
    """Why policy keeps the type of a node out; empty where it does not."""
    written = bound.node.tool or ""
    tool = bound.tool.id if bound.tool is not None else written
    ids = {written, tool, _original(bound)}
    if any(fnmatchcase(id_, denied) for id_ in ids for denied in policy.denied):
        return f"policy denies {tool}"
    package = bound.tool.package if bound.tool is not None else id_head(tool)
    if policy.core_only and package and package not in CORE_PACKAGES:
        return f"{tool} is of the package {package}, and policy allows those of n8n only"
    if policy.no_code and _has_code(bound):
        return f"{tool} runs code that is written into it, which policy does not allow"
    hosts = bound.tool.hosts if bound.tool is not None else ()
    if policy.allowed_hosts is not None and bound.tool is not None and not bound.tool.is_generic:
        outside = [host for host in hosts if not is_allowed_host(host, policy.allowed_hosts)]
        if outside and len(outside) == len(hosts):
            return f"{tool} calls {outside[0]}, which is not among the hosts that policy allows"
    return ""


def _original(bound: ResolvedNode) -> str:
    """The id of the node that an agent's tool was made of, else its own."""
    own = bound.tool.id if bound.tool is not None else bound.node.tool or ""
    return str(bound.spec.traits.get("tool_of", own)) if bound.spec is not None else own


def _has_code(bound: ResolvedNode) -> bool:
    if not isinstance(bound.spec, NodeSpec):
        return False
    codes = any(text.use in ("code", "python") and text.value.strip() for text in texts_of(bound))
    return codes or runs_code({"variants": [bound.spec.variant]})


def _host_access(bound: ResolvedNode, setting: CompileOptions) -> Iterator[Diagnostic]:
    tool = bound.tool.id if bound.tool is not None else ""
    what = HOST.get(tool) or HOST.get(_original(bound), "")
    if not what and bound.node.params.get("source") == _FROM_FILE and takes_workflows(bound):
        what = "reads a workflow from a file of the host"
    if not what:
        return
    at: Route = (*bound.node.at, "type")
    if setting.policy.no_host_access:
        yield refusal(bound, at, f"{tool} {what}, which policy does not allow")
    elif setting.purpose == "judge":
        yield new_diagnostic(
            HOST_ACCESS,
            at,
            f'"{bound.node.name}" reaches the host machine by {bound.node.tool}',
            help="an import asks a person to approve it, unless the operator allows host access",
            node=bound.node.name,
            token=bound.node.tool,
        )
    else:
        asked = approval("host-access", at, bound, what, setting)
        yield from () if asked is None else (asked,)


def _unread(bound: ResolvedNode, setting: CompileOptions) -> Iterator[Diagnostic]:
    """Workflows that a node runs and nobody can judge."""
    name = bound.node.name
    for unread in unread_workflows(bound):
        what = f"runs a workflow that cannot be judged: {unread.why}"
        if setting.policy.is_restricting:
            yield refusal(bound, unread.at, f"it {what}, and policy restricts what it may hold")
        elif setting.purpose == "judge":
            hint = "write the workflow into the parameter as JSON, or name a stored one"
            yield new_diagnostic(
                UNREAD_WORKFLOW, unread.at, f'"{name}" {what}', help=hint, node=name
            )
        else:
            asked = approval("unreadable-workflow", unread.at, bound, what, setting)
            yield from () if asked is None else (asked,)


def _carried_types(
    bound: ResolvedNode, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Node types that stand in code or in expressions, which may make workflows of them."""
    policy = setting.policy
    asks = setting.purpose != "judge"
    if not (asks or policy.is_restricting):
        return
    read = texts_read(bound)
    for at, _, text in string_leaves(bound.node.params, (*bound.node.at, "parameters")):
        if "nodes" not in text or "." not in text or at in read:
            continue
        for tool in dict.fromkeys(_TYPE.findall(text)):
            row = registry.tools.get(tool)
            denied = any(fnmatchcase(tool, name) for name in policy.denied)
            foreign = policy.core_only and row is not None and row.package not in CORE_PACKAGES
            if denied or foreign or (tool in HOST and policy.no_host_access):
                yield refusal(bound, at, f"it writes a node of type {tool}, which policy denies")
            elif tool in HOST and asks:
                what = f"writes a node of type {tool}, which {HOST[tool]}"
                asked = approval("host-access", at, bound, what, setting)
                yield from () if asked is None else (asked,)


def _credentials(bound: ResolvedNode, setting: CompileOptions) -> Iterator[Diagnostic]:
    """Nodes that call n8n's own interface with a credential for it."""
    held = bound.node.source.get("credentials")
    types = set(held) if isinstance(held, dict) else set()
    if isinstance(bound.spec, NodeSpec):
        types |= {rule.type for rule in bound.spec.credentials if rule.required}
    types.add(str(bound.node.params.get("nodeCredentialType", "")))
    if _API_CREDENTIAL not in types:
        return
    at: Route = (*bound.node.at, "type")
    what = "calls the interface of n8n itself with a credential"
    asked = approval("instance-api", at, bound, what, setting)
    yield from () if asked is None else (asked,)


def _code(bound: ResolvedNode, setting: CompileOptions) -> Iterator[Diagnostic]:
    """Code with a way to the network or to the host in it: where to, nobody can read."""
    for text in texts_of(bound):
        if text.use not in ("code", "python"):
            continue
        way = _way_out(text)
        if way is None:
            continue
        what = f"runs code that may reach the network or the host: {way}"
        if setting.policy.allowed_hosts is not None:
            yield refusal(bound, text.at, f"it {what}, and policy names the allowed hosts")
        else:
            asked = approval("unknown-address", text.at, bound, what, setting)
            yield from () if asked is None else (asked,)


def _way_out(text: Text) -> str | None:
    """What in code may lead out of its sandbox; None for code that only computes.

    A word alone is no way out, it may stand in a text or a comment: JavaScript is judged by its
    syntax tree. Where members are computed when the code runs, the words for those that lead out
    count too.
    """
    if text.use == "code":
        verdict = judge_code(text.value)
        if verdict.reason is not None or not verdict.places:
            return verdict.reason
    words = MEMBERS_OUT if text.use == "code" else _WAYS_OUT
    way = words.search(text.value)
    return None if way is None else f"the name {way[0]}"


def _addresses(bound: ResolvedNode, setting: CompileOptions) -> Iterator[Diagnostic]:
    """Addresses that policy does not allow, that are local, n8n's own, or not to be known."""
    if setting.purpose == "judge" and setting.policy.allowed_hosts is None:
        return
    for call in calls_of(bound):
        if setting.policy.allowed_hosts is not None and call.is_called:
            refused = _outside(call, setting.policy.allowed_hosts)
            if refused:
                yield refusal(bound, call.at, refused)
                continue
        yield from _asked(bound, call, setting)


def _outside(call: Call, allowed: tuple[str, ...]) -> str:
    if call.host is None:
        return "its host is known only when it runs, and policy names the hosts that are allowed"
    if is_allowed_host(call.host, allowed):
        return ""
    return f"it calls {call.host}, which is not among the hosts that policy allows"


def _asked(bound: ResolvedNode, call: Call, setting: CompileOptions) -> Iterator[Diagnostic]:
    asked = None
    if call.is_api or (call.host is not None and call.host in setting.policy.own_hosts):
        where = "n8n itself" if call.host is None else f"n8n itself at {call.host}"
        asked = approval("instance-api", call.at, bound, f"calls {where}", setting)
    elif call.host is None:
        what = "calls an address that is known only when it runs"
        asked = approval("unknown-address", call.at, bound, what, setting)
    elif locate_host(call.host) != "public":
        what = f"names the {locate_host(call.host)} address {call.host}"
        asked = approval("local-address", call.at, bound, what, setting)
    yield from () if asked is None else (asked,)
