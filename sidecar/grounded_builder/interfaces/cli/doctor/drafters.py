"""Reports for each configured drafter whether its endpoint answers or its model file exists."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.llm.availability import check_endpoint
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.endpoint import Place
from grounded_builder.llm.local import find_model_file
from grounded_builder.settings import LOCAL, PLANNER, Settings


def check_drafters(settings: Settings) -> Iterable[Observation]:
    """Yields one observation for each drafter; a failing drafter is skipped where another follows
    it.
    """
    names = dict.fromkeys((*settings.drafters, *settings.repairers))
    for name in names:
        part = f"drafter {name}"
        try:
            yield Observation(part, "ok", _check(name, settings))
        except DrafterError as error:
            behind = PLANNER in settings.drafters
            help_text = "the next drafter is used meanwhile" if behind else ""
            yield Observation(part, "failed", str(error), help_text)


def _check(name: str, settings: Settings) -> str:
    if name == PLANNER:
        return "needs no model"
    if name == LOCAL:
        return str(find_model_file(settings.local))
    model_setting = settings.models[name]
    return check_endpoint(Place(model_setting.url, model_setting.model, model_setting.key))
