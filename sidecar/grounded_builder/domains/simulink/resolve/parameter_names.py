"""Finds the parameter of a block that a drafted name means, and the most similar ones."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grounded_builder.catalog.likeness import edits_between, is_near
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.domains.simulink.resolve.synonyms import PARAMETERS, SHORT_FORMS

_SHORTEST_NEAR = 5
_OFFERED = 5

# Words that add nothing to the name that they follow.
_FILLED = re.compile(
    r"(?<=[\W_])(value|parameter|setting|matrix|vector|gain|coefficient)$", re.IGNORECASE
)
# Longer than all parameter names in dialogs.
_LONGEST_NAME = 1_000
# Parameters of data types, which a drafted name must mention to mean.
_OF_TYPES = re.compile(r"DataType|DType|TypeStr|Scaling|StorageClass")


def parameter_for(key: str, spec: BlockSpec, taken: Iterable[str]) -> tuple[str | None, str]:
    """Returns the parameter that a drafted name means, and how; None when none is certain."""
    free = {name for name in spec.parameters if name not in set(taken)}
    if spec.has(key):
        return key, "exact"
    if len(key) > _LONGEST_NAME:
        return None, "near"
    wanted = fold(_without_brackets(key))
    same = [name for name in free if fold(name) == wanted]
    usual = [name for name in same if not spec.parameters[name].seen]
    common = [name for name in PARAMETERS.get(wanted, ()) if name in free]
    first = [name for name in common if not spec.parameters[name].seen][:1]
    if len(usual) == 1:
        # "offset" of a wave is its Bias, even if another parameter is called Offset.
        return (usual[0], "case") if first in ([], usual) else (None, "near")
    labelled = [name for name in free if _is_label(key, spec.parameters[name].label)]
    if len(labelled) == 1:
        return labelled[0], "label"
    if first:
        return first[0], "spoken"
    if len(same) == 1:
        return same[0], "case"
    if common:
        return common[0], "spoken"
    shorter = _FILLED.sub("", _without_brackets(key)).strip(" _-")
    if shorter and fold(shorter) != wanted:
        name, how = parameter_for(shorter, spec, taken)
        if name is not None and how != "near":
            return name, "spoken"
    return _find_likely(wanted, key, spec, free), "near"


def _without_brackets(name: str) -> str:
    """Returns a name without trailing brackets, such as those of a unit."""
    head, bracket, rest = name.partition("(")
    return head.rstrip() if bracket and rest.endswith(")") else name


def _is_label(key: str, label: str) -> bool:
    """Returns whether a drafted name is the dialog's label, with or without its brackets."""
    if not label:
        return False
    short = fold(_without_brackets(label))
    return fold(key) in (fold(label), short) or fold(_without_brackets(key)) == short


def _find_likely(wanted: str, key: str, spec: BlockSpec, free: set[str]) -> str | None:
    """Returns the only parameter with all words of a name, or with a single letter changed."""
    words = {stem(word) for word in split_identifier(_without_brackets(key))}
    names = [name for name in spec.parameters if name in free]
    if "type" not in words:
        names = [name for name in names if not _OF_TYPES.search(name)]
    holding = _filter_by_words(words, names, spec)
    if holding:
        return holding[0] if len(holding) == 1 else None
    if len(wanted) < _SHORTEST_NEAR:
        return None
    close = [name for name in free if is_near(wanted, fold(name))]
    return close[0] if len(close) == 1 else None


def _filter_by_words(words: set[str], names: list[str], spec: BlockSpec) -> list[str]:
    """Returns the parameters whose name or label has all these words, exact matches first."""
    entries: dict[str, bool] = {}
    for name in names:
        for text in (name, spec.parameters[name].label):
            own = _stems(text)
            if words and all(not own.isdisjoint(_list_stems(word)) for word in words):
                entries[name] = entries.get(name, False) or len(own) == len(words)
    return [name for name, whole in entries.items() if whole] or list(entries)


def _list_stems(word: str) -> set[str]:
    """Returns the stems of a word and of the words that it abbreviates."""
    return {word, *map(stem, SHORT_FORMS.get(word, ()))}


def find_near_parameters(key: str, spec: BlockSpec) -> list[str]:
    """Returns the parameters most similar to a name, by its words, then letters."""
    wanted = fold(key)
    words = {stem(word) for word in split_identifier(key)}
    words |= {other for word in words for other in _list_stems(word)}

    def rank(name: str) -> tuple[int, int, str]:
        shared = words & (_stems(name) | _stems(spec.parameters[name].label))
        is_type = bool(_OF_TYPES.search(name))
        return is_type - len(shared), edits_between(wanted, fold(name)), name

    common = [name for name in PARAMETERS.get(wanted, ()) if name in spec.parameters]
    return list(dict.fromkeys([*common, *sorted(spec.parameters, key=rank)]))[:_OFFERED]


def _stems(name: str) -> set[str]:
    return {stem(word) for word in split_identifier(name)}
