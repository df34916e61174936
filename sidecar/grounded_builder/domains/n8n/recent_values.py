"""A memory of answers that forgets the oldest."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Answer = TypeVar("Answer")


class RecentValues(Generic[Key, Answer]):
    """Keeps the latest answers, at most ``limit``; what is forgotten is worked out again."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._answers: OrderedDict[Key, Answer] = OrderedDict()

    def __contains__(self, key: Key) -> bool:
        return key in self._answers

    def get(self, key: Key) -> Answer | None:
        """Returns the answer kept for a key, None when there is none."""
        return self._answers.get(key)

    def put(self, key: Key, answer: Answer) -> None:
        """Keeps an answer; safe to call from several threads, who at worst forget one too many."""
        self._answers[key] = answer
        while len(self._answers) > self._limit:
            try:
                self._answers.popitem(last=False)
            except KeyError:
                return
