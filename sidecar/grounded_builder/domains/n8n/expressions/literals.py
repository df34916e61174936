"""Where the literals of JavaScript end: strings, templates and regular expressions."""

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
    """The literals of one piece of code, asked for from left to right.

    Each character is looked at a bounded number of times, whatever the code is: what was learnt
    from a literal that nothing closes answers for all that begin inside of it.
    """

    def __init__(self, code: str) -> None:
        self._code = code
        # Up to where the last unclosed string of a quote goes. Every such quote inside of it is
        # escaped, so that a string that begins there reads the same text and is unclosed as well.
        self._unclosed = dict.fromkeys(_STRING_BODIES, 0)
        self._slashes: array[int] | None = None
        self._ends = array("q")

    def string_end(self, start: int) -> int | None:
        """Returns the place after the string or template that opens at ``start``.

        None where nothing closes it. ``${}`` in a template is taken for text.
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
        """Returns the place after the slash that closes the regular expression opened at ``start``.

        None where nothing closes it, and for the beginning of a comment. Whether a regular
        expression may stand there is for the caller to say; flags are not part of the answer.
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
    """Returns the places of the slashes without a backslash before them, in order.

    Beside each is the place after the slash that ends a regular expression opened there, or 0.
    Read from the right, a character needs only what holds after it: where an expression ends
    when the character is outside of a class in brackets, and where when it is inside of one.
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
