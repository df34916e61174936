"""Defines the types of the functions that make the faults of a kind in a workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from evals.faults.fault import Fault
from evals.faults.scene import Scene

Finder = Callable[[Scene, Random], Iterator[Fault]]
Finders = dict[str, Finder]
