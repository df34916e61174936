"""Builds the catalog entries of a block's parameters: type, options, defaults, range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.domains.simulink.catalog.common_properties import INTERNAL, PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import SUFFIXES
from grounded_builder.domains.simulink.matlab_expr import (
    RejectedValueError,
    UnknownFunctionError,
    parse,
)
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.domains.simulink.resolve.synonyms import PARAMETERS

_SWITCH = frozenset({"on", "off"})
# Parameters for data types accept any type's name in addition to the listed ones.
_OPEN = re.compile(
    r"DataType|DType|TypeStr|OutDataType|Scaling|Unit(?!s$)|Interp|Solver|StorageClass|"
    r"IndexOption|^VariantControls$",
    re.IGNORECASE,
)
# In addition to these options, names of other types and enumeration members are accepted.
_TYPE_NAMED = re.compile(r"double|fixdt\(.*\)|[A-Za-z]\w*\.\w+")
# The label of a parameter in a dialog: words, no sentence.
_LABEL = re.compile(r"[A-Za-z][\w ,()%/'-]{1,50}")
# Texts that are code: they are evaluated, or name a function to run.
_EVALUATED = frozenset({"MATLABFcn", "Expr", "FunctionName", "Parameters", "SFunctionModules"})
# The name of a file or a class.
_NAMING = frozenset({"System", "ModelNameDialog"})
_TEXTUAL = re.compile(
    r"(Name|Tag|Title|Titles|Label|Labels|Identifier|Format|Text|Class|Variable|Signals|Expr|"
    r"Description|Callback|Path|String|Element|Version|Handle|URL|Script|Code|Function)$"
)


def parameters_of(
    used: Iterable[Mapping[str, Any]],
    documented: Mapping[str, Any],
    file_defaults: Mapping[str, Any],
    ranges: Mapping[str, Any],
    preset: Mapping[str, str],
    menus: Mapping[str, Iterable[str]],
    *,
    is_base: bool,
) -> list[dict[str, Any]]:
    """Return every parameter that uses, documents or files have, in documented order first.

    ``default`` is what a block added from the library has, ``builtin`` what a file means that
    leaves the parameter out, where that differs. ``menus`` are options that no document lists.
    Outside the base library a switch that no document lists is open: files may show a menu in part.
    """
    seen: dict[str, list[str]] = {}
    for entry in used:
        for name, use in entry.get("params", {}).items():
            seen.setdefault(name, []).extend(str(value) for value, _ in use["values"])
        for name in entry.get("defaults") or {}:
            seen.setdefault(name, [])
    names = dict.fromkeys([*documented, *file_defaults, *preset, *seen, *menus])
    out: list[dict[str, Any]] = []
    for name in names:
        is_derived = any(name.endswith(s) and name[: -len(s)] in names for s in SUFFIXES)
        if name in INTERNAL or name in PROPERTIES or is_derived or not name.isidentifier():
            continue
        result = documented.get(name) or {}
        out.append(
            _entry(
                name,
                result,
                seen.get(name, []),
                file_defaults.get(name),
                ranges,
                preset,
                menus.get(name, ()),
                is_documented=bool(documented),
            )
        )
    common_names = _list_common_names(entry["name"] for entry in out)
    for entry in out:
        if entry["name"] in common_names:
            entry["aliases"] = common_names[entry["name"]]
        if is_base and entry["type"] == "switch":
            entry.pop("open", None)
    return out


def _list_common_names(names: Iterable[str]) -> dict[str, list[str]]:
    """Returns the common names of a block's parameters, the preferred parameter first."""
    known = set(names)
    entries: dict[str, list[str]] = {}
    for alias, item in PARAMETERS.items():
        first = next((name for name in item if name in known), None)
        if first is not None and fold(first) != alias:
            entries.setdefault(first, []).append(alias)
    return entries


def _entry(
    name: str,
    listed: Mapping[str, Any],
    values: list[str],
    in_files: Any,
    ranges: Mapping[str, Any],
    preset: Mapping[str, str],
    menu: Iterable[str],
    *,
    is_documented: bool,
) -> dict[str, Any]:
    builtin = str(in_files[0][0]) if in_files else None
    default = preset.get(name, listed.get("default"))
    options = list(
        dict.fromkeys(str(item) for item in (*(listed.get("enum") or ()), *menu) if item)
    )
    entry: dict[str, Any] = {"name": name, "type": _kind(name, options, values, builtin)}
    if entry["type"] == "choice":
        known = dict.fromkeys([*options, *values, *filter(None, (builtin, preset.get(name)))])
        entry["options"] = list(known)
    elif options and entry["type"] != "switch":
        entry["options"] = options
        entry["open"] = True
    if entry["type"] == "switch" and builtin is None and set(options) != _SWITCH:
        entry["open"] = True
    if default is None or (entry["type"] == "switch" and default not in _SWITCH):
        default = builtin
    if default is not None:
        entry["default"] = default
    if builtin is not None and builtin != default:
        entry["builtin"] = builtin
    if is_documented and not listed and builtin is None:
        entry["seen"] = True
    label = " ".join(str(listed.get("prompt") or "").split()).rstrip(" .:")
    if _LABEL.fullmatch(label) and fold(label) != fold(name):
        entry["label"] = label
    return entry | dict(ranges.get(name, {}))


def _kind(name: str, options: list[str], values: list[str], builtin: str | None) -> str:
    """Return switch (on or off), choice (of the options), value (an expression) or text."""
    known = {*values, *([builtin] if builtin is not None else [])}
    if name in _EVALUATED:
        return "value"
    if set(options) == _SWITCH or (not options and known and known <= _SWITCH):
        return "switch"
    if len(options) > 1 and not _OPEN.search(name) and not any(map(_TYPE_NAMED.fullmatch, options)):
        return "value" if all(map(str.isdecimal, options)) else "choice"
    if options:
        return "text"
    if _TEXTUAL.search(name) or name in _NAMING:
        return "text"
    good = sum(map(_is_value, known))
    return "value" if not known or good * 10 >= 8 * len(known) else "text"


def _is_value(text: str) -> bool:
    try:
        parse(text)
    except UnknownFunctionError:
        return True
    except RejectedValueError:
        return False
    return True
