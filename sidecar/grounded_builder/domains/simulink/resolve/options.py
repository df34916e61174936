"""Finds the option of a parameter that a drafted value means, or that equals it loosely."""

from __future__ import annotations

from grounded_builder.catalog.likeness import is_near, without_spaces
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.domains.simulink.resolve.synonyms import OPERATORS, SWITCH_VALUES

_SHORTEST_NEAR = 5
_LONG = 9


def option_for(value: str, options: tuple[str, ...]) -> str | None:
    """Returns the option that a drafted value means; None when none is certain."""
    same = same_option(value, options)
    if same is not None or not value.strip():
        return same
    wanted = fold(value)
    if len([option for option in options if wanted and fold(option) == wanted]) > 1:
        return None
    spelt = value.strip().casefold()
    if set(options) == {"on", "off"}:
        return SWITCH_VALUES.get(spelt)
    if OPERATORS.get(spelt) in options:
        return OPERATORS[spelt]
    words = {stem(word) for word in split_identifier(value)}
    holding = [
        option
        for option in options
        if words and words <= {stem(part) for part in split_identifier(option)}
    ]
    if len(holding) == 1:
        return holding[0]
    if len(wanted) < _SHORTEST_NEAR:
        return None
    most = 2 if len(wanted) >= _LONG else 1
    close = [option for option in options if _is_slip(wanted, fold(option), most)]
    return close[0] if len(close) == 1 else None


def same_option(value: str, options: tuple[str, ...]) -> str | None:
    """Returns the option that equals a value apart from case and spaces, else punctuation."""
    if value in options:
        return value
    for spelt in (without_spaces, fold):
        wanted = spelt(value)
        same = [option for option in options if wanted and spelt(option) == wanted]
        if len(same) == 1:
            return same[0]
    return None


def _is_slip(wanted: str, option: str, most: int) -> bool:
    """Returns whether a text is a misspelled option; a prefix of one is not."""
    return option[:1] == wanted[:1] and is_near(wanted, option, most)
