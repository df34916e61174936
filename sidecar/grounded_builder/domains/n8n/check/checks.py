"""Lists the checks of the n8n domain in the order in which they run."""

from __future__ import annotations

from grounded_builder.domains.n8n.check import document, policy, structure
from grounded_builder.domains.n8n.check.advice import check_advice
from grounded_builder.domains.n8n.check.credentials import check_credentials
from grounded_builder.domains.n8n.expressions import check_expressions
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.type_inference import check_types, check_versions
from grounded_builder.ir.domain import Check

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
