"""What engineers call blocks that the library calls otherwise, with what it sets of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.text import Text

_PID = "simulink/Continuous/PID Controller"
_DISCRETE_PID = "simulink/Discrete/Discrete PID Controller"
_PLAIN = "simulink/Ports & Subsystems/Subsystem"
_OSCILLATOR = "pattern/Mass-Spring-Damper"
_PARTS = tuple(re.compile(rf"\b{one}\b", re.IGNORECASE) for one in ("mass", "spring", "damper"))
_WHOLE = re.compile(r"\b(?:mass|spring)[- ](?:mass|spring)\b|\bmasses\b", re.IGNORECASE)
_KINDS = {"proportional": "P", "integral": "I", "derivative": "D", "differential": "D"}


@dataclass(frozen=True, slots=True)
class _Call:
    """Words that stand for a block with some parameters; ``note`` says what was supposed."""

    words: re.Pattern[str]
    tool: str
    params: tuple[tuple[str, str], ...] = ()
    note: str = ""


def _call(words: str, tool: str, note: str = "", **params: str) -> _Call:
    found = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    return _Call(found, tool, tuple(params.items()), note)


_WAVE = r"(?:[ -](?:wave|waveform|signal|function|input|source|oscillation|carrier))?"
_CALLS = (
    _call(
        r"noise(?! (?:power|variance|level|density|source|floor|filter|free))",
        "simulink/Sources/Band-Limited White Noise",
        "what noise it is, is not told: it was taken to be white",
    ),
    _call(r"(?:(?:load|input|output|step)[ -])?disturbance(?=\s+of\s+[-\d.])",
          "simulink/Sources/Step"),
    _call(rf"cosine{_WAVE}(?!\s+of\s+(?![-\d]))", "simulink/Sources/Sine Wave", Phase="pi/2"),
    _call(rf"(?:sinus|sinusoidal){_WAVE}", "simulink/Sources/Sine Wave"),
    _call(r"random(?: signal| input| source| noise)", "simulink/Sources/Random Number"),
    _call(r"(?:normal(?:ly distributed)?) noise", "simulink/Sources/Random Number"),
    _call(r"(?:two|2)[- ]position (?:controller|relay|regulator)|(?:on[-/]off|bang[- ]bang) "
          r"(?:controller|regulator)|hysteresis (?:controller|relay|switch|element)",
          "simulink/Discontinuities/Relay"),
    _call(r"(?<=\ba )bus(?=\s+(?:with|of|from|holding|containing|made|carrying)|\s*(?:[,.;]|$))",
          "simulink/Signal Routing/Bus Creator"),
    _call("matrix gain|gain matrix", "simulink/Math Operations/Gain", Multiplication="Matrix(K*u)"),
    _call(r"state[- ]space(?: (?:plant|model|system|block|form))?",
          "simulink/Continuous/State-Space"),
)  # fmt: skip
# A subsystem whose inside is told.
_SUBSYSTEM = re.compile(
    r"(?<!enabled )(?<!triggered )(?<!action )\bsubsystem"
    r"(?:\s+(?:called|named)\s+\"?(?P<name>\w+)\"?)?"
    r"(?=[^.;]{0,40}\b(?:contain\w*|holds|holding|inside|within|in it)\b)",
    re.IGNORECASE,
)
# A controller by its letters where the word stands before them, or by its parts in words.
_AFTER: re.Pattern[str] = re.compile(
    r"\b(?:controller|regulator|compensator)\b(?:\s+(?:is|be|as|of|type|kind|the|a|an|chosen|here|"
    r"being|in|form))*[\s:=(]+(?P<kind>PID|PI|PD|P|I)(?![\w'=/-]|\s*=)"
)
_IN_WORDS = re.compile(
    r"\bproportional(?:[- /]*(?:plus[- ])?integral)?"
    r"(?:[- /]*(?:plus[- ])?(?:derivative|differential))?[- ]"
    r"(?:controller|control|regulator|feedback controller|action)\b",
    re.IGNORECASE,
)
# dx/dt = A x + B u in one of its spellings.
_STATES = re.compile(
    r"(?:\b[xX]'|\bdx/dt|\bxdot|\bx_dot|\u1e8b)\s*=\s*A\s?\*?\s?[xX]\s*\+\s*B\s?\*?\s?u\b"
    r"(?:[,;]?\s*(?:and\s+)?y\s*=\s*C\s?\*?\s?[xX](?:\s*\+\s*D\s?\*?\s?u\b)?)?"
)
# Letters alone, where the request is about control.
_ALONE = re.compile(
    r"(?<![\w./=-])(?P<kind>PID|PI|PD)(?=\s+(?:with|and|in|on|for|of|to)\b|\s*[,;(]|\s*$)"
)
_CONTROL = re.compile(r"\b(?:control\w*|loop|feedback|regulat\w+|plant|servo\w*)\b", re.IGNORECASE)
_DISCRETE = re.compile(r"\b(?:discrete|digital|discrete-time)[- ]$", re.IGNORECASE)


def called(text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """The blocks that a text calls by words of the trade."""
    for call in _CALLS:
        for found in call.words.finditer(text.request):
            mention = Mention(call.tool, lexicon.spec(call.tool), *found.span(), note=call.note)
            mention.params.update(call.params)
            yield mention
    for found in _SUBSYSTEM.finditer(text.request):
        name = found["name"] or ""
        yield Mention(_PLAIN, lexicon.spec(_PLAIN), *found.span(), called=name)
    yield from _oscillators(text, lexicon)
    for found in _STATES.finditer(text.request):
        tool = "simulink/Continuous/State-Space"
        yield Mention(tool, lexicon.spec(tool), *found.span())
    for found in _AFTER.finditer(text.request):
        yield _controller(found["kind"], found, text, lexicon)
    for found in _ALONE.finditer(text.request) if _CONTROL.search(text.request) else ():
        yield _controller(found["kind"], found, text, lexicon)
    for found in _IN_WORDS.finditer(text.request):
        kind = "".join(letter for word, letter in _KINDS.items() if word in found[0].casefold())
        yield _controller(kind, found, text, lexicon)


def _oscillators(text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """A mass with a spring and a damper that are named one by one."""
    found = [part.search(text.request) for part in _PARTS]
    first = found[0]
    if lexicon.physical or first is None or None in found or _WHOLE.search(text.request):
        return
    yield Mention(_OSCILLATOR, lexicon.spec(_OSCILLATOR), *first.span())


def _controller(kind: str, found: re.Match[str], text: Text, lexicon: Lexicon) -> Mention:
    tool = _DISCRETE_PID if _DISCRETE.search(text.before(found.start())) else _PID
    one = Mention(tool, lexicon.spec(tool), *found.span())
    if kind != "PID":
        one.params["Controller"] = kind
    return one
