"""Defines the type of the functions that find where a kind of fault can be injected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from evals.faults.fault import Fault
from evals.faults.scene import Scene

Finder = Callable[[Scene, Random], Iterator[Fault]]
Finders = dict[str, Finder]
