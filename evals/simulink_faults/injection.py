"""Makes the cases: each kind of fault in each model that accepts it."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.simulink_faults.fault import Kind, Places
from evals.simulink_faults.scene import Scene
from grounded_builder.domains.simulink.read.model import open_model

SEED = 20260101
MODELS = Path(__file__).parents[3] / "shared" / "data" / "simulink" / "models_dev"


@dataclass(frozen=True, slots=True)
class Case:
    """A broken model with its kind, its file name and the places of the fault."""

    kind: Kind
    name: str
    model: Mapping[str, Any]
    places: Places


def read_real_models(folder: Path = MODELS) -> dict[str, dict[str, Any]]:
    """Returns every readable model of a folder by file name."""
    models = {}
    for file in sorted([*folder.glob("*.slx"), *folder.glob("*.mdl")]):
        model, _ = open_model(file.read_bytes(), file.stem)
        if model is not None:
            models[file.name] = model
    return models


def find_cases(
    kind: Kind, models: Mapping[str, dict[str, Any]], most: int, seed: int = SEED
) -> Iterator[Case]:
    """Yields at most ``most`` cases of a kind, in models chosen by the seed."""
    names: Sequence[str] = sorted(models)
    chance = random.Random(f"{seed} {kind.name}")
    left = most
    for name in chance.sample(names, len(names)):
        if not left:
            return
        scene = Scene(copy.deepcopy(models[name]), chance)
        places = kind.inject(scene)
        if places:
            left -= 1
            yield Case(kind, name, scene.model, places)
