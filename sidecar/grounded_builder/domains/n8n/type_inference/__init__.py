"""Recognise the type of a node by what it carries: parameters, credentials, edges, name."""

from grounded_builder.domains.n8n.type_inference.check import check_types, recognised
from grounded_builder.domains.n8n.type_inference.versions import check_versions

__all__ = ["check_types", "check_versions", "recognised"]
