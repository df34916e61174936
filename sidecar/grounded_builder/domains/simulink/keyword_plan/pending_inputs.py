"""A block that waits for the signals that follow its name."""

from __future__ import annotations

from dataclasses import dataclass, field

from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.plan_builder import Step
from grounded_builder.domains.simulink.lower.ports import WIDENED


@dataclass(slots=True)
class Open:
    """A block whose signals follow; ``wants`` is how many, ``signs`` are theirs."""

    step: Step
    one: Mention
    wants: int
    signs: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether it has all the signals that it takes."""
        return self.one.kind not in WIDENED and len(self.step["inputs"]) >= self.wants


def signed(one: Open) -> None:
    """Write the signs of a sum; a switch that passes the other input for "below"."""
    count = len(one.step["inputs"])
    name = WIDENED.get(one.one.kind, "")
    preset = one.one.spec.preset.get(name)
    if one.signs and one.one.kind == "Sum":
        signs = one.signs + ["+"] * (count - len(one.signs))
        one.step["params"].setdefault("Inputs", "|" + "".join(signs))
    elif preset is not None and name not in one.one.params and count > one.wants:
        further = preset[-1] * (count - one.wants)
        one.step["params"][name] = str(count) if preset.isdigit() else preset + further
    if one.one.role == "swapped":
        plain = [known for known in one.step["inputs"] if isinstance(known, str)]
        rest = [known for known in one.step["inputs"] if not isinstance(known, str)]
        one.step["inputs"] = [*plain[::-1], *rest]
