"""Infers the type of a node from its parameters, credentials, edges and name."""

from grounded_builder.domains.n8n.type_inference.check import check_types, infer_type
from grounded_builder.domains.n8n.type_inference.versions import check_versions

__all__ = ["check_types", "check_versions", "infer_type"]
