"""What sentences about models say beside the names of blocks: facts of English, not of requests."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Deeds by the block that does them, by the stem of the verb; the block by a name that it bears.
VERBS: Mapping[str, str] = {
    "multipl": "Product",
    "add": "Add",
    "sum": "Sum",
    "subtract": "Subtract",
    "divid": "Divide",
    "integrat": "Integrator",
    "differentiat": "Derivative",
    "squar": "Square",
    "saturat": "Saturation",
    "limit": "Saturation",
    "clip": "Saturation",
    "clamp": "Saturation",
    "quantiz": "Quantizer",
    "quantis": "Quantizer",
    "delay": "Transport Delay",
    "sampl": "Zero-Order Hold",
    "amplif": "Gain",
    "scal": "Gain",
    "compar": "Relational Operator",
    "negat": "Unary Minus",
    "offset": "Bias",
    "invert": "NOT",
    "count": "Edge Counter",
    "convert": "Data Type Conversion",
}
# Nouns of what a block shows, where they stand before "of".
NOUNS: Mapping[str, str] = {"spectrum": "Spectrum Analyzer"}
_VERB = re.compile(
    rf"^({'|'.join(VERBS)})l?(e|es|s|y|ys|ies|ied|ed|d|ying|ing|ting|ping|)$",
    re.IGNORECASE,
)
# Verbs that ask to look at a signal, by the sink that is meant where none is named.
SHOWN: Mapping[str, str] = {
    "plot": "Scope",
    "show": "Scope",
    "view": "Scope",
    "observ": "Scope",
    "visualiz": "Scope",
    "measur": "Scope",
    "look at": "Scope",
    "inspect": "Scope",
    "display": "Display",
}
SHOWN_VERB = re.compile(rf"\b({'|'.join(SHOWN)})(e|es|s|n|ed|ted|ting|ing|)\b", re.IGNORECASE)
# What stands between two signals and joins them, with the sign or operator of the second.
INFIX: Mapping[str, tuple[str, str]] = {
    "plus": ("Sum", "+"),
    "minus": ("Sum", "-"),
    "times": ("Product", "*"),
    "multiplied by": ("Product", "*"),
    "divided by": ("Divide", "/"),
    "added to": ("Sum", "+"),
    "corrupted by": ("Sum", "+"),
    "disturbed by": ("Sum", "+"),
    "superimposed with": ("Sum", "+"),
    "superposed with": ("Sum", "+"),
}
JOINING = re.compile(rf"\b({'|'.join(INFIX)})\b", re.IGNORECASE)
# How one signal stands to another or to a number; longer ones first.
RELATIONS: Mapping[str, str] = {
    "greater than or equal to": ">=",
    "less than or equal to": "<=",
    "not equal to": "~=",
    "greater than": ">",
    "larger than": ">",
    "higher than": ">",
    "more than": ">",
    "less than": "<",
    "smaller than": "<",
    "lower than": "<",
    "at least": ">=",
    "at most": "<=",
    "equal to": "==",
    "equals": "==",
    "exceeds": ">",
    "reaches": ">=",
    "hits": ">=",
    "exceeding": ">",
    "above": ">",
    "over": ">",
    "below": "<",
    "under": "<",
    ">=": ">=",
    "<=": "<=",
    "==": "==",
    "~=": "~=",
    ">": ">",
    "<": "<",
}
RELATED = re.compile(
    "|".join(
        rf"\b{relation}\b"
        if relation[0].isalpha()
        else rf"(?<![-=<>]){re.escape(relation)}(?![=>])"
        for relation in RELATIONS
    ),
    re.IGNORECASE,
)
COUNTS: Mapping[str, int] = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "both": 2,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
}
CONTROLLER = re.compile(
    r"\b(?P<discrete>(?:discrete|digital|discrete-time)[- ])?(?P<kind>PID|PI|PD|P|I)[- ]?"
    r"(?:[a-z]+[- ])?(?P<word>controllers?|controlled|controlling|controls?|regulators?|loop)\b"
)
# What refers back to a signal that was spoken of.
BACK = re.compile(
    r"^\s*(?:(?:the|its|this|that)\s+)?(?:it|them|result|output|signal|sum|product|difference|"
    r"response|results|signals|outputs|one)\b",
    re.IGNORECASE,
)
BOTH = re.compile(
    r"\b(both|(together|along) with the (original|input|reference|unfiltered|noisy|raw)|"
    r"(input|set ?-?point|reference|command) and( the)? (output|response|actual|measured)|"
    r"(output|response) and( the)? (input|set ?-?point|reference)|(original|noisy|raw) and|"
    r"and( the)? (original|reference|unfiltered|input|un\w+ed|noisy|raw)|un\w+ed and|"
    r"before and after)\b",
    re.IGNORECASE,
)
AGAIN = re.compile(r"\b(using|with|by|through|via|the|in|on|as)( an?| the)?\s*$", re.IGNORECASE)
# Words of a sentence that blocks bear as names, too.
PLAIN = frozenset(
    """
    if from in out model and or not find input output is on off signal at hold enable trigger
    reset compare send receive for while subsystem model probe real time width record assertion
    system filter one zero
    """.split()
)
# Words that only say how blocks are put together, or speak of what they carry.
HOW = frozenset(
    """
    build make create connect connected feed feeding fed lead write save show shown plot plotted
    display displayed result results signal signals output outputs input inputs model simulink
    simscape block blocks value values amplitude frequency frequencies phase time both seconds
    radians hertz sample samples sampled rate gain one two three four first second order closed
    loop feedback reference plant system driven drives excited through then into onto when takes
    take apply applied want need please simple show view observe visualize same original compare
    combined together which that with without whose having where there response setpoint set
    point desired target control controls controlled controlling controller between around
    position speed level using source sources sink element elements component components
    measure measured measures circuit network series parallel connects physical across inside
    within contains holds containing inner outer cascade disturbance disturbed gives given
    send sends goes passes passing pass let have has also each their other unity negative
    interval after before store log logged variable workspace named called voltage current
    velocity angle temperature force torque load detect detects check checks count counts
    selecting selects selected choose chooses operator gate wave shaft supplied supply
    ambient exceeds above below greater less than equal rising falling edges
    edge stop simulation against switches switch
    generate generates simulate find design use used starting starts occurs turn turns acceleration
    electrical mechanical thermal unity convert power digital analog continuous
    filtered unfiltered sent
    hello dear could would thanks thank kindly like help small little going goes look looks wish
    solve solves over
    function step enabled triggered samples draw diagram example representing represents
    """.split()
)


def verb_of(word: str) -> tuple[str, str] | None:
    """The block that a verb stands for, with the verb's ending; None for any other word."""
    found = _VERB.match(word)
    return (VERBS[found[1].casefold()], found[2].casefold()) if found else None


def shown_by(word: str) -> str | None:
    """The sink that a verb of seeing asks for; None for any other word."""
    found = SHOWN_VERB.fullmatch(word)
    return SHOWN[found[1].casefold()] if found else None
