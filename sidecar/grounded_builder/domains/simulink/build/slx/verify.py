"""Makes the .slx file of a model; raises UnwritableError if it does not read back and compile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.normalize import normalize_model
from grounded_builder.domains.simulink.build.slx.package import Package, package_of
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.read.files import open_native
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions


def write_checked_package(
    artifact: Mapping[str, Any],
    file: str,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
) -> Package:
    """Returns the ``.slx`` file of a compiled draft.

    Raises UnwritableError when the file cannot be written or does not read back without an error.
    """
    if "blocks" not in artifact:
        raise UnwritableError(
            "only drafts are written as .slx, and this model was read from a file"
        )

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = registry.tools.get(name)
        block_spec = registry.spec(name, tool.default_version) if tool is not None else None
        return block_spec if isinstance(block_spec, BlockSpec) else None

    package = package_of(normalize_model(artifact, spec))
    _expect_readable(package, file, domain, registry, options)
    return package


def write_package_as_read(
    artifact: Mapping[str, Any],
    file: str,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
) -> Package:
    """Returns the ``.slx`` file of a model that was read from a file, including its code.

    Raises UnwritableError when the file cannot be written or does not read back without an error.
    """
    package = package_of(artifact["model"])
    _expect_readable(package, file, domain, registry, options)
    return package


def _expect_readable(
    package: Package, file: str, domain: Domain, registry: Registry, options: CompileOptions
) -> None:
    """Raises UnwritableError when a file does not read back without an error."""
    opened = open_native(package.raw, file)
    model = opened.document if opened is not None else None
    if model is None:
        raise UnwritableError("the written file cannot be read")
    compilation = compile_draft(model, domain, registry, options)
    wrong = next(
        (diagnostic for diagnostic in compilation.diagnostics if diagnostic.rule.kind == "wrong"),
        None,
    )
    if wrong is not None:
        raise UnwritableError(f"the written file has an error: {wrong.message}")
