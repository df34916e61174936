"""One target under a fuzzer that is led by coverage: `python -m tests.fuzz.worker NAME OPTION...`.

The options are libFuzzer's, of which atheris is the Python side; `make fuzz` gives them.
"""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["grounded_builder"]):
    from tests.fuzz.targets import TARGETS

from tests.fuzz.mutation import mutate
from tests.fuzz.target import LONGEST


def main() -> None:
    """Fuzz the target that the first argument names; libFuzzer ends the process."""
    target = TARGETS[sys.argv[1]]

    def change(data: bytes, longest: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < 0.15:
            return bytes(atheris.Mutate(data, longest))
        return mutate(bytes(data), target.form, chance)[: min(longest, LONGEST)]

    atheris.Setup([sys.argv[0], *sys.argv[2:]], target.check, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
