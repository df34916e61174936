"""Finds the base library blocks, and plant formulas, that a request names; looks blocks up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import is_bare_verb
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.lower.polynomials import coefficients
from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, parse
from grounded_builder.domains.simulink.matlab_expr.ast import names_in
from grounded_builder.domains.simulink.resolve.name_index import BASE, fold, names_of
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import Reading, Word

_LONGEST_NAME = 6
_HIDDEN = ("simulink/Quick Insert/", "simulink/Lookup Tables/", "simulink/Ports & Subsystems/")
_TRANSFER = "simulink/Continuous/Transfer Fcn"
_STEP = "simulink/Sources/Step"
_PID = "simulink/Continuous/PID Controller"
_CONTROLLER = re.compile(r"(?<![\w-])(P|PI|PD|PID)(?:[ -]controller)(?![\w-])")
_FORMULA = re.compile(r"(?:(?<![A-Za-z_])s(?![A-Za-z_])|[0-9.+\-*/^() ]){3,200}")
_IMPLIED_TIMES = re.compile(r"(?<=[\ds)])\s*(?=[s(])")
# What adds nothing to the name of a block: step signal.
_ITSELF = frozenset({"signal", "block", "input", "source"})
_ARTICLES = {"a": "a", "an": "a", "another": "a", "the": "the", "this": "the", "that": "the"}
_RESULT = frozenset({"result", "output", "signal", "it", "them"})
_SHORTEST_VERB = 7
_ON = frozenset({"on", "in", "with", "to"})
_OBJECT = frozenset({"the", "a", "an", "it", "them", "both", "its", "this", "that"})


@dataclass(slots=True)
class Block:
    """A block that a request names, from character ``start`` to ``end``.

    ``params`` are those that the request gives it, ``article`` is "the", "a" or empty.
    """

    tool: str
    spec: BlockSpec
    start: int
    end: int
    params: dict[str, str] = field(default_factory=dict)
    article: str = ""
    is_verb: bool = False

    @property
    def is_end(self) -> bool:
        """Returns whether a block begins or ends a signal."""
        return self.tool.startswith(("simulink/Sources/", "simulink/Sinks/"))

    @property
    def name(self) -> str:
        """Returns the block's own name."""
        return self.tool.rsplit("/", 1)[1]


class Library:
    """The blocks of the base library by their names."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._names = names_of(registry)
        self._tools_by_verb: dict[str, str] = {}

    def spec(self, tool: str) -> BlockSpec:
        """Returns the block in its compact form."""
        spec: BlockSpec = self.registry.spec(tool, self.registry.tools[tool].newest)
        return spec

    def find_by_phrase(self, phrase: str) -> str | None:
        """Returns the only block that a phrase names; None where it names none or several."""
        key = fold(phrase)
        named = {tool for tool in self._names.titles.get(key, ()) if self._is_plain(tool, key)}
        if not named:
            others = self._names.others.get(key, ())
            named = {tool for tool in others if self._is_plain(tool, key)}
            if len(phrase.split()) == 1 and not phrase.isupper():
                # A short form must be a word of the name, because other words are ambiguous.
                named = {tool for tool in named if self._is_short_form(key, tool)}
        return named.pop() if len(named) == 1 else None

    def _is_short_form(self, key: str, tool: str) -> bool:
        """Returns whether a word is a part of a block's name that leaves out no other block.

        "sine" stands for Sine Wave; "slider" is not the Gain of Slider Gain.
        """
        name = tool.rsplit("/", 1)[1]
        last = fold(name.rsplit(" ", 1)[-1])
        drops_block = last != key and any(
            self._is_plain(other, last) for other in self._names.titles.get(last, ())
        )
        return key in fold(name) and not drops_block

    def done_by(self, verb: str) -> str | None:
        """Returns the one block whose title a verb is the stem of: integrate, saturate, display."""
        if not self._tools_by_verb:
            known = {title: self.find_by_phrase(title) for title in self._names.titles}
            self._tools_by_verb = {
                t: tool for t, tool in known.items() if tool and " " not in tool.rsplit("/", 1)[1]
            }
        root = verb[: max(_SHORTEST_VERB, len(verb)) - 1]
        is_long = len(verb) >= _SHORTEST_VERB
        tools = {
            t for title, t in self._tools_by_verb.items() if is_long and title.startswith(root)
        }
        return tools.pop() if len(tools) == 1 else None

    def _is_plain(self, tool: str, key: str) -> bool:
        row = self.registry.tools[tool]
        hidden = tool.startswith(_HIDDEN) and not ("lookup" in key and "Lookup" in tool)
        return row.package == BASE and not row.hidden and not hidden

    def is_source(self, tool: str) -> bool:
        """Returns whether a block begins a signal."""
        return "source" in self.registry.tools[tool].capabilities

    def is_sink(self, tool: str) -> bool:
        """Returns whether a block ends a signal."""
        return "sink" in self.registry.tools[tool].capabilities

    def inputs(self, tool: str) -> int:
        """Returns the number of inputs of a block with default parameters."""
        if self.is_source(tool):
            return 0
        spec = self.spec(tool)
        signs = spec.parameters.get("Inputs")
        default = (spec.preset.get("Inputs") or (signs.default if signs else "") or "").strip()
        if default.isdigit():
            return int(default)
        if default and not default.strip("|+-*/"):
            return len(default.replace("|", ""))
        ports = spec.ports or spec.usual or {}
        return int(ports.get("in", 1))


def blocks_in(reading: Reading, library: Library) -> list[Block]:
    """Returns the blocks that a request names, in its order; their names count as read."""
    blocks = list(_written_out(reading, library))
    words = [
        word for word in reading.words(0, len(reading.text)) if not _inside(word.start, blocks)
    ]
    at = 0
    while at < len(words):
        hit = _longest(words, at, reading, library) or _block_of_verb(words, at, reading, library)
        if hit is None:
            at += 1
            continue
        block, size = hit
        blocks.append(block)
        at += size
    blocks.sort(key=lambda block: block.start)
    whole: list[Block] = []
    for block in blocks:
        reading.take(block.start, block.end)
        if whole and _is_formula_of(block, whole[-1], reading):
            whole[-1].end, whole[-1].params = block.end, block.params
        else:
            whole.append(block)
    return whole


def _is_formula_of(block: Block, named: Block, reading: Reading) -> bool:
    """Returns whether a formula follows the name of its block: transfer function 1/(s+1)."""
    between = reading.masked[named.end : block.start].strip(" :=(")
    is_formula = "Denominator" in block.params and block.tool == named.tool
    return is_formula and not named.params and between in ("", "of")


def _written_out(reading: Reading, library: Library) -> Iterator[Block]:
    """Yields controllers by their letters, and transfer functions by their formula."""
    for match in _CONTROLLER.finditer(reading.masked):
        params = {} if match[1] == "PID" else {"Controller": match[1]}
        yield Block(_PID, library.spec(_PID), *match.span(), params)
    for match in _FORMULA.finditer(reading.masked):
        text = match[0].strip(" +-*/.")
        start = match.start() + match[0].index(text) if text else 0
        opened = text.count("(") - text.count(")")
        if "s" not in text or "/" not in text or opened:
            continue
        parts = _rational(text)
        if parts is not None:
            params = {"Numerator": parts[0], "Denominator": parts[1]}
            yield Block(_TRANSFER, library.spec(_TRANSFER), start, start + len(text), params)


def _rational(text: str) -> tuple[str, str] | None:
    """Returns the coefficients of a proper fraction in ``s``; None without brackets below."""
    try:
        term = parse(_IMPLIED_TIMES.sub("*", text))
    except (RejectedValueError, RecursionError):
        return None
    if (term.kind, term.text) != ("binary", "/") or "s" not in names_in(term.parts[1]):
        return None
    above, below = (coefficients(part, "s") for part in term.parts)
    if not above or not below or len(above.split()) > len(below.split()):
        return None
    return above, below


def _inside(at: int, blocks: list[Block]) -> bool:
    return any(block.start <= at < block.end for block in blocks)


def _longest(
    words: list[Word], at: int, reading: Reading, library: Library
) -> tuple[Block, int] | None:
    for size in range(min(_LONGEST_NAME, len(words) - at), 0, -1):
        here = words[at : at + size]
        if any(reading.masked[a.end : b.start].strip(" -/") for a, b in pairwise(here)):
            continue
        first, last = here[0], here[-1]
        if not (first.text[0].isalnum() and last.text[0].isalnum()) or last.folded_text in GRAMMAR:
            continue
        has_article = at > 0 and words[at - 1].folded_text in _ARTICLES
        if first.folded_text in GRAMMAR and (
            size == 1 or not (first.text[0].isupper() or has_article)
        ):
            continue
        if not any(len(word.text) > 1 and word.text[0].isalpha() for word in here):
            continue  # "1 s" is a duration
        phrase = " ".join(word.text for word in here)
        tool = library.find_by_phrase(phrase)
        if tool is None or (size == 1 and _is_verb(words, at, reading)):
            continue
        end = last.end
        for word in words[at + size : at + size + 1]:
            if word.folded_text in _ITSELF and not reading.masked[end : word.start].strip():
                end = word.end
        before = words[at - 1].folded_text if at else ""
        is_unit = before == "unit" and tool == _STEP
        block = Block(tool, library.spec(tool), words[at - is_unit].start, end)
        before = words[at - 2].folded_text if is_unit and at > 1 else before
        block.article = _ARTICLES.get(before, "")
        return block, size
    return None


def _block_of_verb(
    words: list[Word], at: int, reading: Reading, library: Library
) -> tuple[Block, int] | None:
    """Returns the block of a verb that has an object behind it: saturate it, integrate a ramp."""
    behind = words[at + 1] if at + 1 < len(words) else None
    before = words[at - 1].folded_text if at else ""
    opens = before in ("", "and", "then") or reading.masked[: words[at].start].rstrip()[-1:] in (
        *",.;:>",
    )
    if behind is None or not opens or behind.folded_text not in _OBJECT | {"signal"}:
        return None
    tool = library.done_by(words[at].folded_text)
    if tool is None or reading.masked[words[at].end : behind.start].strip():
        return None
    end, size = words[at].end, 1
    for word in words[at + 1 : at + 3]:
        if word.folded_text in _RESULT:
            end, size = word.end, words.index(word) - at + 1
            break
        if word.folded_text not in _ARTICLES:
            break
    next_ = words[at + size : at + size + 1]
    if library.is_sink(tool) and next_ and next_[0].folded_text in _ON:
        return None  # what it is displayed on is the block
    return Block(tool, library.spec(tool), words[at].start, end, is_verb=True), size


def _is_verb(words: list[Word], at: int, reading: Reading) -> bool:
    """Returns whether a name is a verb, with its object behind it: display the sum, add noise."""
    behind = words[at + 1] if at + 1 < len(words) else None
    if behind is None or reading.masked[words[at].end : behind.start].strip():
        return False
    opens = reading.masked[: words[at].start].rstrip()[-1:] in ("", *".!?;,:")
    is_name = words[at].text[:1].isupper() and not opens
    folded = behind.folded_text
    is_object = folded in _OBJECT or (
        is_bare_verb(words[at].folded_text)
        and folded.isalpha()
        and folded not in GRAMMAR
        and folded not in _ITSELF
    )
    return is_object and not is_name
