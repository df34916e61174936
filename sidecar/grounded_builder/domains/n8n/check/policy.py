"""Reports nodes that policy denies or that need approval, and nodes that access n8n's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from grounded_builder.catalog.name_index import id_head
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import diagnose_refusal, require_approval
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.diagnostics.json_texts import list_texts
from grounded_builder.domains.n8n.catalog.code_nodes import runs_code
from grounded_builder.domains.n8n.check.called_addresses import CORE_PACKAGES, Call, find_calls
from grounded_builder.domains.n8n.check.embedded_workflows import (
    has_workflow_parameter,
    routes_of_embedded,
    unchecked_workflows,
)
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.domains.n8n.javascript.code_filter import (
    ESCAPING_MEMBERS,
    check_code,
    check_expression_code,
)
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.hosts import is_allowed_host, locate_host
from grounded_builder.ir.options import CompileOptions, Policy, is_denied

HOST_ACCESS = Rule.advice(
    "N8N332", "host-access", "PolicyError", "The node accesses the host machine."
)
UNREAD_WORKFLOW = Rule.advice(
    "N8N357", "unread-workflow", "PolicyError", "A nested workflow cannot be checked."
)

_BASE = "n8n-nodes-base."
# What nodes do to the machine that n8n runs on, or to another by ssh. Source: the code of each node
# in n8n-nodes-base 2.41 (nodes/NAME/*.node.js); the comments name the libraries that it calls.
HOST_EFFECTS = {
    f"{_BASE}executeCommand": "runs commands on the host",  # child_process.exec
    f"{_BASE}ssh": "runs commands on another machine",  # node-ssh
    f"{_BASE}readWriteFile": "reads and writes files of the host",  # fs, by helpers
    f"{_BASE}localFileTrigger": "watches files of the host",  # chokidar
    f"{_BASE}readBinaryFile": "reads files of the host",  # the older forms of readWriteFile
    f"{_BASE}readBinaryFiles": "reads files of the host",
    f"{_BASE}writeBinaryFile": "writes files of the host",
    f"{_BASE}git": "writes folders of the host and may run hooks there",  # simple-git
    f"{_BASE}ftp": "transfers files through the host",  # promise-ftp, ssh2-sftp-client, fs
}
# The values of "operation" with which a node has its effect, where others have none: FTP downloads
# to a file of the host, and uploads straight from the items.
_EFFECTIVE_OPERATIONS = {f"{_BASE}ftp": "download"}
# The value of the parameter "source" with which a node loads a workflow from a file.
_FROM_FILE = "localFile"
_API_CREDENTIAL = "n8nApi"
_TYPE = re.compile(r"(?:@[\w-]{1,100}/)?[\w-]{1,200}\.\w{1,200}")
# Names in Python code that may escape the sandbox of a Code node: functions of n8n and of the
# language that run text as code. Python is searched as text, JavaScript by its syntax tree.
_ESCAPES = re.compile(
    r"helpers|httpRequest|constructor|__|prototype|\\[ux]"
    r"|(?<![\w$.])(?:this|require|import|from|process|module|fetch|eval|exec|open|getattr|Function"
    r"|globalThis|global|Reflect|Proxy|with|XMLHttpRequest|WebSocket)(?![\w$])"
)
# What an expression that leads out holds, and why its syntax tree is refused then.
_LEADS_OUT = re.compile(
    r"constructor|__|prototype|this|process|require|import|eval|Function|Reflect|Proxy|global|\]\s*\("
)
_EXIT_REASON = re.compile(
    r"computed function|This|constructor|__|prototype|process|require|mport|eval\b|Function\b"
    r"|Reflect|Proxy|global"
)


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports nodes that policy denies, calls that need approval, and access to the host."""
    for bound in resolved.nodes:
        refused = _denial_reason(bound, options.policy)
        if refused:
            yield diagnose_refusal(bound, (*bound.node.at, "type"), refused)
            continue
        if bound.spec is None:
            continue
        yield from _check_host_access(bound, options)
        yield from _check_embedded_workflows(bound, options)
        yield from _check_types_in_texts(bound, registry, options)
        yield from _check_api_credentials(bound, options)
        yield from _check_code(bound, options)
        yield from _check_expressions(bound, options)
        yield from _check_addresses(bound, options)


def _denial_reason(bound: ResolvedNode, policy: Policy) -> str:
    """Returns the reason for which policy denies the type of a node, empty if it allows it."""
    written = bound.node.tool or ""
    tool = bound.tool.id if bound.tool is not None else written
    ids = {written, tool, _base_tool_id(bound)}
    if any(is_denied(id_, policy.denied) for id_ in ids):
        return f"policy denies {tool}"
    package = bound.tool.package if bound.tool is not None else id_head(tool)
    if policy.core_only and package and package not in CORE_PACKAGES:
        return f"{tool} belongs to the package {package}, and policy allows only n8n's packages"
    if policy.no_code and _has_code(bound):
        return f"{tool} runs code of its parameters, which policy does not allow"
    hosts = bound.tool.hosts if bound.tool is not None else ()
    if policy.allowed_hosts is not None and bound.tool is not None and not bound.tool.is_generic:
        outside = [host for host in hosts if not is_allowed_host(host, policy.allowed_hosts)]
        if outside and len(outside) == len(hosts):
            return f"{tool} calls {outside[0]}, which is not an allowed host"
    return ""


def _base_tool_id(bound: ResolvedNode) -> str:
    """Returns the id of the node from which n8n generated a tool, otherwise the node's own id."""
    own = bound.tool.id if bound.tool is not None else bound.node.tool or ""
    return str(bound.spec.traits.get("tool_of", own)) if bound.spec is not None else own


def _has_code(bound: ResolvedNode) -> bool:
    if not isinstance(bound.spec, NodeSpec):
        return False
    codes = any(
        text.use in ("code", "python") and text.value.strip() for text in collect_texts(bound)
    )
    return codes or runs_code({"variants": [bound.spec.variant]})


def _check_host_access(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    tool = bound.tool.id if bound.tool is not None else ""
    effective = tool if tool in HOST_EFFECTS else _base_tool_id(bound)
    what = HOST_EFFECTS.get(effective, "") if _has_effect(bound, effective) else ""
    if not what and bound.node.params.get("source") == _FROM_FILE and has_workflow_parameter(bound):
        what = "loads a workflow from a file of the host"
    if not what:
        return
    at: Route = (*bound.node.at, "type")
    if options.policy.no_host_access:
        yield diagnose_refusal(bound, at, f"{tool} {what}, which policy does not allow")
    elif options.purpose == "judge":
        yield new_diagnostic(
            HOST_ACCESS,
            at,
            f'"{bound.node.name}" accesses the host machine through {bound.node.tool}',
            help="an import needs approval for it, unless the operator allows host access",
            node=bound.node.name,
            token=bound.node.tool,
        )
    else:
        asked = require_approval("host-access", at, bound, what, options)
        yield from () if asked is None else (asked,)


def _has_effect(bound: ResolvedNode, tool: str) -> bool:
    """Returns whether the operation of a node has the tool's effect; one known at run time has."""
    effective = _EFFECTIVE_OPERATIONS.get(tool)
    filled = filled_parameters(bound).full
    operation = bound.node.params.get("operation", filled.get("operation"))
    is_literal = isinstance(operation, str) and not operation.startswith("=")
    return effective is None or not is_literal or operation == effective


def _check_embedded_workflows(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports workflows that a node runs and that cannot be checked."""
    name = bound.node.name
    for unread in unchecked_workflows(bound):
        what = f"runs a workflow that cannot be checked: {unread.why}"
        if options.policy.is_restricting:
            yield diagnose_refusal(
                bound, unread.at, f"it {what}, and policy restricts its contents"
            )
        elif options.purpose == "judge":
            hint = "write the workflow into the parameter as JSON, or name a stored workflow"
            yield new_diagnostic(
                UNREAD_WORKFLOW, unread.at, f'"{name}" {what}', help=hint, node=name
            )
        else:
            asked = require_approval("unreadable-workflow", unread.at, bound, what, options)
            yield from () if asked is None else (asked,)


def _check_types_in_texts(
    bound: ResolvedNode, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports node types named in code or expressions, which may create workflows from them."""
    policy = options.policy
    asks = options.purpose != "judge"
    if not (asks or policy.is_restricting):
        return
    read = routes_of_embedded(bound)
    for at, text in list_texts(bound.node.params, (*bound.node.at, "parameters")):
        if "nodes" not in text or "." not in text or at in read:
            continue
        for tool in dict.fromkeys(_TYPE.findall(text)):
            row = registry.tools.get(tool)
            denied = is_denied(tool, policy.denied)
            foreign = policy.core_only and row is not None and row.package not in CORE_PACKAGES
            if denied or foreign or (tool in HOST_EFFECTS and policy.no_host_access):
                yield diagnose_refusal(
                    bound, at, f"it names the node type {tool}, which policy denies"
                )
            elif tool in HOST_EFFECTS and asks:
                what = f"names the node type {tool}, which {HOST_EFFECTS[tool]}"
                asked = require_approval("host-access", at, bound, what, options)
                yield from () if asked is None else (asked,)


def _check_api_credentials(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports nodes that call n8n's own API with a credential for it."""
    held = bound.node.source.get("credentials")
    types = set(held) if isinstance(held, dict) else set()
    if isinstance(bound.spec, NodeSpec):
        types |= {rule.type for rule in bound.spec.credentials if rule.required}
    types.add(str(bound.node.params.get("nodeCredentialType", "")))
    if _API_CREDENTIAL not in types:
        return
    at: Route = (*bound.node.at, "type")
    what = "calls the API of n8n itself with a credential"
    asked = require_approval("instance-api", at, bound, what, options)
    yield from () if asked is None else (asked,)


def _check_code(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports code that may reach the network or the host."""
    for text in collect_texts(bound):
        if text.use not in ("code", "python"):
            continue
        way = _escape_reason(text)
        if way is None:
            continue
        what = f"runs code that may reach the network or the host: {way}"
        if options.policy.allowed_hosts is not None:
            yield diagnose_refusal(bound, text.at, f"it {what}, and policy lists the allowed hosts")
        else:
            asked = require_approval("unknown-address", text.at, bound, what, options)
            yield from () if asked is None else (asked,)


def _escape_reason(text: Text) -> str | None:
    """Returns what in the code may escape its sandbox, or None for code that only computes.

    JavaScript is checked by its syntax tree, as a word can also occur in a text or a comment. If it
    computes member names at run time, the names of dangerous members count wherever they occur.
    """
    if text.use == "code":
        verdict = check_code(text.value)
        if verdict.reason is not None or not verdict.places:
            return verdict.reason
    words = ESCAPING_MEMBERS if text.use == "code" else _ESCAPES
    way = words.search(text.value)
    return None if way is None else f"the name {way[0]}"


def _check_expressions(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports expressions that leave n8n's sandbox, if policy restricts code, hosts or the host."""
    policy = options.policy
    if not (policy.no_code or policy.no_host_access or policy.allowed_hosts is not None):
        return
    for text in collect_texts(bound):
        reason = _find_sandbox_exit(text.value) if text.use == "expression" else None
        if reason is not None:
            yield diagnose_refusal(
                bound, text.at, f"its expression may leave n8n's sandbox: {reason}"
            )


@lru_cache(4096)
def _find_sandbox_exit(expression: str) -> str | None:
    """Returns what in an expression leads to the functions of the process, None if nothing does."""
    if not _LEADS_OUT.search(expression):
        return None
    reasons = (check_expression_code(chunk.code).reason for chunk in split(expression[1:]))
    return next((reason for reason in reasons if reason and _EXIT_REASON.search(reason)), None)


def _check_addresses(bound: ResolvedNode, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports addresses that policy does not allow, that are local, n8n's own or unknown."""
    if options.purpose == "judge" and options.policy.allowed_hosts is None:
        return
    for call in find_calls(bound):
        if options.policy.allowed_hosts is not None and call.is_called:
            refused = _host_denial(call, options.policy.allowed_hosts)
            if refused:
                yield diagnose_refusal(bound, call.at, refused)
                continue
        yield from _request_approval(bound, call, options)


def _host_denial(call: Call, allowed: tuple[str, ...]) -> str:
    if call.host is None:
        return "its host is known only at run time, and policy lists the allowed hosts"
    if is_allowed_host(call.host, allowed):
        return ""
    return f"it calls {call.host}, which is not an allowed host"


def _request_approval(
    bound: ResolvedNode, call: Call, options: CompileOptions
) -> Iterator[Diagnostic]:
    asked = None
    if call.is_api or (call.host is not None and call.host in options.policy.own_hosts):
        where = "n8n itself" if call.host is None else f"n8n itself at {call.host}"
        asked = require_approval("instance-api", call.at, bound, f"calls {where}", options)
    elif call.host is None:
        what = "calls an address that is known only at run time"
        asked = require_approval("unknown-address", call.at, bound, what, options)
    elif locate_host(call.host) != "public":
        what = f"names the {locate_host(call.host)} address {call.host}"
        asked = require_approval("local-address", call.at, bound, what, options)
    yield from () if asked is None else (asked,)
