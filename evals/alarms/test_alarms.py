"""Tests that nearly every `wrong` on public workflows is true, as n8n itself decides.

The workflows are next to the checkout; without them the test skips. GROUNDED_ALARMS=all judges all
of them instead of a slice, as `make alarms` does.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from evals.alarms.alarm import CORPORA, DATA, find_alarms, read_shipped_workflows
from evals.alarms.by_server import Server
from evals.alarms.judges import judge_alarms
from evals.alarms.readings import Readings
from evals.alarms.table import Measured
from runtime import paths
from runtime.n8n_server import N8nServer
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import registry_from

SEED = 41
SLICE = 250
FEWEST = 15
FALSE, UNDECIDED = 0.001, 0.005


def test_shipped_workflows_are_not_wrong(catalog_file: Path, n8n_dir: Path, node: Path) -> None:
    """No template or sample inside the installed n8n has errors."""
    workflows = read_shipped_workflows(n8n_dir, node)
    assert len(workflows) >= FEWEST
    registry = registry_from(catalog_file.read_bytes())
    wrong = {
        id_: [alarm.key for alarm in alarms] for id_, alarms in find_alarms(workflows, registry)
    }
    assert {id_: items for id_, items in wrong.items() if items} == {}


def test_wrong_findings_are_confirmed(catalog_file: Path, n8n: N8nServer) -> None:
    """At most 0.1 % of the workflows have a false alarm, at most 0.5 % an undecided one."""
    if not DATA.exists():
        pytest.skip(f"no real workflows: {DATA} is absent")
    workflows = list(CORPORA[0].workflows())
    if os.environ.get("GROUNDED_ALARMS") != "all":
        workflows = random.Random(SEED).sample(workflows, SLICE)
    registry = registry_from(catalog_file.read_bytes())
    alarms = [alarm for _, items in find_alarms(workflows, registry) for alarm in items]
    assert alarms
    with clean_up_after(n8n) as client:
        asked = Server(n8n, client)
        judgements = judge_alarms(alarms, paths.n8n_home(), paths.node(), asked, Readings.load())
    verdicts = list(zip(alarms, judgements, strict=True))
    measured = Measured("slice", "", len(workflows), verdicts)
    print(f"{len(alarms):,} alarms, {dict(Counter(judgement.truth for judgement in judgements))}")
    open_ones = [(a.workflow, *a.key, j.truth, j.reason) for a, j in verdicts if j.truth != "true"]
    assert measured.share("false") <= FALSE, open_ones
    assert measured.share("undecided") <= UNDECIDED, open_ones
