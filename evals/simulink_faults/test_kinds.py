"""Tests that each kind of fault breaks models as it states."""

from __future__ import annotations

import pytest

from evals.simulink_faults.drafts import break_drafts
from evals.simulink_faults.injection import MODELS, cases, real_models
from evals.simulink_faults.kinds import KINDS
from evals.simulink_faults.plans import ALL
from evals.simulink_faults.second_set import SECOND
from evals.simulink_faults.third_set import THIRD
from grounded_builder.domains.simulink.read.model import open_model
from tests.octave.models import MODELS as PLANS
from tests.support.simulink_files import file_each, pack_files


def test_there_are_thirty_kinds() -> None:
    """Thirty kinds with names of their own, of which a file alone tells at least 24."""
    assert len({kind.name for kind in KINDS}) == 30
    assert sum(kind.decidable for kind in KINDS) >= 24


def test_the_second_set_has_names_of_its_own() -> None:
    """No kind of the second set is one of the first, and some of it only looks like a fault."""
    names = [kind.name for kind in (*KINDS, *SECOND)]
    assert len(set(names)) == len(names)
    assert any(not kind.decidable for kind in SECOND)


def test_the_third_set_has_names_of_its_own() -> None:
    """No kind of the third set is one of the others, no slip of a draft one of the kinds."""
    names = [kind.name for kind in (*KINDS, *SECOND, *THIRD)]
    assert len(set(names)) == len(names)
    slips = [slip.name for slip in ALL]
    assert len(set(slips)) == len(slips)
    assert len(THIRD) + len(slips) >= 60


def test_a_slip_changes_the_draft_at_the_stated_place() -> None:
    """A broken draft differs from the draft, and the places lie in it."""
    for slip in ALL:
        made = next(iter(break_drafts(slip)), None)
        assert made is not None, slip.name
        number, plan, places = made
        assert plan != PLANS[number], slip.name
        assert all(at[0] == "steps" and int(at[1]) < len(plan["steps"]) for at in places)


def test_a_fault_changes_the_model_at_the_stated_place() -> None:
    """An injected model differs from the model, and the places lie in it."""
    model, _ = open_model(pack_files(file_each()))
    assert model is not None
    made = [case for kind in (*KINDS, *SECOND, *THIRD) for case in cases(kind, {"own": model}, 1)]
    assert len(made) >= 30
    for case in made:
        assert case.model != model, case.kind.name
        for place in case.places:
            value = case.model
            for key in place:
                value = value[key]  # type: ignore[index] # a list takes the number


@pytest.mark.skipif(not MODELS.exists(), reason="the shared models are not here")
def test_every_kind_has_a_place_in_real_models() -> None:
    """No kind is empty over real models."""
    models = real_models()
    assert [
        kind.name for kind in (*KINDS, *SECOND, *THIRD) if not list(cases(kind, models, 1))
    ] == []
