"""The short fuzz run: saved failures, and a fixed number of new cases of every target."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutation import mutate
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

_SAVED = [(target, path) for target in TARGETS.values() for path in target.list_saved_inputs()]


@pytest.mark.parametrize(("target", "path"), _SAVED, ids=lambda item: getattr(item, "name", ""))
def test_saved_inputs_break_no_law(target: Target, path: Path) -> None:
    """Every saved input, each of which once broke a law of its target, breaks none."""
    target.check(path.read_bytes())


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda item: item.name)
def test_new_inputs_break_no_law(target: Target) -> None:
    """A fixed number of changed inputs, the same ones each time, break no law of the target."""
    chance = Random(target.name)
    pool = [*target.seeds()]
    for number in range(target.quick):
        data = mutate(chance.choice(pool), target.form, chance)
        try:
            target.check(data)
        except Exception as error:
            error.add_note(f"case {number} of {target.name}: {data!r:.2000}")
            raise
        if chance.random() < 0.3:
            pool.append(data)
