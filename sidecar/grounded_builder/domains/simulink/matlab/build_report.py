"""Reads a MATLAB build report: findings by kind of error, missing blocks, lost products."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.catalog.products import find_mentioned_products

FAILED_BUILD = Rule.wrong(
    "SLX601", "failed-build", "ExecutionError", "MATLAB could not build or run a model."
)
BUILD_MISMATCH = Rule.wrong(
    "SLX602", "build-mismatch", "ExecutionError", "The built model differs from the plan."
)

_LONGEST = 500
_MOST = 50


@dataclass(frozen=True, slots=True)
class Trouble:
    """A kind of failure: its code, the patterns that identify it, and what to do about it."""

    name: str
    pattern: str
    help: str


# Identifiers that Simulink raises, and words of messages where an identifier is not specific.
TROUBLES = (
    Trouble(
        "absent-block",
        r"AddBlockInvSrcBlock|OpenSystemUnknownSystem|There is no block named",
        "use another block: this one is not in the installation",
    ),
    Trouble(
        "licence",
        r"[Ll]icen[cs]e|checkout|Maximum number of users",
        "use blocks of products that the installation has a licence for",
    ),
    Trouble(
        "absent-parameter",
        r"ParamUnknown|does not have a parameter",
        "leave the parameter out, or name one that the block has",
    ),
    Trouble(
        "refused-setting",
        r"InvParamSetting|BlkParamUndefined|Invalid setting|evaluating parameter|Undefined",
        "set the parameter to a value that the block takes",
    ),
    Trouble(
        "absent-port",
        r"AddLineInvalid\w*Port|AddLineInv\w*|Invalid port|PortNotFound",
        "connect the line to a port that the block has",
    ),
    Trouble(
        "occupied-port",
        r"AlreadyConnected",
        "draw one line to each input",
    ),
    Trouble(
        "algebraic-loop",
        r"AlgLoop|[Aa]lgebraic loop|AlgState",
        "add a state or a delay to the loop",
    ),
    Trouble(
        "unresolved-link",
        r"Simulink:Libraries|[Uu]nresolved|LinkStatus",
        "use a block whose library is installed",
    ),
    Trouble(
        "unequal-sizes",
        r"[Dd]imension|PortWidth|DimsMismatch",
        "make the sizes of the signals equal",
    ),
    Trouble(
        "unequal-types",
        r"DataType|data type|[Tt]ype mismatch",
        "make the types of the signals equal",
    ),
    Trouble(
        "sample-time",
        r"SampleTime|sample time",
        "set sample times of the blocks that match",
    ),
    Trouble(
        "not-finite",
        r"grounded:nonfinite|DerivNotFinite|NotFinite|singularit",
        "check the gains and initial values before this block",
    ),
)
_OTHER = Trouble("failed", "", "correct the fault that Simulink names")
# Patterns that find the missing product in messages about licences, in order of preference:
# https://www.mathworks.com/help/install/license/license-manager-errors.html
_LOST = (
    re.compile(r"Feature:\s*(\S+)"),
    re.compile(r"users for (\S+) reached"),
    re.compile(r"installed,? and enabled:([^\n]*)"),
    re.compile(r"licen[cs]es? (?:for|of)([^\n]*)", re.IGNORECASE),
    re.compile(r"check ?out(?: an?| the)?([^\n]{0,200}?)licen[cs]e", re.IGNORECASE),
    re.compile(r"(.*)", re.DOTALL),
)
_ALWAYS = frozenset({"MATLAB", "Simulink"})


def trouble_of(identifier: str, message: str) -> Trouble:
    """Returns the kind of an error; the identifier takes precedence over the message."""
    for text in (identifier, message):
        for trouble in TROUBLES:
            if text and re.search(trouble.pattern, text):
                return trouble
    return _OTHER


def findings_of(report: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Returns the findings of a report; empty where the model was built."""
    found_there = (*_errors(report), *_differences(report))
    if not found_there and not report.get("ok"):
        message = "the worker reported neither a model nor an error"
        return (new_diagnostic(FAILED_BUILD, (), message, help="see the log of MATLAB"),)
    return found_there


def absent_blocks(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the library paths that the installation does not have.

    A library that does not load stands for all its blocks, as ``library/*``.
    """
    lost = [
        item
        for item in _read_list(report.get("errors"))
        if trouble_of(_text(item, "identifier"), _text(item, "message")).name
        in ("absent-block", "licence", "unresolved-link")
    ]
    blocks = [
        " ".join(_text(item, "about").split()) for item in lost if "/" in _text(item, "about")
    ]
    libraries = [
        f"{_text(item, 'about')}/*"
        for item in lost
        if _text(item, "about").isidentifier() and _text(item, "about") == _text(item, "block")
    ]
    return tuple(dict.fromkeys([*blocks, *libraries]))


def lost_products(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the products without a licence, where messages name them."""
    lost = (
        product
        for item in _read_list(report.get("errors"))
        if trouble_of(_text(item, "identifier"), _text(item, "message")).name == "licence"
        for product in _lost_in(_text(item, "message"))
    )
    return tuple(dict.fromkeys(lost))


def _lost_in(message: str) -> tuple[str, ...]:
    """Returns the products whose licence a message reports as missing, or all that it names."""
    for pattern in _LOST:
        named = [
            name
            for match in pattern.finditer(message)
            for name in find_mentioned_products(match[1])
        ]
        if beside := [name for name in named if name not in _ALWAYS]:
            return tuple(beside)
    return ()


def _errors(report: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for item in _read_list(report.get("errors"))[:_MOST]:
        identifier, message = _text(item, "identifier"), _text(item, "message")
        trouble = trouble_of(identifier, message)
        lost = _lost_in(message) if trouble.name == "licence" else ()
        yield new_diagnostic(
            FAILED_BUILD,
            (),
            f"{trouble.name}: {message}",
            help=f"use no blocks of {' or '.join(lost)}" if lost else trouble.help,
            node=_text(item, "block") or None,
            token=_text(item, "about") or None,
        )


def _differences(report: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for item in _read_list(report.get("differences"))[:_MOST]:
        what, block = _text(item, "what"), _text(item, "block")
        yield new_diagnostic(
            BUILD_MISMATCH,
            (),
            f'{what} of "{block}" is "{_text(item, "actual")}", not "{_text(item, "expected")}"',
            help="use the exact library path of the block, and values as Simulink stores them",
            node=block or None,
            token=what,
        )


def _read_list(value: Any) -> list[Mapping[str, Any]]:
    """Returns a list; MATLAB writes a list of one element as that element."""
    many = value if isinstance(value, list) else [value]
    return [item for item in many if isinstance(item, Mapping)]


def _text(entries: Mapping[str, Any], key: str) -> str:
    return str(entries.get(key) or "")[:_LONGEST]
