"""Sketch a plan of a request without a model: blocks that it names, joined as its words say."""

from grounded_builder.domains.simulink.keyword_plan.plan import plan_from_request

__all__ = ["plan_from_request"]
