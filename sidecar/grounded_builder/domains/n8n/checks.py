"""The checks of the n8n domain, in the order in which they run."""

from __future__ import annotations

from grounded_builder.domain import Check
from grounded_builder.domains.n8n import document, policy, structure
from grounded_builder.domains.n8n.advice import check_advice
from grounded_builder.domains.n8n.credentials import check_credentials
from grounded_builder.domains.n8n.expressions import check_expressions
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.recognise import check_types, check_versions

CHECKS: tuple[Check, ...] = (
    document.check,
    check_types,
    check_versions,
    check_parameters,
    check_credentials,
    structure.check,
    check_expressions,
    policy.check,
    check_advice,
)
