"""Detects that a request is written in a language other than English."""

from __future__ import annotations

import re
import unicodedata

from grounded_builder.drafting.planner.function_words import GRAMMAR, NEGATIONS

_ENGLISH_WORDS = (
    "the a an and to of in on for with when if then from by every each new send is are it my me "
    "that this all at as after into using via save get create"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# Function words: they stand in nearly every sentence of their language.
_OTHERS = {
    "German": "der die das und ist nicht ein eine einen mit wenn dann auf für jeden jede jedes ich "
    "mir bitte von zu den dem nach bei neue neuen sende schicke eingeht wird",
    "Spanish": "el los las una cuando cada para con por que del nuevo nueva mi un envía enviar "
    "correo si entonces quiero y al se",
    "French": "le les une des et quand chaque pour avec dans sur que du nouveau nouvelle mon est "
    "envoyer envoie un au",
    "Portuguese": "o os uma quando cada para com por que do da novo nova meu um enviar e no na",
    "Italian": "il gli una quando ogni per con che del della nuovo nuova mio un invia e nel",
    "Dutch": "het een en wanneer elke voor met naar als nieuwe mijn stuur van is bij de",
}
_WORDS = {
    language: frozenset(words.split()) - GRAMMAR - NEGATIONS for language, words in _OTHERS.items()
}
_SCRIPTS = {
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "CJK": "Chinese", "HANGUL": "Korean",
    "CYRILLIC": "Russian", "ARABIC": "Arabic", "GREEK": "Greek", "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi", "THAI": "Thai",
}  # fmt: skip
# A single letter beside a digit, an operator or a bracket is a variable: "0.9 y[n-1] + x".
_WORD = re.compile(
    r"[^\W\d_]{2,}|(?<![\w.=+*/^()\[\]-])(?<![\d=+*/^()\[\]-] )[^\W\d_](?! ?[\d=+*/^()\[\]-])(?!\w)"
)
_LOOKED_AT = 2_000
_LEAST_SHARE = 0.2


def foreign_language(text: str) -> str | None:
    """The language of a text that is plainly not English; None for English and for the unclear."""
    text = text[:_LOOKED_AT]
    letters = [char for char in text if char.isalpha()]
    scripts = [_SCRIPTS[begin] for char in letters if (begin := _script(char)) in _SCRIPTS]
    if letters and len(scripts) > _LEAST_SHARE * len(letters):
        return "Japanese" if "Japanese" in scripts else max(set(scripts), key=scripts.count)
    words = {word.casefold() for word in _WORD.findall(text)}
    english = len(words & _ENGLISH)
    counts = {language: len(words & known) for language, known in _WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= 2 and counts[best] > english else None


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0] if ord(char) > 0x24F else ""
