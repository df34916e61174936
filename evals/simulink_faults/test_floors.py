"""Tests the share of faults that are found, and the findings on sound models."""

from __future__ import annotations

from typing import Any

import pytest

from evals.simulink_faults.drafts import tally_mistake
from evals.simulink_faults.fault import Kind
from evals.simulink_faults.injection import MODELS, SEED, find_cases, read_real_models
from evals.simulink_faults.kinds import KINDS
from evals.simulink_faults.measure import Score, score_kind
from evals.simulink_faults.plans import ALL
from evals.simulink_faults.second_set import SECOND
from evals.simulink_faults.third_set import THIRD
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_files import make_split_package, pack_files

HERE = pytest.mark.skipif(not MODELS.exists(), reason="the shared models are absent")


@pytest.fixture(scope="module")
def models() -> dict[str, dict[str, Any]]:
    return read_real_models()


def _score_kinds(
    models: dict[str, dict[str, Any]], most: int, kinds: tuple[Kind, ...] = KINDS
) -> list[Score]:
    before: dict[str, frozenset[tuple[str, str]]] = {}
    return [
        score_kind(kind, find_cases(kind, models, most, SEED), models, before) for kind in kinds
    ]


def test_faults_in_our_own_model_are_found() -> None:
    """Every decidable fault that fits into the small model is found at its place."""
    document, _ = open_model(pack_files(make_split_package()), "servo")
    assert document is not None
    scores = _score_kinds({"own": document}, 1)
    assert sum(item.count for item in scores) >= 12
    assert [item.kind.name for item in scores if item.missed] == []


def test_faults_of_signals_in_our_own_model_are_found() -> None:
    """Every decidable fault of the second set that fits into the small model is found."""
    document, _ = open_model(pack_files(make_split_package()), "servo")
    assert document is not None
    scores = _score_kinds({"own": document}, 1, SECOND)
    assert sum(item.count for item in scores) >= 15
    assert [item.kind.name for item in scores if item.missed] == []


def test_faults_that_were_thought_of_last_are_found_in_our_own_model() -> None:
    """Every fault of the third set that fits into the small model is found, with two exceptions."""
    document, _ = open_model(pack_files(make_split_package()), "servo")
    assert document is not None
    scores = _score_kinds({"own": document}, 1, THIRD)
    assert sum(item.count for item in scores) >= 50
    assert {item.kind.name for item in scores if item.missed} <= {"repeated-case", "unknown-solver"}


def test_mistakes_in_drafts_are_found() -> None:
    """95 % of the mistakes in drafts are found at their place, without false alarms."""
    before: dict[int, Compilation] = {}
    tallies = [tally_mistake(mistake, before, 2) for mistake in ALL]
    counted = [item for item in tallies if item.mistake.asked != "open"]
    result = sum(item.outcomes["found"] for item in counted)
    assert result >= 0.95 * sum(sum(item.outcomes.values()) for item in counted)
    assert sum(item.outcomes["false alarm"] for item in tallies) == 0


@HERE
def test_faults_that_were_thought_of_last_are_found(models: dict[str, dict[str, Any]]) -> None:
    """96 % of the third set are found at their place in real models."""
    scores = _score_kinds(models, 1, THIRD)
    decidable = [item for item in scores if item.kind.decidable]
    result = sum(item.outcomes["found"] for item in decidable)
    assert result >= 0.96 * sum(item.count for item in decidable)
    assert sum(item.outcomes["false alarm"] for item in scores) == 0


@HERE
@pytest.mark.parametrize("kinds", [KINDS, SECOND], ids=["first", "second"])
def test_faults_in_real_models_are_found(
    models: dict[str, dict[str, Any]], kinds: tuple[Kind, ...]
) -> None:
    """98 % of the decidable faults are found at their place, without false alarms."""
    scores = _score_kinds(models, 6, kinds)
    decidable = [item for item in scores if item.kind.decidable]
    result = sum(item.outcomes["found"] for item in decidable)
    assert result >= 0.98 * sum(item.count for item in decidable)
    assert sum(item.outcomes["false alarm"] for item in scores) == 0


@HERE
def test_real_models_are_not_wrong(models: dict[str, dict[str, Any]]) -> None:
    """No real model has errors, because Simulink saved each of them."""
    registry, options = simulink_registry(), CompileOptions()
    verdicts = {
        name: compile_draft(document, SIMULINK, registry, options).verdict
        for name, document in models.items()
    }
    assert len(verdicts) >= 200
    assert [name for name, verdict in verdicts.items() if verdict == "wrong"] == []
