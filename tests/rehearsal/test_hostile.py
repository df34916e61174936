"""Hostile workflows reach nothing: every packet of the machine is read while they run."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.rehearsal_hostile.__main__ import PACKAGES, check_watch, list_files_left, measure
from evals.rehearsal_hostile.attacks import ATTACKS
from evals.rehearsal_hostile.batch import rehearse_attack
from evals.rehearsal_hostile.native_code import ATTEMPTS, write_attempts
from evals.rehearsal_hostile.targets import Targets, Watch
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from tests.support.n8n_workflows import node, workflow

_MARK = f"gbtest{os.getpid()}x"
_TO_A_LIMIT = {"pages without end", "no end", "circle", "itself", "much", "large expression"}
# The first of six numbers with this package among their workflows.
_WITH_PACKAGES = 54
_ENDING = {"memory", "stop", "exit"}


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory, user_folder: Path) -> Iterator[Targets]:
    """What is attacked; nothing of it may be reached, read or written by any test."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "outside").mkdir()
    (folder / "secret").write_text("a secret of nobody")
    with Watch(_MARK, folder) as watch:
        assert check_watch(watch, _MARK) > 0
        watch.reset()
        places = (watch.door, str(folder / "secret"), str(folder / "outside"))
        yield Targets(_MARK, watch.port, *places, os.getpid())
        assert (watch.bytes_out, watch.arrived) == (0, 0)
    assert list(list_files_left(folder / "outside", user_folder / PACKAGES, _MARK)) == []


@pytest.mark.parametrize("kind", sorted(set(ATTACKS) - _TO_A_LIMIT))
def test_an_attack_ends_with_nothing(
    stage: Stage, registry: Registry, targets: Targets, kind: str
) -> None:
    """Three workflows of a kind end, and see no secret."""
    _, attack = ATTACKS[kind]
    for seed in range(3):
        document = attack(random.Random(seed), targets)
        outcome = rehearse_attack(stage, registry, document, kind)
        assert outcome["status"] != "n8n ended", outcome
        assert not outcome.get("able")
        assert "a secret of nobody" not in str(outcome)


@pytest.mark.parametrize("name", sorted(set(ATTEMPTS) - _ENDING))
def test_a_package_that_obeys_nothing_can_do_nothing(
    stage: Stage, registry: Registry, targets: Targets, name: str
) -> None:
    """A node with all modules of Node succeeds in none of its attempts."""
    code = write_attempts(random.Random(1), targets, [name])
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Hostile", "n8n-nodes-hostile.hostile", 1, {"code": code}),
    )
    outcome = rehearse_attack(stage, registry, document, name)
    assert (outcome["status"], outcome["able"]) == ("success", [])


def test_nothing_leaves_where_the_kernel_refuses_namespaces() -> None:
    """There, too, no socket but those of the rehearsal opens; the result states what is open."""
    report = measure(_WITH_PACKAGES, 6, refuse_namespaces=True)
    assert [stage["isolated"] for stage in report.stages] == [False]
    kinds = [outcome["kind"] for outcome in report.outcomes]
    assert kinds.count("hostile package") >= 2
    assert list(report.list_faults()) == []
