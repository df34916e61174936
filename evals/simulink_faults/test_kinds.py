"""Tests that each kind of fault breaks models as it states."""

from __future__ import annotations

import pytest

from evals.simulink_faults.drafts import break_drafts
from evals.simulink_faults.injection import MODELS, find_cases, read_real_models
from evals.simulink_faults.kinds import KINDS
from evals.simulink_faults.plans import ALL
from evals.simulink_faults.second_set import SECOND
from evals.simulink_faults.third_set import THIRD
from grounded_builder.domains.simulink.read.model import open_model
from tests.octave.models import MODELS as PLANS
from tests.support.simulink_files import make_split_package, pack_files


def test_there_are_thirty_kinds() -> None:
    """The first set has thirty kinds with unique names, of which at least 24 are decidable."""
    assert len({kind.name for kind in KINDS}) == 30
    assert sum(kind.decidable for kind in KINDS) >= 24


def test_the_second_set_has_names_of_its_own() -> None:
    """The second set repeats no kind of the first, and has undecidable kinds."""
    names = [kind.name for kind in (*KINDS, *SECOND)]
    assert len(set(names)) == len(names)
    assert any(not kind.decidable for kind in SECOND)


def test_the_third_set_has_names_of_its_own() -> None:
    """The third set repeats no other kind, and the mistakes in drafts have unique names."""
    names = [kind.name for kind in (*KINDS, *SECOND, *THIRD)]
    assert len(set(names)) == len(names)
    mistakes = [mistake.name for mistake in ALL]
    assert len(set(mistakes)) == len(mistakes)
    assert len(THIRD) + len(mistakes) >= 60


def test_a_mistake_changes_the_draft_at_the_stated_place() -> None:
    """A broken draft differs from the original, and its places exist."""
    for mistake in ALL:
        made = next(iter(break_drafts(mistake)), None)
        assert made is not None, mistake.name
        number, plan, places = made
        assert plan != PLANS[number], mistake.name
        assert all(at[0] == "steps" and int(at[1]) < len(plan["steps"]) for at in places)


def test_a_fault_changes_the_model_at_the_stated_place() -> None:
    """A broken model differs from the original, and its places exist."""
    model, _ = open_model(pack_files(make_split_package()))
    assert model is not None
    made = [
        case for kind in (*KINDS, *SECOND, *THIRD) for case in find_cases(kind, {"own": model}, 1)
    ]
    assert len(made) >= 30
    for case in made:
        assert case.model != model, case.kind.name
        for place in case.places:
            value = case.model
            for key in place:
                value = value[key]  # type: ignore[index] # a list takes the number


@pytest.mark.skipif(not MODELS.exists(), reason="the shared models are not here")
def test_every_kind_has_a_place_in_real_models() -> None:
    """Every kind can be injected into at least one real model."""
    models = read_real_models()
    assert [
        kind.name for kind in (*KINDS, *SECOND, *THIRD) if not list(find_cases(kind, models, 1))
    ] == []
