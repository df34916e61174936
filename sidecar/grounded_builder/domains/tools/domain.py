"""The tools domain as the core sees it."""

from __future__ import annotations

from grounded_builder.domain import Domain
from grounded_builder.domains.tools import arguments, order, policy
from grounded_builder.domains.tools.adopt import adopt
from grounded_builder.domains.tools.build import build, unannotated
from grounded_builder.domains.tools.catalog import compile_tool
from grounded_builder.domains.tools.contradictions import contradictions
from grounded_builder.domains.tools.document import read
from grounded_builder.domains.tools.lower import lower
from grounded_builder.domains.tools.naming import resolve
from grounded_builder.domains.tools.speech import SPEECH

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
    speech=SPEECH,
    resolve=resolve,
    adopt=adopt,
    contradictions=contradictions,
    forward_is_wrong=True,
    params_route=("arguments",),
    plan_keys=frozenset({"", "inputs", "plan", "tool_calls", "tool_call", "function_call"}),
)
