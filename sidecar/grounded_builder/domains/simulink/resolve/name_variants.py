"""Generates the forms of a name under which a block may be known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.domains.simulink.matlab_expr.functions import PURE
from grounded_builder.domains.simulink.resolve.name_index import fold, single

# MATLAB functions whose names differ from others by the number alone.
_FUNCTIONS = PURE | {"exp2", "exp10"}
COPY = re.compile(r"(?<=(?:[^\W\d]|\)))\s*_?\d+$")
_LETTER = re.compile(r"(?<=[a-z])\s?[A-Z]$")
# Words that say "a block" without naming one.
_LEADING = re.compile(r"^(?:simulink|an?|the)\s+", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:(?<![\s_-])[\s_-]+)?\b(simulink\s+)?(block|element|component)s?$", re.IGNORECASE
)
_GLUED = re.compile(r"(?<=[a-z0-9])Block$")


def forms(name: str) -> Iterator[str]:
    """Yields a name as written, without "block", without the number of a copy, in the singular."""
    yield name
    bare = _TRAILING.sub("", _LEADING.sub("", _GLUED.sub("", name))).strip()
    if bare and bare != name:
        yield bare
    base = bare or name
    plain = base if fold(base) in _FUNCTIONS else COPY.sub("", base)
    for end in range(len(base) - 1, len(plain), -1):
        # "Log102" may be a copy of "Log10".
        yield base[:end]
    for shortened in (plain, _LETTER.sub("", base)):
        if shortened != base and len(fold(shortened)) > 1:
            yield shortened
    if plain != base:
        # The ports of the library are numbered: "In2" is a port like "In1".
        yield f"{plain}1"
    yield single(base)
