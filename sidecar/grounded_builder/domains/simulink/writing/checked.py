"""Write the file of a draft, and hold that it reads back as a model that is not wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domain import Domain
from grounded_builder.domains.simulink.reading.files import native
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.domains.simulink.writing.drafted import as_kept
from grounded_builder.domains.simulink.writing.element import UnwritableError
from grounded_builder.domains.simulink.writing.package import Package, package_of
from grounded_builder.pipeline import judge
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def checked_package(
    artifact: Mapping[str, Any], file: str, domain: Domain, registry: Registry, setting: Setting
) -> Package:
    """The ``.slx`` of a compiled draft; UnwritableError says why there can be none."""
    if "blocks" not in artifact:
        raise UnwritableError("only drafts are written as .slx: this model was read from a file")

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = registry.tools.get(name)
        found = registry.spec(name, tool.default_version) if tool is not None else None
        return found if isinstance(found, BlockSpec) else None

    package = package_of(as_kept(artifact, spec))
    opened = native(package.raw, file)
    model = opened.document if opened is not None else None
    if model is None:
        raise UnwritableError("it cannot be read again")
    found = judge(model, domain, registry, setting)
    wrong = next((one for one in found.diagnostics if one.rule.kind == "wrong"), None)
    if wrong is not None:
        raise UnwritableError(f"read again, {wrong.message}")
    return package
