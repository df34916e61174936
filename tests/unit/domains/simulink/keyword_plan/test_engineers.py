"""The measured requests of engineers: none is drawn wrong without a word."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from evals.bench.engineers import REQUESTS, judged
from tests.support.simulink import simulink_registry


@pytest.mark.parametrize(
    ("name", "right"),
    [("engineers.jsonl", 55), ("engineers_fresh.jsonl", 20), ("engineers_last.jsonl", 12)],
)
def test_no_request_is_wrong_in_silence(name: str, right: int) -> None:
    """What is not drawn as it was meant is told by its words; most is drawn as it was meant."""
    lines = REQUESTS.with_name(name).read_text("utf-8").splitlines()
    registry = simulink_registry()
    silent = []
    counts: Counter[str] = Counter()
    for one in map(json.loads, lines):
        verdict, faults, _ = judged(one, registry)
        counts[verdict] += 1
        silent += [(one["request"], faults)] * (verdict == "silent")
    assert silent == []
    assert counts["right"] >= right


def test_a_draft_that_is_wrong_is_found_out() -> None:
    """Another block, parameter or line than the facts is a fault, and nothing said makes it one."""
    one = {
        "request": "a sine wave into a gain of 2 and a scope",
        "either": [
            {
                "blocks": {
                    "s": ["simulink/Sources/Sine Wave", {}, "sine"],
                    "k": ["simulink/Math Operations/Gain", {"Gain": "3"}, "gain of 3"],
                    "v": ["simulink/Sinks/Scope", {}, "scope"],
                },
                "joins": ["s > v", "k > v"],
            }
        ],
    }
    verdict, faults, _ = judged(one, simulink_registry())
    assert verdict == "silent"
    said = {fault.what for fault in faults}
    assert "Gain.Gain is 2, not 3" in said
    assert "not joined: s > v" in said
    assert any(fault.startswith("joined beyond") for fault in said)
