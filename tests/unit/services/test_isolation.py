"""Work in a forked child: its result, its errors, its deadline and its memory bound."""

from __future__ import annotations

import re
import signal
import threading
import time
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.time_limit import TimeLimitExceededError
from grounded_builder.domains.n8n.javascript.script_shape import classify_script
from grounded_builder.ir.options import Limits
from grounded_builder.services.isolation.bounds import CompileLimitError, ProcessBounds
from grounded_builder.services.isolation.child import run_forked
from grounded_builder.services.isolation.compiler import Compiler
from grounded_builder.services.isolation.exchange import pack, unpack
from grounded_builder.services.isolation.service import CompileProcesses
from grounded_builder.settings import Settings, sqlite_url
from tests.support.process_end import end_always, end_at_first, hide_first_interrupt

_BOUNDS = ProcessBounds(seconds=20)


def test_forked_work_returns_its_result() -> None:
    """The result of a forked child is that of the work itself."""
    work = partial(parse, '```json\n{"nodes": [1, "é"]}\n```', Limits())
    assert run_forked(work, _BOUNDS) == work()


def test_call_that_holds_interpreter_is_ended() -> None:
    """The kernel ends a child in the middle of one C call, soon after its deadline."""

    def search() -> Any:
        return re.search(r"(a+)+$", "a" * 60 + "b")

    began = time.monotonic()
    with pytest.raises(CompileLimitError, match=r"was not compiled within 0\.5 s") as raised:
        run_forked(search, ProcessBounds(seconds=0.5))
    assert raised.value.code == "deadline-exceeded"
    assert time.monotonic() - began < 5.0


def test_memory_beyond_the_bound_is_an_error() -> None:
    """A child that asks for more than its bound reports it instead of crashing."""
    with pytest.raises(CompileLimitError, match="more than 50 MB") as raised:
        run_forked(lambda: [[] for _ in range(10_000_000)], ProcessBounds(20, 50_000_000))
    assert raised.value.code == "memory-exceeded"


def test_code_is_read_within_a_memory_bound() -> None:
    """The addresses that V8 reserves and does not use are not held against the bound."""
    script = "return $input.all().filter((item) => item.json.total > 3)"
    assert run_forked(partial(classify_script, script), ProcessBounds(20, 100_000_000)) == "filter"


def test_the_bound_holds_after_code_was_read() -> None:
    """Memory allocated after the start of V8 counts as before."""

    def read_and_allocate() -> Any:
        classify_script("return []")
        return bytearray(150_000_000)

    with pytest.raises(CompileLimitError, match="more than 100 MB"):
        run_forked(read_and_allocate, ProcessBounds(20, 100_000_000))


def test_an_error_that_cannot_be_sent_is_named() -> None:
    """An error that holds a lock comes back by its name and its text."""

    def fail() -> None:
        raise ValueError("no such table", threading.Lock())

    with pytest.raises(RuntimeError, match=r"ValueError: \('no such table'"):
        run_forked(fail, _BOUNDS)


def test_a_process_that_ends_without_an_answer_is_asked_once_more(tmp_path: Path) -> None:
    """Work that ends one process is repeated, and work that ends two is an error."""
    settings = Settings(state=tmp_path, database_url=sqlite_url(tmp_path))
    processes = CompileProcesses(settings, ["tests.support.process_end"])
    try:
        assert processes.run(partial(end_at_first, tmp_path / "mark")) == "done"
        with pytest.raises(CompileLimitError) as raised:
            processes.run(end_always)
    finally:
        processes.close()
    assert raised.value.code == "ended"


@pytest.mark.long
def test_work_that_hides_an_interrupt_is_repeated_in_a_process(tmp_path: Path) -> None:
    """An error that a library makes of the interrupt is no result of the work."""
    settings = Settings(state=tmp_path, database_url=sqlite_url(tmp_path))
    compiler = Compiler(CompileProcesses(settings, ["tests.support.process_end"]))
    try:
        assert compiler(partial(hide_first_interrupt, tmp_path / "mark")) == "done"
    finally:
        compiler.close()


def test_errors_of_the_work_are_raised_here() -> None:
    """An error comes back as it is, with what it carries."""

    def fail() -> None:
        raise CompileLimitError("busy", "no place", "later")

    with pytest.raises(CompileLimitError, match="no place") as raised:
        run_forked(fail, _BOUNDS)
    assert (raised.value.code, raised.value.help) == ("busy", "later")


def test_members_of_enumerations_come_back_as_themselves() -> None:
    """A status that an error carries is sent by its value."""
    assert unpack(pack(HTTPStatus.BAD_REQUEST)) is HTTPStatus.BAD_REQUEST


def test_a_child_that_dies_is_an_error() -> None:
    """A child that ends without an answer is distinguished from one that was late."""
    with pytest.raises(CompileLimitError) as raised:
        run_forked(partial(signal.raise_signal, signal.SIGKILL), _BOUNDS)
    assert raised.value.code == "ended"


def test_only_what_is_known_is_unpacked() -> None:
    """An answer that names a function is refused: a child may have been taken over."""
    with pytest.raises(Exception, match="is not sent between processes"):
        unpack(pack(partial(print, "x")))
    assert isinstance(unpack(pack(TimeLimitExceededError("late"))), TimeLimitExceededError)
