"""Defines the n8n domain: the Domain value with all parts that the compiler uses for workflows."""

from __future__ import annotations

from functools import partial

from grounded_builder.catalog.described_tool import convert_described_tool
from grounded_builder.domains.n8n.api_schema import SETTINGS
from grounded_builder.domains.n8n.build.artifact import build
from grounded_builder.domains.n8n.build.editor_fields import missing_fields
from grounded_builder.domains.n8n.catalog.compile_tool import compile_tool
from grounded_builder.domains.n8n.catalog.contradictions import contradictions
from grounded_builder.domains.n8n.check.called_addresses import CORE_PACKAGES
from grounded_builder.domains.n8n.check.checks import CHECKS
from grounded_builder.domains.n8n.check.embedded_workflows import embedded_workflows
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.n8n.expectations import check_expectations
from grounded_builder.domains.n8n.lower.lower import lower
from grounded_builder.domains.n8n.lower.native_conditions import check_conditions
from grounded_builder.domains.n8n.lower.node_settings import StepKeys
from grounded_builder.domains.n8n.lower.note import with_open_points
from grounded_builder.domains.n8n.prompting.facts import SPEECH
from grounded_builder.domains.n8n.read.comments import comments
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.domains.n8n.step_settings import STEP_SETTINGS
from grounded_builder.domains.n8n.type_inference import infer_type
from grounded_builder.ir.domain import (
    BuildingPart,
    CheckingPart,
    Domain,
    ReadingPart,
    ResolvingPart,
)
from grounded_builder.resolve.resolver import resolve_name

N8N = Domain(
    name="n8n",
    reading=ReadingPart(
        read=read,
        plan_keys=frozenset({"resource", "operation", "event", "mode"}),
        document_hint="an n8n workflow",
        comments=comments,
        tool_route="type",
        params_route=("parameters",),
        version_route="typeVersion",
        step_settings=STEP_SETTINGS,
        plan_settings=tuple(SETTINGS),
    ),
    resolving=ResolvingPart(
        resolve=resolve_name,
        compile_tool=compile_tool,
        core_packages=CORE_PACKAGES,
        recognise=infer_type,
        parameter_names=StepKeys,
        contradictions=contradictions,
        convert_tool=partial(convert_described_tool, ports_as="connections"),
    ),
    checking=CheckingPart(
        checks=(*CHECKS, check_conditions),
        embedded=embedded_workflows,
        missing_editor_fields=missing_fields,
        expectations=check_expectations,
        remembers_nodes=True,
    ),
    building=BuildingPart(
        build=build,
        lower=lower,
        reads_stated_keys=True,
        annotate=with_open_points,
        update_notes=with_open_points,
    ),
    prompting=SPEECH,
    editing=EDITOR,
)
