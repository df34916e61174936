"""Names are made unique by numbers."""

from __future__ import annotations

from functools import partial

from grounded_builder.ir.unique_names import UniqueNames
from tests.support.growth import confirm_fault, find_growth_fault


def test_names_are_numbered_in_turn() -> None:
    """The first keeps its name, and a number that is a name already is left out."""
    names = UniqueNames(["Mail 3"])
    assert [names.claim(name) for name in ("Mail", "mail", "Mail", "Mail 2")] == [
        "Mail",
        "mail 2",
        "Mail 4",
        "Mail 2 2",
    ]


def test_the_form_of_numbers_is_chosen() -> None:
    """The first number, what stands before it, and whether case matters."""
    names = UniqueNames(["a"], first=1, separator="", fold=str)
    assert [names.claim(name) for name in ("a", "A", "a")] == ["a1", "A", "a2"]


def test_the_time_of_equal_names_grows_with_their_count() -> None:
    """Ten thousand equal names are no search of ten thousand numbers for each."""

    def claim_all(count: int) -> list[str]:
        names = UniqueNames()
        return [names.claim("Send a mail") for _ in range(count)]

    measure = partial(find_growth_fault, claim_all, int, shortest=2_000, longest=32_000)
    assert confirm_fault(measure) == ""
