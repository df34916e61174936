"""The domains that this installation serves."""

from __future__ import annotations

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.editor import Editor

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (N8N, SIMULINK, TOOLS)}
# Those whose documents can be changed.
EDITORS: dict[str, Editor] = {N8N.name: EDITOR}
