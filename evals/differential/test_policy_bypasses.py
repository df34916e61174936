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
    """Whatever is denied, or needs an approval, is stopped in every form of draft."""
    registry = registry_from(catalog_file.read_bytes())
    assert [(way, case.family) for way, case, _ in bypasses(seed, registry)] == []


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_no_edit_trial_or_repair_passes(half: str, catalog_file: Path) -> None:
    """The results of edits and repairs of a hostile draft are stopped, and a trial runs none."""
    registry = registry_from(catalog_file.read_bytes())
    assert {way: cases for way, cases in all_bypasses(half, registry).items() if cases} == {}
