"""Reads a question to the user from a drafter's reply, and defines the prompt rules for these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# The keys of replies that draft.
DRAFT_KEYS = frozenset({"steps", "nodes", "plan", "workflow", "changes"})
_MOST_CHOICES = 6
_LONGEST_QUESTION = 500
_LONGEST_CHOICE = 200

# The beginning of a message with the answer of a person.
PERSON_ANSWERS = "THE PERSON ANSWERS:"
RULE_ATTENDED = (
    "If the request can mean two things that lead to different workflows, ask the person once: "
    '{"ask": {"question": "...", "choices": ["...", "..."]}}. Never ask for ids, accounts or '
    "credentials."
)
RULE_UNATTENDED = (
    "If the request can mean two things, choose the likelier and state it in the plan: "
    '"assumptions": ["..."].'
)
NOBODY_ANSWERS = (
    "Nobody can be asked now. Choose the likelier meaning, state it in the plan as "
    '"assumptions": ["..."], and answer with ONE JSON object.'
)


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question to a person, with the answers to choose from; there may be none."""

    question: str
    choices: tuple[str, ...] = ()


def clarification_in(value: Any) -> Clarification | None:
    """Returns the question to a person in a reply; None where the reply has none, or drafts."""
    if not isinstance(value, Mapping) or "ask" not in value or DRAFT_KEYS & value.keys():
        return None
    given = value["ask"]
    asked, choices = given, None
    if isinstance(given, Mapping):
        asked, choices = given.get("question"), given.get("choices")
    if not isinstance(asked, str) or not asked.strip():
        return None
    listed = choices if isinstance(choices, list) else ()
    texts = (_one_line(text, _LONGEST_CHOICE) for text in listed if isinstance(text, str))
    unique = tuple(dict.fromkeys(text for text in texts if text))
    return Clarification(_one_line(asked, _LONGEST_QUESTION), unique[:_MOST_CHOICES])


def _one_line(text: str, longest: int) -> str:
    return " ".join(text[: 4 * longest].split())[:longest]
