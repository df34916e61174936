"""Keep the forty drafts as files:
``python -m tests.unit.domains.simulink.build.slx.write_drafts FOLDER``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS
from tests.support.simulink import simulink_registry


def main(folder: Path) -> None:
    """Write each draft that compiles, named after its model."""
    registry = simulink_registry()
    folder.mkdir(parents=True, exist_ok=True)
    for plan in MODELS:
        artifact = compile_draft(plan, SIMULINK, registry, CompileOptions()).artifact
        if artifact is not None:
            file = f"{artifact['model']['name']}.slx"
            package = write_checked_package(artifact, file, SIMULINK, registry, CompileOptions())
            (folder / file).write_bytes(package.raw)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
