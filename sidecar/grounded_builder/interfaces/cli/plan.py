"""Implements ``grounded plan``: writes a model as a plan, and restores a model from such a plan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.domains.simulink.analysis.to_plan import as_plan
from grounded_builder.domains.simulink.lower.exact_plan import is_of_model, model_of
from grounded_builder.interfaces.cli.context import CliContext, UnusableError, cli_context
from grounded_builder.interfaces.cli.draw import document_in
from grounded_builder.interfaces.cli.isolated_compile import run_apart
from grounded_builder.interfaces.cli.output import complain, write_json
from grounded_builder.ir.domain import OpenedFile
from grounded_builder.ir.rules.reading import WRONG_DOCUMENT


def plan(
    model: Annotated[Path, typer.Argument(help="A .slx or .mdl file, or a model as JSON.")],
    domain: Annotated[str, typer.Option(help="simulink")] = "simulink",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
) -> None:
    """Write the plan of a model, and on standard error the parts of the model that it omits."""
    _expect_simulink(domain, "grounded plan")
    context = cli_context(domain, catalog)
    made, lost = run_apart(partial(_plan_of, model, context), str(model), context.store.settings)
    for line in lost:
        complain(f"not in the plan: {line}")
    write_json(made)


def _plan_of(model: Path, context: CliContext) -> tuple[Any, Sequence[str]]:
    """Returns the plan of a model, and the parts of the model that it omits."""
    context.store.leave_connections()
    graph = context.domain.reading.read(document_in(model, context.domain)).graph
    if graph is None:
        raise UnusableError(f"{model}: it contains no model")
    return as_plan(resolve_graph(graph, context.domain, context.registry)[0])


def as_read(raw: bytes, context: CliContext) -> OpenedFile:
    """Returns the model of a plan that was made from a model, with its names and values
    unchanged.
    """
    _expect_simulink(context.domain.name, "--as-read")
    document, diagnostics = parse(raw, context.options.limits)
    if not is_of_model(document):
        message = "the document is not a plan of a model"
        help_ = "create one with `grounded plan`, or build it as a draft"
        return OpenedFile(
            None, diagnostics or (new_diagnostic(WRONG_DOCUMENT, (), message, help=help_),)
        )
    model, faults = model_of(document)
    return OpenedFile(model, (*diagnostics, *faults))


def _expect_simulink(domain: str, feature: str) -> None:
    if domain != "simulink":
        raise UnusableError(f"{feature} requires domain simulink, not {domain}")
