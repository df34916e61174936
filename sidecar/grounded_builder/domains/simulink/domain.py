"""The Simulink domain as the core sees it."""

from __future__ import annotations

from grounded_builder.domain import Domain
from grounded_builder.domains.simulink.build import annotated, build
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.checks import CHECKS
from grounded_builder.domains.simulink.drawing import draw
from grounded_builder.domains.simulink.libraries import package_of
from grounded_builder.domains.simulink.naming import resolve
from grounded_builder.domains.simulink.naming.constraints import hindered
from grounded_builder.domains.simulink.naming.instead import stand_ins
from grounded_builder.domains.simulink.parameters import check_parameters
from grounded_builder.domains.simulink.plans.lower import lower
from grounded_builder.domains.simulink.policy import check_policy
from grounded_builder.domains.simulink.reading.comments import comments
from grounded_builder.domains.simulink.reading.files import SUFFIXES, native
from grounded_builder.domains.simulink.reading.graph import exact, read
from grounded_builder.domains.simulink.shelf import bring, shelve
from grounded_builder.domains.simulink.sketching import sketch
from grounded_builder.domains.simulink.spec import compile_tool
from grounded_builder.domains.simulink.speech import SPEECH

SIMULINK = Domain(
    name="simulink",
    document_hint="a Simulink model",
    core_packages=frozenset({"simulink"}),
    read=read,
    exact=exact,
    native=native,
    suffixes=SUFFIXES,
    draw=draw,
    comments=comments,
    compile_tool=compile_tool,
    checks=(check_policy, check_parameters, *CHECKS),
    build=build,
    lower=lower,
    annotate=annotated,
    speech=SPEECH,
    resolve=resolve,
    hindered=hindered,
    instead=stand_ins,
    package_of=package_of,
    builtin=builtin,
    sketch=sketch,
    beside=shelve,
    bring=bring,
    itself_is_wrong=False,
    tool_route="source",
    params_route=("parameters",),
)
