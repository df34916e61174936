"""Blocks that the code of a mask may set anew before the model runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView

# What changes blocks or lines, so that nothing inside is certain.
_BUILDING = re.compile(r"\b(?:add|delete|replace)_(?:block|line)\b")
_SETTING = re.compile(r"\bset_param\b")
# A parameter that is named outright: ``set_param(block, 'Name', ...)``.
_NAMED = re.compile(r"\bset_param\s*+\(\s*+(?:\[[^\[\]]*+\]\s*+|[^,()\[\]]++),\s*+(?:\.\.\.\s*+)?'")
_LITERAL = re.compile(r"'([^'\n]*)'")


# What runs before a model does, of the whole model and of each block.
_BEFORE = ("PreLoadFcn", "PostLoadFcn", "InitFcn", "StartFcn")
_OF_BLOCKS = ("LoadFcn", "InitFcn", "StartFcn")


class Rewriting:
    """Which blocks lie in masks, or in models, whose code sets parameters that they have."""

    def __init__(self, view: ModelView) -> None:
        # Names of parameters by diagram; None where any may be set.
        self._names: dict[int, frozenset[str] | None] = {}
        self._anywhere = _named_in(_callbacks(view))
        for diagram in view.diagrams:  # outer ones come first
            owner = diagram.owner
            if owner is None:
                continue
            outer = self._names.get(id(owner.diagram), frozenset())
            own = _set_by(owner)
            names = None if outer is None or own is None else outer | own
            if names is None or names:
                self._names[id(diagram)] = names

    def may_set(self, item: BlockView) -> bool:
        """Whether a block may have other values than the file writes."""
        names = self._names.get(id(item.diagram), frozenset())
        if names is None or self._anywhere is None:
            return True
        names |= self._anywhere
        if not names:
            return False
        known = item.spec.parameters if item.spec is not None else {}
        return any(name in item.given or name in known for name in names)

    def may_set_model(self, *names: str) -> bool:
        """Whether the model may have other settings of these names than the file writes."""
        return self._anywhere is None or not self._anywhere.isdisjoint(names)


def _callbacks(view: ModelView) -> str:
    """The code that runs whenever the model is loaded or begins to run."""
    settings: Mapping[str, str] = view.model.get("settings", {})
    codes = [settings.get(name, "") for name in _BEFORE]
    for item in view.items():
        properties: Mapping[str, str] = item.block.get("properties", {})
        codes += [properties[name] for name in _OF_BLOCKS if name in properties]
    return "\n".join(filter(None, codes))


def _set_by(owner: BlockView) -> frozenset[str] | None:
    """The names that the code of a mask sets."""
    mask: Mapping[str, Any] = owner.block.get("mask", {})
    return _named_in(str(mask.get("initialization", "")))


def _named_in(code: str) -> frozenset[str] | None:
    """The names that a code that sets parameters writes in quotes, None where it may set any."""
    if _BUILDING.search(code):
        return None
    if len(_SETTING.findall(code)) != len(_NAMED.findall(code)):
        return None
    return frozenset(_LITERAL.findall(code)) if _SETTING.search(code) else frozenset()
