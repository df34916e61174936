"""Recognizes placeholders that a model (``$fromAI(...)``) or a person replaces later."""

from __future__ import annotations

import re
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier

_MARKER = "/*n8n-auto-generated-fromAI-override*/"
_CALL = re.compile(r"\$fromAI\s*\(", re.IGNORECASE)
_PLAIN = re.compile(r"[a-zA-Z0-9.,\s-]")
_PLACEHOLDER = re.compile(
    r"""<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|\.\.\.|\u2026|\*{3}|x{3}
    |your|placeholder|replace|insert|enter|change|choose|select|example|sample|dummy|todo|tbd
    |redacted|[-_ ]id\b|\bid[-_ ]|^id$""",
    re.IGNORECASE | re.VERBOSE,
)

_LONGEST_STAND_IN = 200
_BRACKETED = re.compile(
    r"<[^<>/=\"\n]{2,80}>|\[[A-Za-z_][\w .,'\u2019-]{1,80}\]"
    r"|\{{1,2} ?[A-Za-z_][\w .,'\u2019-]{1,80}\}{1,2}|%[A-Za-z_]{2,60}%|__[A-Za-z][\w ]{1,80}__"
)
_RUN = re.compile(r"[xX]{3,60}|\*{3,60}|\.{3,60}|_{3,60}|\?{2,60}|-{3,60}|\u2026")
# Signs to be replaced within an address or an id: "C0XXXXXX", "abc...xyz", "+49 xxx xxx".
_RUN_WITHIN = re.compile(r"x{4}|X{4}|(?<![A-Za-z.])(?:xxx|XXX)(?![A-Za-z])|\.{3}|\u2026|\*{3}")
_CAPITALS = re.compile(r"[A-Z]{2,30}[0-9]{0,2}(?:_[A-Z]{1,30}[0-9]{0,2}){1,8}")
_FIGURES = re.compile(r"[+#@-]?([A-Za-z]{0,6})[_-]?([0-9][0-9-]{2,40})")
_SHORTEST_COUNT = 5
_COUNT = "01234567890123456789012345678901234567890"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
# Example domains of RFC 2606, and names of domains that are only the word for one.
_RESERVED = re.compile(
    r"[\w.+-]{1,60}@(?:[A-Za-z0-9-]{1,60}\.){0,4}"
    r"(?:example|(?:my|the)?(?:domain|company))\.(?:com|net|org)",
    re.IGNORECASE,
)
# A variable of a shell, which n8n does not replace.
_SHELL_VARIABLE = re.compile(r"\$[A-Z][A-Z0-9_]{1,60}|\$\{[A-Za-z][A-Za-z0-9_]{1,60}\}")
_BRACES = re.compile(r"\{\{ ?([A-Za-z_][\w .,'\u2019-]{1,80})\}\}")
_NAMED_BY_WORDS = re.compile(r"[A-Za-z]{1,60}(?:[ _-][A-Za-z]{1,30}){0,5}")
_IDS = frozenset(("id", "ids"))
_ADDRESS_WORDS = frozenset("e mail email address recipient to".split())
_ADDRESS_PARTS = re.compile(r"[/?&=#.:@]")
# Words that mark what is left to do, verbs that tell a reader to do it, and what they ask for.
_MARKS = frozenset("changeme replaceme fixme redacted".split())
_LEFT_TO_DO = frozenset("todo tbd tba dummy placeholder xxx xxxx xxxxx".split())
_INSTRUCTIONS = frozenset(
    "replace insert enter change put add fill paste provide specify select choose".split()
)
_CHOOSING = frozenset("enter choose select specify insert paste provide".split())
_ARTICLES = frozenset("a an the your one".split())
_NOTHING = frozenset(("n/a", "null", "undefined", "nil", "dummy", "placeholder"))
_IN_PARENTHESES = re.compile(r"\([A-Za-z][\w .,'\u2019-]{1,80}\)")
_OWN_NOUNS = frozenset("id key token url email address here".split())
_PRONOUNS = frozenset(("yours", "yourself", "yourselves"))


def is_lone_placeholder(expression: str) -> bool:
    """Returns whether an expression is a single ``$fromAI`` call with literal arguments."""
    text = expression.removeprefix("=").strip()
    if text.startswith("{{") and text.endswith("}}"):
        text = text[2:-2].strip()
    text = text.removeprefix(_MARKER).strip()
    call = _CALL.match(text)
    if call is None:
        return False
    end = _find_call_end(text, call.end())
    return end is not None and not text[end:].strip()


def is_placeholder(value: Any) -> bool:
    """Returns whether a value is empty or consists of words and marks of placeholders."""
    return not isinstance(value, str) or not value.strip() or bool(_PLACEHOLDER.search(value))


def is_stand_in(text: str, *, is_own: bool = False) -> bool:
    """Returns whether a literal text is to be replaced, judged by its form alone.

    It is a mark in brackets, a word for work that is left, an instruction or a possessive written
    as an identifier, or one repeated character. ``is_own`` holds for values of a user's account,
    such as ids and addresses: they are also no words in capitals that name themselves, no figures
    that count, no variables of a shell, no words for an id or a mail address, and no mail addresses
    at the domains that RFC 2606 reserves or that only name one.
    """
    whole = text.strip()
    if is_own and _SHELL_VARIABLE.fullmatch(whole):
        return True
    if not whole or len(whole) > _LONGEST_STAND_IN or whole.startswith("=") or "$" in whole:
        return False
    if _RUN.fullmatch(whole) or _is_identifier_to_replace(whole, is_own=is_own):
        return True
    if _BRACKETED.fullmatch(whole) and (is_own or _addresses_reader(split_identifier(whole))):
        return True
    if not is_own:
        return False
    if _RUN_WITHIN.search(whole):
        return True
    if "://" in whole:
        return any(_stands_in_address(part) for part in _ADDRESS_PARTS.split(whole))
    if _names_itself(whole) or _is_word_for_own_value(whole) or _tells_to_choose(whole):
        return True
    if whole.casefold() in _NOTHING or _IN_PARENTHESES.fullmatch(whole):
        return True
    return bool(_RESERVED.fullmatch(whole)) or _counts(whole)


def is_braced_stand_in(text: str) -> bool:
    """Returns whether a text is a placeholder in double braces and no expression: ``{{CHAT_ID}}``.

    A name in small letters can be meant as a field of the data.
    """
    match = _BRACES.fullmatch(text.strip())
    if match is None:
        return False
    inner = match[1].strip()
    return inner.upper() == inner or " " in inner or _addresses_reader(split_identifier(inner))


def _is_identifier_to_replace(text: str, *, is_own: bool) -> bool:
    """Returns whether a text without spaces addresses the reader or gives an instruction."""
    is_capital = text.upper() == text
    if any(character.isspace() for character in text) or not (is_own or is_capital):
        return False
    parts = split_identifier(text)
    if not parts:
        return False
    tells = parts[0] in _INSTRUCTIONS and len(parts) > 1
    return (
        _addresses_reader(parts)
        or (is_capital and (tells or any(part in _LEFT_TO_DO for part in parts)))
        or (tells and parts[-1] in _OWN_NOUNS)
        or (parts[-1] == "here" and len(parts) > 1)
    )


def _addresses_reader(parts: tuple[str, ...]) -> bool:
    return any(_is_possessive(part) or part in _MARKS for part in parts)


def _stands_in_address(part: str) -> bool:
    """Returns whether a part of an address is to be replaced; ``{name}`` may be a template."""
    return (
        _addresses_reader(split_identifier(part))
        or (part[:1] != "{" and _BRACKETED.fullmatch(part) is not None)
        or _names_itself(part)
    )


def _names_itself(text: str) -> bool:
    """Returns whether a text is words in capitals that name what it stands for: ``SHEET_ID``."""
    is_capital = _CAPITALS.fullmatch(text) is not None
    return is_capital and not _OWN_NOUNS.isdisjoint(split_identifier(text))


def _is_word_for_own_value(text: str) -> bool:
    """Returns whether a text is only a word for an id or a mail address: ``chat id``, ``email``."""
    parts = split_identifier(text) if _NAMED_BY_WORDS.fullmatch(text) else ()
    if not parts:
        return False
    names_id = len(parts) > 1 and (parts[-1] in _IDS or parts[0] in _IDS)
    return names_id or (parts[-1] != "to" and _ADDRESS_WORDS.issuperset(parts))


def _tells_to_choose(text: str) -> bool:
    """Returns whether a text instructs the reader what to write: ``enter your table here``."""
    parts = split_identifier(text) if " " in text else ()
    return len(parts) > 2 and parts[0] in _CHOOSING and parts[1] in _ARTICLES


def _is_possessive(word: str) -> bool:
    """Returns whether a word is "your", alone or joined with what it is of: ``yourdomain``."""
    return word.startswith("your") and word not in _PRONOUNS


def _counts(text: str) -> bool:
    """Returns whether the figures of a text count up, repeat one, or continue ``abc``."""
    match = _FIGURES.fullmatch(text)
    if match is None:
        return False
    letters, figures = match.groups()
    plain = figures.replace("-", "")
    if len(plain) < _SHORTEST_COUNT:
        return letters.casefold() in _ALPHABET and len(letters) >= 3 and plain in _COUNT
    return plain in _COUNT or len(set(plain)) == 1


def _find_call_end(text: str, start: int) -> int | None:
    """Returns the position after a call with only literal arguments, None for any other."""
    quote = before = ""
    position = start
    while position < len(text):
        char = text[position]
        position += 1
        if quote:
            if char == "\\" and position < len(text):
                position += 1
            elif quote == "`" and char == "$" and text[position : position + 1] == "{":
                return None
            elif char == quote:
                quote = ""
            continue
        if char in "\"'`":
            if char == "`" and re.match(r"\w", before, re.ASCII):
                return None
            quote = char
        elif char == ")":
            return position
        elif not _PLAIN.match(char):
            return None
        if not char.isspace():
            before = char
    return None
