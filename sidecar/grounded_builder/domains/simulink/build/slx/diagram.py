"""Writes a model as the text of ``simulink/blockdiagram.xml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.build.slx.element import Element, format_element
from grounded_builder.domains.simulink.build.slx.systems import system_element

# The layout of R2012b to R2014a, which later releases read as well.
_VERSION = "0.9"
_ROOTS = {"model": "Model", "library": "Library", "subsystem": "Subsystem"}
# Settings that files store with the solver; the others belong to the model itself.
_SOLVER = frozenset(
    """
    StartTime StopTime AbsTol FixedStep InitialStep MaxNumMinSteps MaxOrder ZcThreshold
    ConsecutiveZCsStepRelTol MaxConsecutiveZCs ExtrapolationOrder NumberNewtonIterations MaxStep
    MinStep MaxConsecutiveMinStep RelTol SolverMode EnableConcurrentExecution ConcurrentTasks
    Solver SolverName SolverJacobianMethodControl ShapePreserveControl ZeroCrossControl
    ZeroCrossAlgorithm AlgebraicLoopSolver SolverResetMethod PositivePriorityOrder
    AutoInsertRateTranBlk SampleTimeConstraint InsertRTBMode
    """.split()
)


def diagram_text(model: Mapping[str, Any], lost: Counter[str]) -> str:
    """Returns the whole model as text; what the layout cannot express is counted in ``lost``."""
    root = Element(_ROOTS[model["kind"]])
    settings = {"SavedCharacterEncoding": "UTF-8"} | dict(model.get("settings") or {})
    solver = Element("Object", {"ClassName": "Simulink.SolverCC"})
    for name, value in settings.items():
        (solver if name in _SOLVER else root).add(name, value)
    if solver.values:
        root.inner.append(_configuration(solver))
    if model.get("defaults"):
        root.inner.append(_defaults(model["defaults"]))
    root.inner.append(system_element(model, lost))
    return format_element(Element("ModelInformation", {"Version": _VERSION}, inner=[root]))


def _configuration(solver: Element) -> Element:
    entries = {"Type": "Handle", "Dimension": "1*1"}
    components = Element("Array", {"PropName": "Components", **entries}, inner=[solver])
    whole = Element("Object", {"ClassName": "Simulink.ConfigSet"}, inner=[components])
    return Element("Array", {"PropName": "ConfigurationSets", **entries}, inner=[whole])


def _defaults(by_type: Mapping[str, Mapping[str, str]]) -> Element:
    """Returns the parameters that a file states once for all blocks of a BlockType."""
    listed = [
        Element("Block", {"BlockType": kind}, list(values.items()))
        for kind, values in by_type.items()
    ]
    return Element("BlockParameterDefaults", inner=listed)
