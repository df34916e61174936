"""Write the file of a model, and hold that it reads back as one that is not wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.normalize import as_kept
from grounded_builder.domains.simulink.build.slx.package import Package, package_of
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.read.files import native
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions


def checked_package(
    artifact: Mapping[str, Any],
    file: str,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
) -> Package:
    """The ``.slx`` of a compiled draft; UnwritableError says why there can be none."""
    if "blocks" not in artifact:
        raise UnwritableError("only drafts are written as .slx: this model was read from a file")

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = registry.tools.get(name)
        block_spec = registry.spec(name, tool.default_version) if tool is not None else None
        return block_spec if isinstance(block_spec, BlockSpec) else None

    package = package_of(as_kept(artifact, spec))
    _expect_readable(package, file, domain, registry, setting)
    return package


def package_as_read(
    artifact: Mapping[str, Any],
    file: str,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
) -> Package:
    """The ``.slx`` of a model that was read, as it is; UnwritableError says why there can be none.

    What the model runs by itself is in it: whoever has it written has it already.
    """
    package = package_of(artifact["model"])
    _expect_readable(package, file, domain, registry, setting)
    return package


def _expect_readable(
    package: Package, file: str, domain: Domain, registry: Registry, setting: CompileOptions
) -> None:
    """Read a file as any other is read: what is wrong in it is not kept."""
    opened = native(package.raw, file)
    model = opened.document if opened is not None else None
    if model is None:
        raise UnwritableError("it cannot be read again")
    compilation = compile_draft(model, domain, registry, setting)
    wrong = next(
        (diagnostic for diagnostic in compilation.diagnostics if diagnostic.rule.kind == "wrong"),
        None,
    )
    if wrong is not None:
        raise UnwritableError(f"read again, {wrong.message}")
