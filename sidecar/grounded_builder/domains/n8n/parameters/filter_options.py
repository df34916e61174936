"""Evaluates the options that n8n's editor writes into a filter from the settings of its node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.javascript.evaluate import evaluate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.domains.n8n.parameters.properties import Property


def evaluate_filter_options(
    prop: Property, params: Mapping[str, Any], version: float
) -> dict[str, Any]:
    """Returns what ``typeOptions.filter`` says for these parameters, empty where it is unknown."""
    declared = prop.options.get("filter")
    if not isinstance(declared, dict):
        return {}
    settings = params.get("options")
    known = {**params, "options": settings if isinstance(settings, dict) else {}}
    options: dict[str, Any] = {"leftValue": ""}
    for key, option in declared.items():
        is_computed = isinstance(option, str) and option.startswith("={{")
        try:
            code = str(option)[3:].strip().removesuffix("}}")
            options[key] = evaluate(code, known, version) if is_computed else option
        except UnknownAnswerError:
            return {}
    return options
