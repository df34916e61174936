"""Keep the forty drafts as files: ``python -m tests.unit.simulink.writing.forty FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.domains.simulink.writing.drafted import as_kept
from grounded_builder.domains.simulink.writing.package import package_of
from grounded_builder.pipeline import judge
from grounded_builder.setting import Setting
from tests.octave.models import MODELS
from tests.support.octave import builtin_registry


def main(folder: Path) -> None:
    """Write each draft that compiles, named after its model."""
    registry = builtin_registry()

    def spec(path: str) -> BlockSpec | None:
        name = " ".join(path.split())
        tool = registry.tools.get(name)
        found = registry.spec(name, tool.default_version) if tool is not None else None
        return found if isinstance(found, BlockSpec) else None

    folder.mkdir(parents=True, exist_ok=True)
    for plan in MODELS:
        artifact = judge(plan, SIMULINK, registry, Setting()).artifact
        if artifact is not None:
            package = package_of(as_kept(artifact, spec))
            (folder / f"{artifact['model']['name']}.slx").write_bytes(package.raw)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
