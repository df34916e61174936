"""What verbs ask to be done to a signal, and when they only tell what is done already."""

from __future__ import annotations

import re
from dataclasses import replace

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import BACK, verb_of
from grounded_builder.domains.simulink.keyword_plan.text import Text, Word

_STARTING = re.compile(
    r"(^|[,;.:]|\b(and|then|to|or|first|next|finally|please|i|we|you|must|should|will|can))\s*$",
    re.IGNORECASE,
)
_NOUN = re.compile(r"\b(an?|the|that|which|transport|unit|time)[\s-]+$", re.IGNORECASE)
_COMPARED = re.compile(r"[^,;]{0,60}\b(with|to|against)\b|[^,;]{0,60}[<>]")
_OF_RATE = re.compile(r"\s*the\s+(slew\s+)?(rate|slope)\b", re.IGNORECASE)
_OWNED = re.compile(
    r"\b(with|has|have|having|its|whose|output|upper|lower|rising|falling|control|current|voltage|torque|actuator|force|windup)\s+$",
    re.IGNORECASE,
)
_SAMPLING = re.compile(
    r"\s*([,;.)]|$|(at|with|by|every|each|using|via|and|in|once|through|into)\b)"
)
_PASSIVE = re.compile(r"\b(is|are|be|gets?|then|being)\s+$", re.IGNORECASE)


def deed_at(word: Word, text: Text, lexicon: Lexicon) -> Mention | None:
    """The block whose deed a word asks for; None where it is no verb, or tells what is so."""
    done = verb_of(word.text)
    if done is None or _NOUN.search(text.before(word.start)) or _is_limit(word, text):
        return None
    name, ending = done
    if ending in ("", "e", "y") and not _STARTING.search(text.before(word.start)):
        # Bare it is a verb where a clause begins, else a noun: "a rising limit".
        return None
    follows = text.request[word.end : text.sentence(word.start)[1]]
    if name == "Relational Operator" and not _COMPARED.match(follows):
        return None
    if name == "Data Type Conversion" and not re.match(r"[^,;]*\bto\b", follows):
        return None
    if name == "Zero-Order Hold" and ending == "ed" and not _SAMPLING.match(follows):
        # As in "a sampled data system".
        return None
    if name == "Square" and re.match(r"\s+(wave|signal|root|pulse|of|matrix|law)", follows):
        return None
    if name == "Saturation" and _OF_RATE.match(follows):
        name = "Rate Limiter"
    if re.match(r"[\s-]*(block|time|rate|delay|filter)\b", follows):
        return None
    bounded = re.match(r"\s*(between|to|from|at|by)\b", follows) is not None
    if (
        not bounded
        and ending in ("ed", "d")
        and not _PASSIVE.search(text.before(word.start))
        and name in ("Saturation", "Bias", "Gain", "Transport Delay")
    ):
        # As in "a limited signal": what is so already.
        return None
    ids = lexicon.meant(name, stressed=True)
    if not ids:
        return None
    one = Mention(ids[0], lexicon.spec(ids[0]), word.start, word.end)
    passive = ending in ("ed", "ied", "d")
    back = (
        BACK.match(follows) is not None or re.match(r"\s*([,.;]|$|at\b|by\b)", follows) is not None
    )
    return replace(one, deed=not passive and not back, verb=True)


def _is_limit(word: Word, text: Text) -> bool:
    """Whether a word speaks of a bound that something has, as in "output limits"."""
    owned = _OWNED.search(text.before(word.start)) is not None
    return owned and word.text.casefold() in ("limits", "limit", "clamping")
