"""Caches values by key up to a fixed number, and drops the oldest."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Answer = TypeVar("Answer")


class BoundedCache(Generic[Key, Answer]):
    """Stores the latest answers, at most ``limit``; dropped answers are computed again."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._answers: OrderedDict[Key, Answer] = OrderedDict()

    def __contains__(self, key: Key) -> bool:
        return key in self._answers

    def get(self, key: Key) -> Answer | None:
        """Returns the stored answer for a key, None when there is none."""
        return self._answers.get(key)

    def put(self, key: Key, answer: Answer) -> None:
        """Stores an answer; safe with several threads, which may at worst drop one too many."""
        self._answers[key] = answer
        while len(self._answers) > self._limit:
            try:
                self._answers.popitem(last=False)
            except KeyError:
                return
