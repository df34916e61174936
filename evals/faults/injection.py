"""Reads workflows and injects faults: one of a kind into each workflow, chosen by seed."""

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
    """A workflow with one fault in it, beside the workflow as it was."""

    kind: Kind
    scene: Scene
    fault: Fault

    def make_document(self) -> Any:
        return apply_changes(self.scene.document, self.fault.changes)


def cases(kind: Kind, scenes: Sequence[Scene], seed: int) -> Iterator[Case]:
    """At most one case of a kind for each workflow, in an order that the seed gives."""
    rng = Random(f"{seed} {kind.name}")
    for scene in rng.sample(scenes, len(scenes)):
        faults = list(islice(FINDERS[kind.name](scene, rng), _CANDIDATES))
        if faults:
            yield Case(kind, scene, rng.choice(faults))


def scenes_of(workflows: Iterator[Any], catalog: Catalog) -> list[Scene]:
    """The workflows of plain shape."""
    read = (read_scene(workflow, catalog) for workflow in workflows)
    return [scene for scene in read if scene is not None]


def real_workflows(file: Path) -> Iterator[Any]:
    """The workflows of a gzipped JSON Lines file."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)["workflow"]


def own_workflows() -> Iterator[Any]:
    """The workflows beside this file: small, and together open to every kind of fault."""
    for file in sorted(_OWN.glob("*.json")):
        yield json.loads(file.read_text("utf-8"))
