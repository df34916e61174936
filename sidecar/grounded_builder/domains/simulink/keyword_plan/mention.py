"""A block that a request names, or whose deed it asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from grounded_builder.catalog.tokenize import singular
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.keyword_plan.text import Text


@dataclass(slots=True)
class Mention:
    """A block that a text names from ``start`` to ``end``.

    ``choices`` are the blocks that it may be where the name alone does not tell. With ``deed``
    its operands follow it; ``infix`` is the sign by which it joins what is before it to what
    follows; ``note`` says what was supposed of it; ``called`` is its own name; ``branches`` are the
    two outcomes of a switch, empty for the signal that decides.
    """

    tool: str
    spec: BlockSpec
    start: int
    end: int
    params: dict[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    deed: bool = False
    infix: str = ""
    verb: bool = False
    role: str = ""
    copy: int = 0
    copies: int = 1
    note: str = ""
    called: str = ""
    branches: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Its BlockType."""
        return self.spec.block_type

    @property
    def role_name(self) -> str:
        """What its block is called by what it does in a loop; empty for any other."""
        return self.role.capitalize() if self.role in ("reference", "disturbance") else ""


def is_plural(one: Mention, text: Text) -> bool:
    """Whether a name is said in the plural."""
    said = text.request[one.start : one.end].split()[-1].casefold()
    return singular(said) != said
