"""Defines the domain of tool lists: the Domain value with all parts that the compiler uses."""

from __future__ import annotations

from grounded_builder.domains.tools.build.artifact import build
from grounded_builder.domains.tools.catalog.compile_tool import compile_tool, find_contradictions
from grounded_builder.domains.tools.catalog.convert_tool import convert_tool
from grounded_builder.domains.tools.check import arguments, order, policy
from grounded_builder.domains.tools.lower.lower import lower
from grounded_builder.domains.tools.prompting.facts import PROMPTING_FACTS
from grounded_builder.domains.tools.read.calls import read
from grounded_builder.domains.tools.read.convert_catalog import convert_catalog
from grounded_builder.domains.tools.resolve.resolver import resolve
from grounded_builder.ir.domain import (
    BuildingPart,
    CheckingPart,
    Domain,
    ReadingPart,
    ResolvingPart,
)

TOOLS = Domain(
    name="tools",
    reading=ReadingPart(
        read=read,
        document_hint="a list of calls",
        plan_keys=frozenset({"", "inputs", "plan", "tool_calls", "tool_call", "function_call"}),
        params_route=("arguments",),
    ),
    resolving=ResolvingPart(
        resolve=resolve,
        compile_tool=compile_tool,
        core_packages=frozenset(),
        convert_catalog=convert_catalog,
        convert_tool=convert_tool,
        parameter_names=lambda spec: spec.properties,
        contradictions=find_contradictions,
    ),
    checking=CheckingPart(
        checks=(order.check, arguments.check, policy.check),
        forward_reference_is_wrong=True,
    ),
    building=BuildingPart(
        build=build,
        lower=lower,
    ),
    prompting=PROMPTING_FACTS,
)
