"""What a short script does, where a core node does just that."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from grounded_builder.domains.n8n.check.advice.normalize_script import statements

Shape = Literal[
    "nothing", "wait", "filter", "sort", "limit", "dedup", "split", "aggregate", "sum", "set",
    "date", "merge",
]  # fmt: skip

_LONGEST, _REMEMBERED = 1200, 1024
# A script with more than this does more than one thing.
_MOST_STATEMENTS = 12
_ARROWS = 3
# What no core node does: state, other modules, requests, parsing, failing on purpose.
_BEYOND = (
    *("JSON.parse", "require(", "StaticData", "helpers", "getWorkflow", "import ", "process."),
    *("try{", "try {", "throw ", "class ", "while(", "while (", "switch(", "switch ("),
    *("binary", "Binary", "Math.random", "console.", "pairedItem"),
)
# Only who sleeps or remembers what was seen needs a branch, a function or a list of its own.
_BRANCHES = (
    *("if(", "if (", "else ", "else{", "++", "+=", ".push(", "forEach", "function "),
    *("items[1]", "items[2]", "items[3]"),
)
_ITEMS = r"(?:items|\$input\.all\(\)|\$items\(\))"
_FIRST = r"(?:items\[0\]|\$input\.first\(\)|\$input\.item|\$input\.all\(\)\[0\])"
_PATH = r"(?:\??\.[\w$]+|\??\.?\[(?:'[^']*'|\"[^\"]*\"|\d+)\])"
_OWN = rf"(?:{_FIRST}\.json|\$json|\$input\.json)"
_ARROW = r"\(?(?P<p>[\w$]+)\)?=>"
_PASSED = re.compile(rf"return(?: |\b)(?:{_ITEMS}|item|\$input\.item|\[item\]|\$json)$")
_NODE = r"(?:\$\((?:'[^']*'|\"[^\"]*\")\)\.all\(\)|\$items\((?:'[^']*'|\"[^\"]*\")\))"
_ALIAS = re.compile(
    rf"(?:const|let|var) (?P<name>[\w$]+)=(?P<value>{_ITEMS}|{_FIRST}|{_OWN}|{_NODE})$"
)
_CONST = re.compile(r"(?:const|let|var) (?P<name>[\w$]+)=(?P<value>.+)$", re.DOTALL)

# A name that is no member and no key; what is given another value later.
_NAME = re.compile(r"(?<![\w$])(?<![^.]\.)[A-Za-z_$][\w$]*(?![\w$:])")
_CHANGED = re.compile(r"(?<![\w$.])(?<!const )(?<!let )(?<!var )([\w$]+)=(?![=>])")
_SIMPLE = re.compile(r"[\w$.()\[\]'\"?]+")
_SLEEP = re.compile(
    r"(?:async )?function [\w$]+\([\w$]+\)\{return new Promise\(.{3,80}setTimeout\(.{1,40}\)\}"
    r"|(?:const|let|var) [\w$]+=(?:async)?\(?[\w$]+\)?=>\{?(?:return )?new Promise\("
    r".{3,80}setTimeout\(.{1,40}\)\}?"
    r"|(?:return )?await new Promise\(.{3,60}setTimeout\(.{1,40}\)"
    r"|await [\w$]+\([\w$.*]+\)"
    r"|(?:const|let|var) [\w$]+=[\d*]+",
    re.DOTALL,
)
_SORTED = re.compile(
    rf"(?:\[\.\.\.{_ITEMS}\]|{_ITEMS}(?:\.slice\(\))?)\.sort\((?P<by>.+)\)$", re.DOTALL
)
_LIMITED = re.compile(
    rf"return(?: |\b)(?:{_ITEMS}\.slice\(-?\d+(?:,-?\d+)?\)|\[{_FIRST}\]|{_FIRST})$"
)
_FILTERED = re.compile(rf"return(?: |\b){_ITEMS}\.filter\({_ARROW}(?P<test>.+)\)$", re.DOTALL)
# A test written as a block: what it prepares, and the word that returns the answer.
_TESTS = re.compile(r"^\{(?:(?:const|let|var) [\w$]+=[^;{}]+;)*return(?= |\b)|(?<=.)\}$")
_UNIQUE = re.compile(
    rf"return(?: |\b){_ITEMS}\.filter\(\([\w$]+,(?P<i>[\w$]+),[\w$]+\)=>"
    r"(?P=i)===[\w$]+\.findIndex\(.+\)\)$",
    re.DOTALL,
)
_SEEN = re.compile(rf"return(?: |\b){_ITEMS}\.filter\([^)=]{{1,40}}\)?=>\{{")
_LIST = rf"\(?(?:{_OWN}{_PATH}+)(?:(?:\|\||\?\?)\[\])?\)?"
_SPLIT = re.compile(
    rf"^return(?: |\b){_LIST}\??\.map\({_ARROW}"
    r"(?:\(?\{json:(?P=p)\}\)?|\{return\{json:(?P=p)\}\})\)$"
)
_KEY = r"(?:[\w$'\"]+:)?"
_MAPPED = rf"{_ITEMS}\.map\({_ARROW}(?P=p)\.json{_PATH}*\)"
_REDUCED = (
    rf"{_ITEMS}\.reduce\(\((?P<s>[\w$]+),(?P<i>[\w$]+)\)=>"
    rf"(?P=s)\+(?:Number\(|parseFloat\()?\(?(?P=i)\.json{_PATH}+(?:\|\|0)?\)?\)?,0\)"
)
_GATHERED = re.compile(rf"^return\[?\{{json:\{{{_KEY}{_MAPPED}\}}\}}\]?$")
_SUMMED = re.compile(rf"^return\[?\{{json:\{{{_KEY}{_REDUCED}\}}\}}\]?$")
_LISTED = re.compile(rf"(?:{_MAPPED}|{_REDUCED.replace('<i>', '<j>').replace('=i)', '=j)')})$")
_MERGED = re.compile(
    rf"^return\[\.\.\.{_NODE}(?:,\.\.\.(?:{_NODE}|{_ITEMS}))+\]$"
    rf"|^return(?: |\b)(?:{_NODE}|{_ITEMS})(?:\.concat\({_NODE}\))+$"
)
# Fields set in place: in a loop, in a map, or on the one item.
_SET = r"(?P=p)\.json(?:\.[\w$]+|\[(?:'[^']*'|\"[^\"]*\")\])=(?!=)"
_LOOPED = re.compile(
    rf"for\((?:const|let|var) (?P<p>[\w$]+) of {_ITEMS}\)\{{(?P<all>{_SET}.+)\}}$", re.DOTALL
)
_MARKED = re.compile(
    rf"return(?: |\b){_ITEMS}\.map\({_ARROW}\{{(?P<all>{_SET}.+);return (?P=p)\}}\)$", re.DOTALL
)
_PLACED = re.compile(
    r"(?:\$input\.item\.json|\$json|item\.json|items\[0\]\.json)(?:\.[\w$]+|\[(?:'[^']*'|\"[^\"]*\")\])=(?!=)(?P<value>.+)$",
    re.DOTALL,
)
_ONE = re.compile(
    r"return(?:\[\{json:(?P<a>\{.*\})\}\]|\{json:(?P<b>\{.*\})\}|\[\{json:(?P<c>\{.*\}),?\}\])$",
    re.DOTALL,
)
_EACH = re.compile(
    rf"return(?: |\b){_ITEMS}\.map\({_ARROW}"
    r"(?:\(\{json:(?P<a>\{.*\})\}\)|\{return\{json:(?P<b>\{.*\})\}\})\)$",
    re.DOTALL,
)
# A string that nothing closes goes on to the end.
_TEXT = re.compile(
    r"'(?:[^'\\]|\\(?:.|\Z))*(?:'|\Z)|\"(?:[^\"\\]|\\(?:.|\Z))*(?:\"|\Z)|`[^`$\\]*`", re.DOTALL
)
_SPREAD = re.compile(r"\.\.\.(?P<what>[^,}]+)")
_DATE = re.compile(
    r"new Date\b|Date\.now|DateTime\.|\$now|\$today|moment\(|toISO|toLocale(?:Date|Time)?String"
)
# Inside a value: a function, a statement, a loop over a list.
_WORKED = re.compile(
    r"=>|\bfunction\b|\bfor\b|\bif\(|\breturn\b|\bawait\b|\bnew (?!Date\b)|=(?![=>])(?<![=!<>]=)"
)


def shape_of(code: str) -> Shape | None:
    """What the script does to its items, None where no core node is known to do just that."""
    return None if len(code) > _LONGEST else _shape_of_short(code)


@lru_cache(_REMEMBERED)
def _shape_of_short(code: str) -> Shape | None:
    if "return" not in code or any(name in code for name in _BEYOND):
        return None
    sleeps = "setTimeout" in code
    if not sleeps and ".has(" not in code and any(branch in code for branch in _BRANCHES):
        return None
    if code.count("const ") + code.count("let ") > _MOST_STATEMENTS or code.count("=>") > _ARROWS:
        return None
    parts = statements(code)
    if not parts or len(parts) > _MOST_STATEMENTS:
        return None
    if sleeps:
        return _waiting(parts)
    if _sets_in_place(parts):
        return "date" if _DATE.search(code) else "set"
    *before, last = parts = _inlined(_returned(parts))
    if not before:
        return _single(last)
    if len(before) == 1:
        ordered = _SORTED.match(before[0])
        if ordered and _PASSED.match(last):
            return "sort"
    if all(_is_plain_const(name) for name in before):
        names = [match["name"] for name in before if (match := _CONST.match(name))]
        shape = _single(last)
        # What was prepared may be used by the test or the fields, which take expressions.
        return shape if shape == "filter" and names else None
    if len(before) == 1 and "new Set" in before[0] and _SEEN.match(last):
        return "dedup" if ".has(" in last and ".add(" in last else None
    return None


def _sets_in_place(parts: list[str]) -> bool:
    """Whether fields of the items are set one by one and the items then passed on."""
    *before, last = [part for part in parts if not _ALIAS.match(part)]
    marked = _MARKED.match(last) if not before else None
    looped = _LOOPED.match(before[0]) if len(before) == 1 else None
    match = marked or looped
    if match is not None:
        own, item = match["all"], match["p"]
        steps = own.split(";")
        target = re.compile(
            rf"^{re.escape(item)}\.json(?:\.[\w$]+|\[[^\]]*\])=(?!=)(.+)$", re.DOTALL
        )
        values = [result[1] if (result := target.match(step)) else "=" for step in steps]
        return not any(map(_is_worked, values)) and (marked is not None or _is_passed(parts))
    values = [match["value"] if (match := _PLACED.match(name)) else "=" for name in before]
    return bool(values) and not any(map(_is_worked, values)) and _is_passed(parts)


def _is_passed(parts: list[str]) -> bool:
    names = {match["name"] for part in parts if (match := _ALIAS.match(part))}
    return bool(_PASSED.match(parts[-1])) or parts[-1] in {f"return {name}" for name in names}


def _single(last: str) -> Shape | None:
    if _PASSED.match(last):
        return "nothing"
    if _LIMITED.match(last):
        return "limit"
    if _UNIQUE.match(last):
        return "dedup"
    filtered = _FILTERED.match(last)
    if filtered:
        test = _TESTS.sub("", filtered["test"])
        return None if _is_worked(test) or "items" in test or ".map(" in test else "filter"
    if last.startswith("return") and _SORTED.match(last[6:].lstrip()):
        return "sort"
    for shape, pattern in _SHAPES:
        if pattern.match(last):
            return shape
    return _fields(last)


_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("split", _SPLIT),
    ("aggregate", _GATHERED),
    ("sum", _SUMMED),
    ("merge", _MERGED),
)


def _fields(last: str) -> Shape | None:
    """Whether each field is one expression, as Edit Fields takes them."""
    match = _ONE.match(last) or _EACH.match(last)
    if match is None:
        return None
    groups = match.groupdict()
    body = groups.get("a") or groups.get("b") or groups.get("c") or ""
    item = groups.get("p")
    if (
        len(body) <= 2
        or not _is_one_object(body)
        or _WORKED.search(_without_texts(body))
        or "items.length" in body
    ):
        return None
    own = re.compile(rf"(?:{_OWN}|{re.escape(item)}\.json)$" if item else rf"{_OWN}$")
    if not all(own.match(spread["what"]) for spread in _SPREAD.finditer(body)):
        return None
    return "date" if _DATE.search(body) else "set"


def _is_one_object(body: str) -> bool:
    """Whether the first brace closes at the end, so that one item is made."""
    depth = 0
    for index, character in enumerate(_without_texts(body)):
        if character in "{}":
            depth += 1 if character == "{" else -1
            if not depth:
                return index == len(_without_texts(body)) - 1
    return False


def _waiting(parts: list[str]) -> Shape | None:
    """A script that only sleeps before it passes its items on."""
    before = parts[:-1]
    alias = [name for name in before if not _ALIAS.match(name)]
    sleeps = alias and all(_SLEEP.fullmatch(alia) for alia in alias)
    return "wait" if sleeps and _is_passed(parts) else None


def _returned(parts: list[str]) -> list[str]:
    """The statements with what is named only to be returned in the return itself."""
    if len(parts) < 2 or not (named := _CONST.match(parts[-2])):
        return parts
    if parts[-1] != f"return {named['name']}":
        return parts
    value = named["value"]
    return [*parts[:-2], f"return{'' if value[0] in '[{(' else ' '}{value}"]


def _inlined(parts: list[str]) -> list[str]:
    """The statements with names for the items, or for what is used once, written out."""
    out = list(parts)
    changed = {name for part in parts for name in _CHANGED.findall(part)}
    index = 0
    while index < len(out) - 1:
        text, rest = out[index], out[index + 1 :]
        match = (alias := _ALIAS.match(text)) or _CONST.match(text)
        if match is None or match["name"] in changed or not _is_short(match["value"]):
            index += 1
            continue
        uses = sum(part_name == match["name"] for part in rest for part_name in _NAME.findall(part))
        if uses == 0 or not (alias or uses == 1):
            index += 1
            continue
        out = [*out[:index], *(_written_out(match, part) for part in rest)]
    return out


def _is_short(value: str) -> bool:
    return not _is_worked(value) or bool(_LISTED.match(value))


def _written_out(const: re.Match[str], part: str) -> str:
    name, value = const["name"], const["value"]
    if not _LISTED.match(value) and not _SIMPLE.fullmatch(value):
        value = f"({value})"
    return _NAME.sub(lambda match: value if match.group() == name else match.group(), part)


def _is_plain_const(statement: str) -> bool:
    match = _CONST.match(statement)
    return match is not None and not _is_worked(match["value"])


def _is_worked(value: str) -> bool:
    return bool(_WORKED.search(_without_texts(value)))


def _without_texts(code: str) -> str:
    """Returns code without its plain strings; what a template computes stays."""
    return _TEXT.sub("0", code)
