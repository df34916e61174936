"""What is sketched of the requests of engineers builds under Octave, too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.bench.engineers import REQUESTS
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.ir.options import CompileOptions
from tests.support.octave import Octave
from tests.support.simulink import simulink_registry

_FILES = [REQUESTS.with_name(f"engineers{item}.jsonl") for item in ("", "_fresh", "_last")]
_FEWEST = 75


def _built() -> Iterator[Mapping[str, Any]]:
    for line in "".join(path.read_text("utf-8") for path in _FILES).splitlines():
        registry = simulink_registry()
        proposal = propose(json.loads(line)["request"], SIMULINK, registry)
        made = compile_with_fixes(dict(proposal.plan), SIMULINK, registry, CompileOptions())
        if made.artifact is not None and proposal.refusal is None:
            yield made.artifact


def test_every_sketch_that_is_kept_builds(tmp_path: Path) -> None:
    """Each script stands whole: its paths, parameters, ports and settings are taken."""
    artifacts = list(_built())
    assert len(artifacts) >= _FEWEST
    reports = Octave(tmp_path, simulink_registry()).run(artifacts)
    for artifact, report in zip(artifacts, reports, strict=True):
        assert report["ok"], (artifact["model"]["name"], report["errors"], report["differences"])
        assert len(report["blocks"]) == len(artifact["blocks"])
