"""Texts that are made to be slow to redact."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from grounded_builder.redaction.find_secrets import find_secrets
from grounded_builder.redaction.redact import MARK, without_secrets

_SIZE = 500_000
_SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


def _longest_wait_of_another_thread(work: Callable[[], Any]) -> float:
    """Returns the most processor time that the work took while another thread waited for a turn."""
    turns = [time.process_time()]
    waits = [0.0]
    done = threading.Event()

    def take_turns() -> None:
        while not done.is_set():
            done.wait(0.0005)
            now = time.process_time()
            waits[0] = max(waits[0], now - turns[0])
            turns[0] = now

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        work()
    finally:
        done.set()
        thread.join()
    return waits[0]


@pytest.mark.long
@pytest.mark.parametrize("part", ["cookie ", "mysql "])
def test_other_threads_get_their_turn(part: str) -> None:
    """No search of a text blocks the other threads of the process."""
    text = part * (_SIZE // len(part))
    assert _longest_wait_of_another_thread(lambda: list(find_secrets(text))) < 0.2


@pytest.mark.parametrize("place", [7_990, 8_000, 8_010, 15_999])
def test_secrets_are_found_wherever_they_stand(place: int) -> None:
    """One that begins in one piece of a text and ends in the next is whole."""
    text = "." * place + f" password: {'a1b2' * 2_250} Cookie: sid={_SECRET}; " + "." * 20_000
    clean = without_secrets(text)
    assert "a1b2a1b2" not in clean
    assert _SECRET not in clean


def test_many_secrets_cost_no_more_than_many_texts() -> None:
    """Texts with hundreds of secrets are taken out whole, and entries stay apart."""
    secrets = [f"ghp_{number:036d}a1" for number in range(4_000)]
    value = {
        "all": " ".join(f"password: a1b2c{number}d" for number in range(10_000)),
        "each": dict.fromkeys(secrets, 1),
        "plain": "a greeting",
    }
    began = time.process_time()
    clean = without_secrets(value)
    assert time.process_time() - began < 5
    assert clean["all"] == MARK
    assert clean["plain"] == "a greeting"
    assert len(clean["each"]) == len(secrets)
    assert not any(secret in str(clean) for secret in secrets[::63])
