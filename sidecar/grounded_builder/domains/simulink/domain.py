"""Defines the Simulink domain: the Domain value with all parts that the compiler uses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from grounded_builder.catalog.described_tool import convert_described_tool
from grounded_builder.domains.simulink.analysis.to_plan import FILE_KEYS, MODEL_KEYS
from grounded_builder.domains.simulink.build.artifact import add_notes, build
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.catalog.compile_tool import compile_tool
from grounded_builder.domains.simulink.catalog.library_path import package_of
from grounded_builder.domains.simulink.check import CHECKS
from grounded_builder.domains.simulink.check.parameters import check_parameters
from grounded_builder.domains.simulink.check.policy import check_policy, library_blocks
from grounded_builder.domains.simulink.draw import draw
from grounded_builder.domains.simulink.keyword_plan.plan import plan_from_request
from grounded_builder.domains.simulink.libraries import bundle_libraries, find_libraries_near
from grounded_builder.domains.simulink.lower.lower import lower
from grounded_builder.domains.simulink.prompting.facts import PROMPTING_FACTS
from grounded_builder.domains.simulink.read.comments import comments
from grounded_builder.domains.simulink.read.files import SUFFIXES, open_native
from grounded_builder.domains.simulink.read.graph import is_exact, read
from grounded_builder.domains.simulink.resolve import resolve
from grounded_builder.domains.simulink.resolve.constraints import find_unavailable_reason
from grounded_builder.domains.simulink.resolve.replacements import find_replacements
from grounded_builder.domains.simulink.resolve.target import (
    EXCLUSIONS,
    OPTIONS,
    product_and_age,
)
from grounded_builder.ir.domain import (
    BuildingPart,
    CheckingPart,
    Domain,
    ReadingPart,
    ResolvingPart,
)

SIMULINK = Domain(
    name="simulink",
    reading=ReadingPart(
        read=read,
        document_hint="a Simulink model",
        suffixes=SUFFIXES,
        open_native=open_native,
        comments=comments,
        ids_are_exact=is_exact,
        tool_route="source",
        params_route=("parameters",),
        file_keys=FILE_KEYS,
        model_keys=MODEL_KEYS,
        libraries_near=find_libraries_near,
        bundled_libraries=bundle_libraries,
    ),
    resolving=ResolvingPart(
        resolve=resolve,
        compile_tool=compile_tool,
        package_of=package_of,
        core_packages=frozenset({"simulink"}),
        builtin=builtin,
        target_options=OPTIONS,
        exclusions=EXCLUSIONS,
        unavailable_reason=find_unavailable_reason,
        summary_facts=product_and_age,
        same_tool=library_blocks,
        convert_tool=partial(convert_described_tool, ports_as="counts"),
        replacements=find_replacements,
    ),
    checking=CheckingPart(
        checks=(check_policy, check_parameters, *CHECKS),
        self_loop_is_wrong=False,
    ),
    building=BuildingPart(
        build=build,
        lower=lower,
        annotate=add_notes,
        draw=draw,
    ),
    prompting=replace(PROMPTING_FACTS, keyword_plan=plan_from_request),
)
