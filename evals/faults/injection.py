"""Reads workflows and injects one seeded fault of a kind into each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from evals.faults import (
    containers,
    credentials,
    expressions,
    names,
    node_types,
    structure,
    values,
    wiring,
)
from evals.faults.catalog import Catalog
from evals.faults.fault import Fault, apply_changes
from evals.faults.finding import Finders
from evals.faults.kinds import Kind
from evals.faults.scene import Scene, read_scene

FINDERS: Finders = {
    **node_types.FINDERS,
    **names.FINDERS,
    **values.FINDERS,
    **containers.FINDERS,
    **wiring.FINDERS,
    **credentials.FINDERS,
    **expressions.FINDERS,
    **structure.FINDERS,
}
_CANDIDATES = 300
_OWN = Path(__file__).with_name("workflows")


@dataclass(frozen=True, slots=True)
class Case:
    """A workflow, a fault of a kind and the document with the fault applied."""

    kind: Kind
    scene: Scene
    fault: Fault

    def make_document(self) -> Any:
        return apply_changes(self.scene.document, self.fault.changes)


def find_cases(kind: Kind, scenes: Sequence[Scene], seed: int) -> Iterator[Case]:
    """Yields at most one case of a kind per workflow, in an order that the seed determines."""
    rng = Random(f"{seed} {kind.name}")
    for scene in rng.sample(scenes, len(scenes)):
        faults = list(islice(FINDERS[kind.name](scene, rng), _CANDIDATES))
        if faults:
            yield Case(kind, scene, rng.choice(faults))


def read_scenes(workflows: Iterator[Any], catalog: Catalog) -> list[Scene]:
    """Returns the scenes of the workflows with a plain shape."""
    read = (read_scene(workflow, catalog) for workflow in workflows)
    return [scene for scene in read if scene is not None]


def read_real_workflows(file: Path) -> Iterator[Any]:
    """Yields the workflows of a gzipped JSON Lines file."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)["workflow"]


def read_own_workflows() -> Iterator[Any]:
    """Yields the small workflows next to this file, which together accept every kind of fault."""
    for file in sorted(_OWN.glob("*.json")):
        yield json.loads(file.read_text("utf-8"))
