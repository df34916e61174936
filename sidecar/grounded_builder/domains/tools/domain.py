"""The tools domain as the core sees it."""

from __future__ import annotations

from grounded_builder.domains.tools.build.artifact import build, unannotated
from grounded_builder.domains.tools.catalog.compile_tool import compile_tool
from grounded_builder.domains.tools.catalog.contradictions import contradictions
from grounded_builder.domains.tools.check import arguments, order, policy
from grounded_builder.domains.tools.lower.lower import lower
from grounded_builder.domains.tools.prompting.facts import SPEECH
from grounded_builder.domains.tools.read.calls import read
from grounded_builder.domains.tools.read.convert_catalog import adopt
from grounded_builder.domains.tools.resolve.resolver import resolve
from grounded_builder.ir.domain import Domain

TOOLS = Domain(
    name="tools",
    document_hint="a list of calls",
    core_packages=frozenset(),
    read=read,
    compile_tool=compile_tool,
    checks=(order.check, arguments.check, policy.check),
    build=build,
    lower=lower,
    annotate=unannotated,
    prompting=SPEECH,
    resolve=resolve,
    convert_catalog=adopt,
    contradictions=contradictions,
    forward_reference_is_wrong=True,
    params_route=("arguments",),
    plan_keys=frozenset({"", "inputs", "plan", "tool_calls", "tool_call", "function_call"}),
)
