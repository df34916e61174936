"""Reports port counts and numbers that are not positive integers, and invalid sign lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.values import number
from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, parse
from grounded_builder.ir.rules.parameters import OUT_OF_RANGE

# The parameter that states how many ports a block has, or the number of a port.
_COUNTS = {
    "BusCreator": "Inputs",
    "Concatenate": "NumInputs",
    "Demux": "Outputs",
    "If": "NumInputs",
    "Inport": "Port",
    "Logic": "Inputs",
    "Merge": "Inputs",
    "MinMax": "Inputs",
    "MultiPortSwitch": "Inputs",
    "Mux": "Inputs",
    "Outport": "Port",
    "Product": "Inputs",
    "Sum": "Inputs",
}
_SIGNS = {"Product": "*/", "Sum": "+-"}
_MARKS = re.compile(r"[-+*/]")


def check_counts(view: ModelView) -> Iterator[Diagnostic]:
    """Finds port counts that are not positive integers, and sign lists with other characters."""
    rewriting = MaskOverrides(view)
    for diagram in view.checked_diagrams():
        for kind, name in _COUNTS.items():
            for item in diagram.of(kind):
                if item.active and item.opaque is None and not rewriting.may_set(item):
                    yield from _count(item, name)


def _count(item: BlockView, name: str) -> Iterator[Diagnostic]:
    text = item.value(name)
    if text is None or (item.type == "Logic" and item.value("Operator") == "NOT"):
        return
    signs = _SIGNS.get(item.type, "")
    if signs and _MARKS.search(text):
        if not _other_signs(text, signs):
            return
        must = f"a list of the signs {' and '.join(signs)}"
    else:
        count = number(item, name)
        if count is None or (count >= 1 and not count % 1):
            return
        must = "a positive integer"
    yield new_diagnostic(
        OUT_OF_RANGE,
        (*item.at, "parameters", name) if name in item.given else item.at,
        f'{name} of "{item.name}" is {text[:60]}, and must be {must}',
        help=f"give {name} {must}",
        node=item.name,
        token=text[:60],
    )


def _other_signs(text: str, signs: str) -> bool:
    """Returns whether a text that is not an expression contains characters other than signs."""
    plain = text.strip().strip("'\"")
    if all(mark in signs + "| \n" for mark in plain):
        return False
    try:
        parse(plain)
    except RejectedValueError:
        return True
    return False
