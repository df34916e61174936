"""Reports code that returns no items, or reads names that n8n does not provide."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.python import returns_nothing
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.domains.n8n.expressions.variables import UNKNOWN_VARIABLE
from grounded_builder.domains.n8n.javascript.script_results import ScriptFault, find_script_faults
from grounded_builder.ir.graph import ResolvedNode

NO_ITEMS = Rule.advice("N8N352", "no-items", "ExpressionError", "The code may return no items.")
REFUSED_RESULT = Rule.wrong(
    "N8N364", "refused-result", "ExpressionError", "n8n refuses what the code returns."
)

_CODE = "n8n-nodes-base.code"
# The nodes that fail if their code returns no items, with the faults that they share with Code.
# Source: the code of each in n8n-nodes-base; the older two accept any key beside json.
_BASIC_FAULTS = frozenset(("nothing", "scalar", "element"))
_SHARED_FAULTS = {
    _CODE: frozenset(("nothing", "scalar", "element", "list", "json", "keys", "method", "name")),
    "n8n-nodes-base.aiTransform": _BASIC_FAULTS | {"json", "keys"},
    "n8n-nodes-base.function": _BASIC_FAULTS,
    "n8n-nodes-base.functionItem": frozenset(("nothing", "scalar")),
}
_TYPES = {"list": "a list", "null": "null", "undefined": "undefined", "function": "a function"}


def report_results(text: Text, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Reports code that returns what n8n refuses, and names that nothing declares in it."""
    shared = _SHARED_FAULTS.get(bound.node.tool or "")
    if shared is None or not text.value.strip():
        return
    is_each = bound.node.params.get("mode") == "runOnceForEachItem"
    if text.use == "python":
        if returns_nothing(text.value):
            yield _report_result(text, "it returns nothing", is_each=is_each, is_sure=not is_each)
        return
    for fault in find_script_faults(text.value, is_each=is_each):
        if fault.kind not in shared:
            continue
        if fault.kind == "name":
            yield _report_name(text, fault)
        else:
            reason = f"{_describe(fault)} (line {fault.line})"
            yield _report_result(text, reason, is_each=is_each, is_sure=fault.is_sure)


def _describe(fault: ScriptFault) -> str:
    what = _TYPES.get(fault.what, f"a {fault.what}")
    return {
        "nothing": "it returns nothing",
        "scalar": f"it returns {what} instead of an object",
        "element": f"its list has {what} in place of an object",
        "list": "it returns a list, but runs once for each item",
        "json": f"json is {what} instead of an object",
        "keys": f"n8n accepts no key {fault.what} beside json",
        "method": f"{fault.what} is not available where code runs once for each item",
    }[fault.kind]


def _report_result(text: Text, reason: str, *, is_each: bool, is_sure: bool) -> Diagnostic:
    rule = REFUSED_RESULT if is_sure else NO_ITEMS
    what = "n8n refuses the result of" if is_sure else "no items may come from"
    shape = "one object, as { json: { ... } }" if is_each else "a list, as [{ json: { ... } }]"
    return new_diagnostic(
        rule,
        text.at,
        f'{what} the code of "{text.node}": {reason}',
        help=f"return {shape}",
        node=text.node,
    )


def _report_name(text: Text, fault: ScriptFault) -> Diagnostic:
    return new_diagnostic(
        UNKNOWN_VARIABLE,
        text.at,
        f'the code of "{text.node}" fails on line {fault.line}: nothing declares {fault.what}',
        help="declare it, put a text in quotes, or use what n8n provides: $input, $json, helpers, "
        "DateTime, Buffer ...",
        node=text.node,
        token=fault.what,
    )
