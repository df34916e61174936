"""The Simulink domain as the core sees it."""

from __future__ import annotations

from grounded_builder.domains.simulink.build.artifact import annotated, build
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.catalog.compile_tool import compile_tool
from grounded_builder.domains.simulink.catalog.library_path import package_of
from grounded_builder.domains.simulink.check import CHECKS
from grounded_builder.domains.simulink.check.parameters import check_parameters
from grounded_builder.domains.simulink.check.policy import check_policy
from grounded_builder.domains.simulink.draw import draw
from grounded_builder.domains.simulink.keyword_plan.plan import plan_from_request
from grounded_builder.domains.simulink.libraries import bring, shelve
from grounded_builder.domains.simulink.lower.lower import lower
from grounded_builder.domains.simulink.prompting.facts import SPEECH
from grounded_builder.domains.simulink.read.comments import comments
from grounded_builder.domains.simulink.read.files import SUFFIXES, native
from grounded_builder.domains.simulink.read.graph import exact, read
from grounded_builder.domains.simulink.resolve import resolve
from grounded_builder.domains.simulink.resolve.constraints import hindered
from grounded_builder.domains.simulink.resolve.replacements import stand_ins
from grounded_builder.ir.domain import Domain

SIMULINK = Domain(
    name="simulink",
    document_hint="a Simulink model",
    core_packages=frozenset({"simulink"}),
    read=read,
    ids_are_exact=exact,
    open_native=native,
    suffixes=SUFFIXES,
    draw=draw,
    comments=comments,
    compile_tool=compile_tool,
    checks=(check_policy, check_parameters, *CHECKS),
    build=build,
    lower=lower,
    annotate=annotated,
    prompting=SPEECH,
    resolve=resolve,
    unavailable_reason=hindered,
    replacements=stand_ins,
    package_of=package_of,
    builtin=builtin,
    keyword_plan=plan_from_request,
    libraries_near=shelve,
    bundled_libraries=bring,
    self_loop_is_wrong=False,
    tool_route="source",
    params_route=("parameters",),
)
