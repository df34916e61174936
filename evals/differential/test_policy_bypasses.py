"""Tests that no hostile draft passes the policy, with the real catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.bypasses import all_bypasses
from tests.policy.count import bypasses
from tests.policy.hostile_drafts import OPEN_SEED, SEALED_SEED
from tests.support.registries import registry_from


@pytest.mark.parametrize("seed", [OPEN_SEED, SEALED_SEED])
def test_no_hostile_draft_passes(seed: int, catalog_file: Path) -> None:
    """Whatever is denied, or waits for a person, is stopped in every way that a draft can take."""
    registry = registry_from(catalog_file.read_bytes())
    assert [(way, case.family) for way, case, _ in bypasses(seed, registry)] == []


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_no_edit_trial_or_repair_passes(half: str, catalog_file: Path) -> None:
    """What an edit or a repair makes of a draft is stopped, and a trial runs nothing of it."""
    registry = registry_from(catalog_file.read_bytes())
    assert {way: cases for way, cases in all_bypasses(half, registry).items() if cases} == {}
