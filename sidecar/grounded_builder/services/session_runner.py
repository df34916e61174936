"""Runs sessions of any task: takes replies of drafters and stores each step, until an outcome.

A ``Task`` is the subject of a session: a workflow to draft, a document to edit, a request to route.
The runner provides what all tasks share: ids, redaction, the record, the check that no other reply
was taken meanwhile, and the deadline of the drafters of a chain for a reply.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from ulid import ULID

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.fallback_chain import DrafterChain, DrafterReply
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.routing.request import RouteRequest
from grounded_builder.services.conversation_record import Answer, DraftRequest
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.isolation.compiler import Compiling
from grounded_builder.services.session_lookup import (
    ConversationError,
    SessionKind,
    find_session,
    session_store,
)
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

# How long a reason for a failure may be, in characters.
_LONGEST_REASON = 500
# How often ending a session is tried again while replies arrive.
_MOST_ATTEMPTS = 5
# The statuses of answers that wait for the reply of a drafter.
_WAITING = ("draft", "ask")
# Seconds between two checks whether a session was ended meanwhile. They grow: hundreds of sessions
# may wait, and each check reads the database.
_FIRST_POLL_S, _LAST_POLL_S = 0.2, 2.0

_Result = TypeVar("_Result")
_Order = TypeVar("_Order", DraftRequest, RouteRequest)


@dataclass(frozen=True, slots=True)
class Step:
    """The result of a step: the next answer and the drafts that it made.

    The session ends where the status of the answer is "done". The runner numbers the drafts.
    """

    answer: Answer
    drafts: tuple[runs.Draft, ...] = ()


class Task(Protocol):
    """The subject of a session; the answer of a step states what the session waits for.

    ``drafter`` is recorded where a reply names no drafter.
    """

    drafter: str

    def start(self) -> tuple[runs.NewRun, Step]:
        """Returns the record of the run, and the first step."""

    def step(self, reply: Any, drafter: str, *, has_fallback: bool) -> Step:
        """Returns the step that follows a reply of ``drafter``.

        With ``has_fallback`` the fallback ends the task where the drafter is stuck.
        """

    def fallback(self, why: str, *, drafts: bool) -> Step:
        """Returns the step taken where no drafter replies, for the reason ``why``.

        Without ``drafts`` nothing is drafted in place of the drafters.
        """

    def to_json(self) -> dict[str, Any]:
        """Returns the state between two steps."""


_Task = TypeVar("_Task", bound=Task)


class SessionRunner(Generic[_Task]):
    """Opens sessions of one kind, takes their steps and stores them.

    ``resume`` makes the task of a stored session. ``saved`` is called with the id and the task
    after each stored step.
    """

    def __init__(
        self,
        store: Store,
        kind: SessionKind,
        resume: Callable[[Session], _Task],
        saved: Callable[[str, _Task], None] = lambda _id, _task: None,
    ) -> None:
        self._store = store
        self._sessions = session_store(store)
        self._kind = kind
        self._resume = resume
        self._saved = saved

    def find(self, session_id: str) -> Session:
        """Returns a stored session; raises ConversationError where no session has this id."""
        return find_session(self._store, session_id, self._kind)

    def open(self, order: _Order, begin: Callable[[str, _Order], _Task]) -> Answer:
        """Starts and stores the task of an order under a new id; returns the first answer.

        Secrets are removed from the order before any drafter is asked and before it is stored.
        """
        session_id, started = str(ULID()), time.time()
        task = begin(session_id, _without_secrets(order))
        run, step = task.start()
        state = {**task.to_json(), "started": started}
        drafts = _number_drafts(step.drafts, 1)
        self._sessions.open(run, state, step.answer, drafts, _ending_of(step.answer, started))
        self._saved(session_id, task)
        return step.answer

    def submit_reply(
        self,
        session: Session,
        *,
        reply: Any = None,
        failed: str | None = None,
        drafter: str | None = None,
        has_fallback: bool = False,
    ) -> Answer:
        """Takes a reply, or the reason why it ``failed``, after which the fallback drafts.

        A reply that exceeds the limits of the compiler has failed.
        """
        task = self.resume(session)
        drafter = drafter or task.drafter
        if failed is None:
            try:
                return self.save(
                    session, task, task.step(reply, drafter, has_fallback=has_fallback)
                )
            except CompileLimitError as error:
                if error.code == "busy":
                    raise
                failed = f"its reply was given up: {error}"
        why = failed[:_LONGEST_REASON] or "the model failed"
        miss = _failed_draft(session, drafter, why)
        step = task.fallback(why, drafts=True)
        return self.save(session, task, replace(step, drafts=(miss, *step.drafts)))

    def resume(self, session: Session) -> _Task:
        """Returns the task of an open session; raises ConversationError where it has ended."""
        if not session.is_open:
            message = f"the {self._kind.noun} has ended: {session.answer.get('outcome')}"
            raise ConversationError("session-ended", message, "begin a new one")
        return self._resume(session)

    def run(self, answer: Answer, chain: DrafterChain) -> Answer:
        """Collects replies from the drafters of a chain until the session waits for other input or
        ends.

        Each reply has a deadline of its own, which all drafters that are asked for it share.
        """
        seconds = self._store.settings.conversation_limits.seconds
        session_id = answer[self._kind.key]
        while answer["status"] in _WAITING:
            session = self.find(session_id)
            try:
                answer = self._ask(session, chain, time.monotonic() + seconds)
            except ConversationError:
                # Another caller ended it: its outcome is the answer here, too.
                session = self.find(session_id)
                if session.is_open:
                    raise
                answer = dict(session.answer)
        return answer

    def end(self, session: Session, end: Callable[[_Task], Step]) -> Answer:
        """Ends a session with a last step; a session that has ended stays unchanged."""
        for _ in range(_MOST_ATTEMPTS):
            if not session.is_open:
                return dict(session.answer)
            task = self._resume(session)
            try:
                return self.save(session, task, end(task))
            except ConversationError:  # a reply was taken in between
                session = self.find(session.id)
        raise ConversationError("stale-draft", "replies keep arriving", "cancel it again")

    def save(self, session: Session, task: _Task, step: Step) -> Answer:
        """Stores a step and returns its answer.

        Raises ConversationError where another step was stored since ``session`` was read.
        """
        started = session.state.get("started")
        state = task.to_json()
        if started is not None:  # a session may be older than the program
            state["started"] = started
        drafts = _number_drafts(step.drafts, session.revision)
        ending = _ending_of(step.answer, started)
        if not self._sessions.move(session, state, step.answer, drafts, ending):
            message = "another reply for this step was taken first"
            hint = f"GET {self._kind.path} answers with the current state"
            raise ConversationError("stale-draft", message, hint)
        self._saved(session.id, task)
        return step.answer

    def _ask(self, session: Session, chain: DrafterChain, deadline: float) -> Answer:
        """Asks the drafters for one reply and takes it, or the fallback when none replies."""
        asked = session.answer

        def record_miss(drafter: str, why: str) -> None:
            nonlocal session
            miss = _failed_draft(session, drafter, why[:_LONGEST_REASON])
            self.save(session, self.resume(session), Step(dict(asked), (miss,)))
            session = replace(session, revision=session.revision + 1)

        def ask() -> DrafterReply:
            messages = [Message(**message) for message in asked["messages"]]
            schema, tools = asked["response_schema"], asked.get("tools", ())
            return chain.reply(asked["round"], messages, schema, deadline, record_miss, tools)

        try:
            reply = _await(ask, lambda: self.find(session.id).is_open)
        except DrafterError as error:
            task = self.resume(session)
            why = str(error)[:_LONGEST_REASON]
            return self.save(session, task, task.fallback(why, drafts=chain.ends_in_planner))
        if reply is None:
            return dict(self.find(session.id).answer)
        return self.submit_reply(
            session,
            reply=reply.reply.text,
            drafter=reply.drafter,
            has_fallback=chain.ends_in_planner,
        )


def _without_secrets(order: _Order) -> _Order:
    values: dict[str, Any] = {"request": order.request}
    if isinstance(order, DraftRequest):
        values["constraints"] = dict(order.constraints)
    return replace(order, **without_secrets(values))


def compile_timed(compiling: Compiling, work: Callable[[], Any], size: int) -> tuple[Any, float]:
    """Returns the result of work on outside text of ``size`` and its time in milliseconds."""
    began = time.perf_counter()
    result = compiling(work, size)
    return result, (time.perf_counter() - began) * 1000


def _failed_draft(session: Session, drafter: str, why: str) -> runs.Draft:
    """Returns the record of a missing reply, with the messages that asked for it."""
    messages = list(session.answer.get("messages", ()))
    return runs.Draft(session.revision, drafter, messages, failed=why)


def _number_drafts(drafts: tuple[runs.Draft, ...], first: int) -> tuple[runs.Draft, ...]:
    return tuple(replace(draft, number=number) for number, draft in enumerate(drafts, first))


def _ending_of(answer: Mapping[str, Any], started: float | None) -> runs.Ending | None:
    """Returns how a run ended; None while it goes on. ``started`` is in Unix seconds."""
    if answer["status"] != "done":
        return None
    ms = 0.0 if started is None else max(0.0, time.time() - started) * 1000
    reason = answer.get("reason")
    return runs.Ending(
        answer["outcome"], reason, answer["summary"], answer["rounds"], dict(answer), ms
    )


def _await(ask: Callable[[], _Result], is_open: Callable[[], bool]) -> _Result | None:
    """Returns the result of ``ask``; None soon after its session ended, even while it runs on."""
    answers: SimpleQueue[_Result | Exception] = SimpleQueue()

    def listen() -> None:
        try:
            answers.put(ask())
        except Exception as error:  # noqa: BLE001 - raised again in the waiting thread
            answers.put(error)

    Thread(target=listen, name="drafter", daemon=True).start()
    pause = _FIRST_POLL_S
    while True:
        try:
            result = answers.get(timeout=pause)
        except Empty:
            if not is_open():
                return None
            pause = min(_LAST_POLL_S, 1.5 * pause)
            continue
        if isinstance(result, Exception):
            raise result
        return result
