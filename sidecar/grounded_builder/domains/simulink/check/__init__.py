"""Reports what is wrong with a model, as far as its file and the catalog show."""

from grounded_builder.domains.simulink.check.checks import CHECKS

__all__ = ["CHECKS"]
