"""Runs GNU Octave with stand-ins for the functions of Simulink, which answer from the catalog."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink import matlab
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.catalog.products import FEATURES

STAND_INS = Path(__file__).parent / "stand_ins"
TOOLBOX = Path(matlab.__path__[0]) / "toolbox"
# The content of the library's subsystem.
_FILLING = ("simulink/Sources/In1", "simulink/Sinks/Out1")
_LISTS = ("errors", "differences", "blocks", "left")
_SECONDS = 400


def describe_blocks(registry: Registry, paths: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the blocks of these library paths in the format of the stand-ins."""
    wanted = {" ".join(path.split()) for path in (*paths, *_FILLING)}
    results = []
    for name in sorted(wanted & set(registry.tools)):
        spec = registry.spec(name, registry.tools[name].default_version)
        assert isinstance(spec, BlockSpec)
        results.append(_entry(spec))
    return results


def _entry(spec: BlockSpec) -> dict[str, Any]:
    ports = dict(ports_of(spec.block_type, spec.path, {}, spec) or spec.usual or {})
    for connection in spec.physical:
        ports[connection.kind] = sum(other.kind == connection.kind for other in spec.physical)
    return {
        "path": spec.path,
        "type": spec.block_type,
        "mask": spec.mask_type or "",
        "feature": FEATURES.get(spec.product, ""),
        "linked": spec.block_type == "SubSystem" and bool(spec.mask_type),
        "ports": {"in": 0, "out": 0} | ports,
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "default": parameter.default or "",
                "options": list(parameter.options)
                if parameter.kind in ("switch", "choice")
                else [],
            }
            for parameter in spec.parameters.values()
        ],
    }


def _several(value: Any) -> list[Any]:
    """Returns a list, also for the single item that Octave writes for a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


@dataclass(frozen=True, slots=True)
class Octave:
    """Runs build scripts; ``folder`` holds the files that they read and write."""

    folder: Path
    registry: Registry

    def run(self, scripts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Returns the report of each script: artifacts with ``script`` and ``file``, each run
        alone.
        """
        files = []
        for number, item in enumerate(scripts):
            home = self.folder / f"script-{number}"
            home.mkdir(exist_ok=True)
            file = home / item["file"]
            file.write_text(item["script"], "ascii")
            files.append(str(file))
        catalog = self.folder / "catalog.json"
        paths = {fact["path"] for script in scripts for fact in script["blocks"]}
        catalog.write_text(json.dumps(describe_blocks(self.registry, paths)))
        listed, answers = self.folder / "listed.json", self.folder / "answers.json"
        listed.write_text(json.dumps(files))
        call = f"run_scripts('{catalog}', '{listed}', '{answers}')"
        self.evaluate(f"addpath('{STAND_INS}'); {call}")
        reports: list[dict[str, Any]] = json.loads(answers.read_text())
        return [report | {key: _several(report.get(key)) for key in _LISTS} for report in reports]

    def evaluate(self, code: str, seconds: float = _SECONDS) -> str:
        """Returns the output of Octave for some code."""
        done = subprocess.run(
            ["octave-cli", "--no-gui", "--norc", "--quiet", "--eval", code],
            env={**os.environ, "GROUNDED_RAN": str(self.ran), "GROUNDED_PYTHON": sys.executable},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    @property
    def ran(self) -> Path:
        """Returns the file of commands that reached a shell, one per line; absent if there were
        none.
        """
        return self.folder / "ran"
