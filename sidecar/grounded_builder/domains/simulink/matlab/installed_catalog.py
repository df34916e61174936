"""Creates a catalog from the report of what a MATLAB installation contains.

The report is JSON Lines: an ``installation``, then ``block`` and ``type`` lines, then an ``end``.
It determines blocks, parameters, options and defaults. What the built-in catalog knows of the same
path (words, ranges, ports) is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.catalog.library_path import package_of
from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, parse

Line = dict[str, Any]

# The order of `get_param(block, 'Ports')`:
# https://www.mathworks.com/help/simulink/slref/common-block-parameters.html
_PORTS = ("in", "out", "enable", "trigger", "state", "lconn", "rconn", "ifaction", "reset", "event")
_SWITCH = frozenset({"on", "off"})
_LONGEST = 300
_KEPT = ("aliases", "description", "capabilities", "is_generic")
_KEPT_TRAITS = ("usual", "ports", "base", "preset", "physical", "linked", "domain")
_KEPT_SINCE = ("not_before", "seen", "instead")


class FactsError(ValueError):
    """Raised when a report makes no catalog; the message names the line."""


class _Told(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Library(_Told):
    name: str
    error: str = ""


class _Product(_Told):
    name: str
    version: str = ""


class _Installation(_Told):
    kind: Literal["installation"]
    release: str
    products: list[_Product] = []
    licences: list[str] = []
    libraries: list[_Library]


class _Parameter(_Told):
    name: str = Field(min_length=1)
    type: str = ""
    options: list[str] = []
    default: str = ""
    evaluated: bool = True


class _Block(_Told):
    kind: Literal["block"]
    path: str = Field(min_length=1)
    block_type: str
    mask_type: str = ""
    ports: list[float] = []
    parameters: list[_Parameter] = []
    inside: list[str] = []


class _Default(_Told):
    name: str
    default: str


class _Type(_Told):
    kind: Literal["type"]
    block_type: str
    parameters: list[_Default] = []


class _End(_Told):
    kind: Literal["end"]
    blocks: float


_LINE: TypeAdapter[_Installation | _Block | _Type | _End] = TypeAdapter(
    Annotated[_Installation | _Block | _Type | _End, Field(discriminator="kind")]
)


def catalog_of_facts(facts: bytes) -> bytes:
    """Returns the catalog file of a report; raises FactsError when it is incomplete."""
    results = list(_read(facts))
    first, last = (results[0], results[-1]) if results else (None, None)
    if not isinstance(first, _Installation):
        raise FactsError("the first line does not describe an installation")
    blocks = [item for item in results if isinstance(item, _Block)]
    if not isinstance(last, _End) or int(last.blocks) != len(blocks):
        raise FactsError(
            f"the report is incomplete: {len(blocks)} blocks, which is not the stated number"
        )
    known = _builtin_tools()
    products = _products(known)
    types = {item.block_type: item for item in results if isinstance(item, _Type)}
    lines: dict[str, Line] = {}
    for item in blocks:
        path = " ".join(item.path.split())
        if len(path) <= _LONGEST and "/" in path:
            lines[path] = _block(item, path, types, known.get(path, {}))
            # A library block of a product belongs to it, even if the catalog does not have the
            # block.
            lines[path] |= {} if path in known else products.get(path.partition("/")[0], {})
    for name in {block.block_type for block in blocks}:
        bare = known.get(f"built-in/{name}")
        if bare is not None:
            lines[bare["id"]] = _bare(bare, types.get(name), lines)
    for path, line in known.items():
        if path.startswith("pattern/") and set(line.get("subcomponents", ())) <= lines.keys():
            lines[path] = line
    end = {"kind": "end", "tools": len(lines), "credentials": 0}
    ordered = (lines[path] for path in sorted(lines))
    return b"".join(orjson.dumps(line) + b"\n" for line in (_header(first), *ordered, end))


def _read(facts: bytes) -> Iterator[_Installation | _Block | _Type | _End]:
    for number, raw in enumerate(facts.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            yield _LINE.validate_python(orjson.loads(raw))
        except orjson.JSONDecodeError as error:
            raise FactsError(f"line {number} is not JSON: {error.msg}") from error
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            place = "/".join(str(part) for part in fault["loc"])
            raise FactsError(f"line {number}: {place}: {fault['msg']}") from error


def _builtin_tools() -> dict[str, Line]:
    lines = (orjson.loads(raw) for raw in builtin().splitlines())
    return {line["id"]: line for line in lines if line["kind"] == "tool"}


def _products(known: Mapping[str, Line]) -> dict[str, Line]:
    """Returns the product of each library whose known blocks all belong to one product."""
    entries: dict[str, Line] = {}
    for path, line in known.items():
        root = path.partition("/")[0]
        product = {key: line[key] for key in ("family", "requires_license")}
        entries[root] = product if entries.setdefault(root, product) == product else {}
    return entries


def _header(installation: _Installation) -> Line:
    versions = {
        product.name: product.version or "unknown"
        for product in installation.products
        if product.name
    }
    versions |= {f"licence {name}": "held" for name in installation.licences if name}
    packages: list[Line] = [
        {"name": library.name, "error": library.error[:_LONGEST]}
        if library.error
        else {"name": library.name}
        for library in installation.libraries
        if library.name
    ]
    return {
        "kind": "header",
        "domain": "simulink",
        "schema": 1,
        "origin": "installed",
        "versions": versions | {"release": installation.release or "unknown"},
        "packages": packages,
        "generator": "grounded.sync",
    }


def _block(block: _Block, path: str, types: Mapping[str, _Type], known: Line) -> Line:
    before = known["variants"][0] if known else {"parameters": [], "traits": {}}
    words = {parameter["name"]: parameter for parameter in before["parameters"]}
    plain = block.block_type != "SubSystem" and not block.mask_type
    bare = types.get(block.block_type) if plain else None
    files = {each.name: each.default for each in bare.parameters} if bare else {}
    parameters = [_parameter(each, files, words.get(each.name, {})) for each in block.parameters]
    results = (*_KEPT_TRAITS, *_KEPT_SINCE)
    traits = {key: before["traits"][key] for key in results if key in before["traits"]}
    traits |= {"block_type": block.block_type}
    counts = {kind: int(n) for kind, n in zip(_PORTS, block.ports, strict=False) if n > 0}
    # Counts of one configuration are fixed only where no parameter can be set.
    traits.setdefault("ports" if not block.parameters else "usual", counts)
    if "domain" not in traits:
        physical = counts.keys() & {"lconn", "rconn"}
        traits["domain"] = "physical" if physical else "signal"
    traits |= {"mask_type": block.mask_type} if block.mask_type else {}
    traits |= {"linked": True} if block.block_type == "SubSystem" and block.mask_type else {}
    traits |= {"path": block.path} if block.path != path else {}
    root, *middle = path.replace("//", "\0").split("/")
    name = middle[-1].replace("\0", "/")
    line: Line = {
        "kind": "tool",
        "id": path,
        "name": name,
        "category": "/".join(middle[:-1]).replace("\0", "/"),
        "family": known.get("family", root),
        "package": package_of(path) or root,
        "version_introduced": known.get("version_introduced"),
        "requires_license": known.get("requires_license"),
        "description": f"{traits['domain']} block of {(middle[-2:-1] or [root])[0]}",
        "subcomponents": list(dict.fromkeys(" ".join(each.split()) for each in block.inside)),
        "variants": [
            {"versions": [1], "inputs": [], "outputs": [], "parameters": parameters}
            | {"traits": traits}
        ],
    }
    if block.mask_type and block.mask_type != name:
        line["aliases"] = [block.mask_type]
    return line | {key: known[key] for key in _KEPT if known.get(key)}


def _parameter(parameter: _Parameter, files: Mapping[str, str], words: Line) -> Line:
    options = list(dict.fromkeys(parameter.options))
    kind: Line
    if parameter.type == "boolean" or (options and set(options) <= _SWITCH):
        kind = {"type": "switch"}
    elif options:
        kind = {"type": "choice", "options": options}
    elif words.get("type") in ("value", "text"):
        kind = {"type": words["type"]}
    else:
        kind = {"type": "value" if parameter.evaluated and _is_value(parameter.default) else "text"}
    entries = {**words, **kind, "name": parameter.name, "default": parameter.default}
    for key in ("seen", "builtin", "open" if options else ""):
        entries.pop(key, None)
    if files.get(parameter.name, parameter.default) != parameter.default:
        entries["builtin"] = files[parameter.name]
    return entries


def _bare(bare: Line, type_: _Type | None, lines: Mapping[str, Line]) -> Line:
    """Returns the BlockType as files name it, with the defaults of this release."""
    files = {parameter.name: parameter.default for parameter in type_.parameters} if type_ else {}
    variant = bare["variants"][0]
    parameters = [
        {**parameter, "default": files[parameter["name"]]}
        if parameter["name"] in files
        else parameter
        for parameter in variant["parameters"]
    ]
    line = {**bare, "variants": [{**variant, "parameters": parameters}]}
    results = [path for path in bare.get("replaced_by", ()) if path in lines]
    return line | {"replaced_by": results}


def _is_value(text: str) -> bool:
    try:
        parse(text)
    except RejectedValueError:
        return False
    return True
