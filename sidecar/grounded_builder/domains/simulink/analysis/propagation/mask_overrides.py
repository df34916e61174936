"""Finds blocks whose parameters the code of a mask may change before the model runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView

# Code that adds or removes blocks or lines, so that nothing inside is certain.
_BUILDING = re.compile(r"\b(?:add|delete|replace)_(?:block|line)\b")
_SETTING = re.compile(r"\bset_param\b")
# A parameter that is named by a literal: ``set_param(block, 'Name', ...)``.
_NAMED = re.compile(r"\bset_param\s*+\(\s*+(?:\[[^\[\]]*+\]\s*+|[^,()\[\]]++),\s*+(?:\.\.\.\s*+)?'")
_LITERAL = re.compile(r"'([^'\n]*)'")


# Callbacks that run before a simulation, of the model and of each block.
_BEFORE = ("PreLoadFcn", "PostLoadFcn", "InitFcn", "StartFcn")
_OF_BLOCKS = ("LoadFcn", "InitFcn", "StartFcn")


class MaskOverrides:
    """Determines which blocks are in masks or models whose code may set their parameters."""

    def __init__(self, view: ModelView) -> None:
        # Parameter names by diagram; None where code may set any parameter.
        self._names: dict[int, frozenset[str] | None] = {}
        self._anywhere = _find_quoted_names(_callbacks(view))
        for diagram in view.diagrams:  # outer diagrams come first
            owner = diagram.owner
            if owner is None:
                continue
            outer = self._names.get(id(owner.diagram), frozenset())
            own = _find_set_names(owner)
            names = None if outer is None or own is None else outer | own
            if names is None or names:
                self._names[id(diagram)] = names

    def may_set(self, item: BlockView) -> bool:
        """Returns whether a block may have other values than the file writes."""
        names = self._names.get(id(item.diagram), frozenset())
        if names is None or self._anywhere is None:
            return True
        names |= self._anywhere
        if not names:
            return False
        known = item.spec.parameters if item.spec is not None else {}
        return any(name in item.given or name in known for name in names)

    def may_set_model(self, *names: str) -> bool:
        """Returns whether the model may have other settings than the file writes."""
        return self._anywhere is None or not self._anywhere.isdisjoint(names)


def _callbacks(view: ModelView) -> str:
    """Returns the code that runs when the model is loaded or started."""
    settings: Mapping[str, str] = view.model.get("settings", {})
    codes = [settings.get(name, "") for name in _BEFORE]
    for item in view.items():
        properties: Mapping[str, str] = item.block.get("properties", {})
        codes += [properties[name] for name in _OF_BLOCKS if name in properties]
    return "\n".join(filter(None, codes))


def _find_set_names(owner: BlockView) -> frozenset[str] | None:
    """Returns the parameter names that the code of a mask sets."""
    mask: Mapping[str, Any] = owner.block.get("mask", {})
    return _find_quoted_names(str(mask.get("initialization", "")))


def _find_quoted_names(code: str) -> frozenset[str] | None:
    """Returns the quoted names in code that sets parameters; None where it may set any."""
    if _BUILDING.search(code):
        return None
    if len(_SETTING.findall(code)) != len(_NAMED.findall(code)):
        return None
    return frozenset(_LITERAL.findall(code)) if _SETTING.search(code) else frozenset()
