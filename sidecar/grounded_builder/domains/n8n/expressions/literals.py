"""Finds the end of JavaScript literals: strings, templates and regular expressions."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

_STRING_BODIES = {
    "'": re.compile(r"[^'\\\n]*(?:\\.[^'\\\n]*)*", re.DOTALL),
    '"': re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*)*', re.DOTALL),
    "`": re.compile(r"[^`\\]*(?:\\.[^`\\]*)*", re.DOTALL),
}
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/", re.DOTALL)
_REGEX_MARK = re.compile(r"\\.|[/\[\]\n]", re.DOTALL)


class Literals:
    """The literals of a piece of code, queried from left to right.

    Each character is examined a bounded number of times: the result for a literal that is not
    closed also answers for all literals that begin inside it.
    """

    def __init__(self, code: str) -> None:
        self._code = code
        # End of the last unclosed string of each quote. Every such quote inside it is escaped, so
        # a string that begins there spans the same text and is unclosed as well.
        self._unclosed = dict.fromkeys(_STRING_BODIES, 0)
        self._slashes: array[int] | None = None
        self._ends = array("q")

    def string_end(self, start: int) -> int | None:
        """Returns the position after the string or template that opens at ``start``.

        None if it is not closed. ``${}`` in a template counts as text.
        """
        quote = self._code[start]
        if start < self._unclosed[quote]:
            return None
        body = _STRING_BODIES[quote].match(self._code, start + 1)
        end = body.end() if body else start + 1
        if self._code.startswith(quote, end):
            return end + 1
        self._unclosed[quote] = end
        return None

    def regex_end(self, start: int) -> int | None:
        """Returns the position after the slash that closes the regular expression at ``start``.

        None if it is not closed, and for the beginning of a comment. The caller decides whether a
        regular expression is possible there; flags are not included.
        """
        if self._slashes is None:
            match = _REGEX.match(self._code, start)
            if match:
                return match.end()
            self._slashes, self._ends = _regex_ends(self._code)
        if self._code.startswith(("/", "*"), start + 1):
            return None
        index = bisect_left(self._slashes, start)
        if index == len(self._slashes) or self._slashes[index] != start:
            return None
        return self._ends[index] or None


def _regex_ends(code: str) -> tuple[array[int], array[int]]:
    """Returns the positions of the unescaped slashes, and for each the end of a pattern or 0.

    Scanned from the right, each character depends only on what follows it: where a pattern ends if
    the character is outside a bracketed class, and where if it is inside.
    """
    marks = array("q", (m.start() for m in _REGEX_MARK.finditer(code) if m.end() - m.start() == 1))
    slashes, ends = array("q"), array("q")
    outside = inside = 0
    for place in reversed(marks):
        mark = code[place]
        if mark == "/":
            slashes.append(place)
            ends.append(outside)
            outside = place + 1
        elif mark == "[":
            outside = inside
        elif mark == "]":
            inside = outside
        else:
            outside = inside = 0
    slashes.reverse()
    ends.reverse()
    return slashes, ends
