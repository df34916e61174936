"""The n8n domain as the core sees it."""

from __future__ import annotations

from grounded_builder.domain import Domain
from grounded_builder.domains.n8n.build import build
from grounded_builder.domains.n8n.catalog import compile_tool
from grounded_builder.domains.n8n.checks import CHECKS
from grounded_builder.domains.n8n.comments import comments
from grounded_builder.domains.n8n.contradictions import contradictions
from grounded_builder.domains.n8n.embedded import embedded_workflows
from grounded_builder.domains.n8n.gaps import gaps
from grounded_builder.domains.n8n.plans.lower import lower
from grounded_builder.domains.n8n.plans.note import with_open_points
from grounded_builder.domains.n8n.recognise import recognised
from grounded_builder.domains.n8n.speech import SPEECH
from grounded_builder.domains.n8n.workflow import read

N8N = Domain(
    name="n8n",
    document_hint="an n8n workflow",
    core_packages=frozenset({"n8n-nodes-base", "@n8n/n8n-nodes-langchain"}),
    read=read,
    compile_tool=compile_tool,
    checks=CHECKS,
    build=build,
    lower=lower,
    annotate=with_open_points,
    speech=SPEECH,
    comments=comments,
    contradictions=contradictions,
    recognise=recognised,
    gaps=gaps,
    embedded=embedded_workflows,
    tool_route="type",
    version_route="typeVersion",
    params_route=("parameters",),
)
