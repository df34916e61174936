from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from grounded_builder.domains.n8n.javascript.v8_isolate import Isolate, UnknownAnswerError

_PRELUDE = """
const grounded = {
  twice: (text) => JSON.stringify(2 * JSON.parse(text)),
  forever: () => { for (;;); },
  greedy: () => { const all = []; for (;;) all.push(new Array(1e6).fill(1)); },
};
"""


@pytest.mark.parametrize("name", ["forever", "greedy", "absent"])
def test_isolate_answers_after_failed_code(name: str) -> None:
    """Endless, oversized or invalid code is ended, and the next question is answered."""
    isolate = Isolate(_PRELUDE)
    for _ in range(2):
        with pytest.raises(UnknownAnswerError):
            isolate.ask(name, 1, 0.3)
        assert isolate.ask("twice", 21, 5) == 42


def test_any_thread_may_ask() -> None:
    """Questions from several threads at once, and from inside an event loop, are all answered."""
    isolate = Isolate(_PRELUDE)
    answers: list[int] = []

    def ask(number: int) -> None:
        answers.extend(isolate.ask("twice", number, 5) for _ in range(20))

    async def inside() -> int:
        return int(isolate.ask("twice", 100, 5))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    answers.append(asyncio.run(inside()))
    for thread in threads:
        thread.join()
    assert sorted(answers) == sorted([*(20 * [0, 2, 4, 6]), 200])


def test_a_forked_process_has_an_isolate_of_its_own() -> None:
    """After a fork the child is answered, and so is the parent after the child's end."""
    isolate = Isolate(_PRELUDE)
    assert isolate.ask("twice", 1, 5) == 2
    child = os.fork()
    if not child:
        os._exit(isolate.ask("twice", 2, 5))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 4
    assert isolate.ask("twice", 3, 5) == 6


def test_a_begun_call_is_answered_whatever_comes_between() -> None:
    """A call of V8 is answered after other calls, failures and the loss of an engine."""
    isolate = Isolate(_PRELUDE)
    first = isolate.begin("twice", 1)
    second = isolate.begin("twice", 2)
    assert isolate.ask("twice", 3, 5) == 6
    assert (second(5), first(5)) == (4, 2)
    lost = isolate.begin("twice", 4)
    with pytest.raises(UnknownAnswerError):
        isolate.ask("greedy", 1, 5)
    assert lost(5) == 8
    with pytest.raises(UnknownAnswerError):
        isolate.begin("forever", 1)(0.3)
    assert isolate.begin("twice", 5)(5) == 10


def test_a_call_may_be_begun_in_one_thread_and_awaited_in_another() -> None:
    """The answer reaches whoever waits for it, inside of an event loop too."""
    isolate = Isolate(_PRELUDE)
    answers: list[int] = []
    begun = isolate.begin("twice", 1)
    thread = threading.Thread(target=lambda: answers.append(begun(5)))
    thread.start()
    thread.join()

    async def inside(begun: Callable[[float], Any]) -> int:
        return int(begun(5)) + int(isolate.begin("twice", 2)(5))

    answers.append(asyncio.run(inside(isolate.begin("twice", 3))))
    assert answers == [2, 10]
