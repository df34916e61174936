"""Defines the base of the session tasks that talk to a drafter: drafts and edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from grounded_builder.catalog.registry import Registry
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.conversation_record import Answer, DraftRequest
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.request_policy import outcome_response
from grounded_builder.storage import runs
from grounded_builder.storage.store import Store


@dataclass(frozen=True, slots=True)
class CompileSetup:
    """The registry, references and stores with which replies in one domain are compiled and
    recorded; ``compiling`` runs work that needs the compiler's thread.
    """

    store: Store
    domain: Domain
    registry: Registry
    references: ReferenceCatalogs
    compiling: Compiling = compile_here


_Setup = TypeVar("_Setup", bound=CompileSetup)


class ConversationTask(Generic[_Setup]):
    """A task that a drafter works on in a conversation; ``conversation`` is its current state."""

    def __init__(
        self,
        setup: _Setup,
        session_id: str,
        order: DraftRequest,
        conversation: Conversation | None = None,
    ) -> None:
        self._setup = setup
        self._id = session_id
        self._order = order
        self._talk = conversation
        self.drafter = order.drafter

    @property
    def _conversation(self) -> Conversation:
        if self._talk is None:
            raise RuntimeError("the task has no conversation")
        return self._talk

    @property
    def _limits(self) -> ConversationLimits:
        """The configured limits, with the rounds that the order asks for."""
        limits = self._setup.store.settings.conversation_limits
        return replace(limits, rounds=self._order.rounds or limits.rounds)

    def _new_run(self, prompt_version: str) -> runs.NewRun:
        """Returns the record of the run that begins with the first prompt."""
        conversation = self._talk
        return runs.NewRun(
            id=self._id,
            domain=self._setup.domain.name,
            request=self._order.request,
            constraints=self._order.constraints,
            drafter=self.drafter,
            catalog=self._setup.registry.fingerprint,
            prompt_version=prompt_version,
            shown=() if conversation is None else conversation.shown,
            prompt=None if conversation is None else conversation.prompt,
        )

    def _respond(self, outcome: Outcome) -> Answer:
        """Returns the answer that ends the session with an outcome."""
        setup, request = self._setup, self._order.request
        return outcome_response(self._id, outcome, request, setup.registry, setup.store)
