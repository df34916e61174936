"""Builds the catalog entries of all blocks of the libraries."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from scripts.simulink.catalog_lines import (
    capabilities,
    description,
    line_of,
    pattern_line,
    split_words,
)
from scripts.simulink.duplicate_blocks import Twins, behind
from scripts.simulink.fix_documented_parameters import documented_for, documents_of
from scripts.simulink.library_places import (
    NO_BLOCKS,
    PARTS,
    maker_of,
    mask_of,
    place,
    plainness,
    product_of,
    rank,
)
from scripts.simulink.observed_ports import connections, is_physical, static_ports, usual_ports
from scripts.simulink.parameters import parameters_of
from scripts.simulink.releases import Releases
from scripts.simulink.sources import Sources, block_type, documented_name, one_line

_QUICK = "simulink/Quick Insert/"
_COMMON = "simulink/Commonly Used Blocks/"
# Libraries whose subsystems were listed with their contents.
_INNER = re.compile(r"^autolib\w+/.+/")
# Libraries that repeat blocks of others: older ones, and those for HDL code.
_COPIED = re.compile(r"legacy|^powerlib|^slpidlib|^hdlsllib|^SignalEditorBlockLib")
_GENERIC = frozenset(
    {"MATLABFcn", "Fcn", "S-Function", "M-S-Function", "MATLABSystem", "CFunction"}
)
_CALLED = frozenset({"FunctionName", "Parameters", "SFunctionModules"})


class Libraries:
    """The facts about the libraries' blocks, by path and by BlockType."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.documents = documents_of(sources)
        self.twins = Twins(sources, self.product)
        self.paths = sorted(self._paths())
        self.types = {path: self._type(path) for path in self.paths}
        self.home = self._homes()
        self.releases = Releases(sources.releases, sources.entries, self.types, self.home)
        self.named: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            if not path.startswith((_QUICK, _COMMON)) and path not in sources.renamed:
                self.named[path.rsplit("/", 1)[1]].append(path)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield every block as a catalog line; BlockTypes without a block come last."""
        for path in self.paths:
            if path.startswith(_QUICK):
                entry = self._quick(path)
                if entry is not None:
                    yield entry
            elif not path.startswith(_COMMON):
                yield self._block(path)
        for kind in sorted(self._known_types()):
            yield self._bare(kind)
        for path, pattern in self.sources.patterns.items():
            yield pattern_line(path, pattern)

    def _block(self, path: str) -> dict[str, Any]:
        sources = self.sources
        own = {**sources.library.get(path, {}), **sources.blocks.get(path, {})}
        use = self.twins.use(path)
        kind = self.types[path]
        name = path.replace("//", "\0").rsplit("/", 1)[1].replace("\0", "/")
        stated = (_first(use.get("source_type")) or "").strip(" .") or None
        mask = own.get("mask") or mask_of(path, kind, stated)
        bare = sources.entries.get(f"type:{kind}", {}) if kind not in (None, "SubSystem") else {}
        used = (use, bare, self.twins.kin(path))
        in_files = sources.file_defaults.get(kind or "", {}) if bare else {}
        if mask and kind in _GENERIC:
            # The default callbacks of a type are not those of a block of that type.
            in_files = {name: in_file for name, in_file in in_files.items() if name not in _CALLED}
        parameters = parameters_of(
            used,
            documented_for(sources, self.documents.get(path)),
            in_files,
            sources.ranges_of(kind),
            own.get("preset", {}),
            sources.menus_of(path, kind),
            is_base=path.startswith("simulink/"),
        )
        there = {parameter["name"] for parameter in parameters}
        parameters += [
            {"name": item, "type": parameter}
            for item, parameter in own.get("parameters", {}).items()
            if item not in there
        ]
        is_own = self.twins.is_own(path)
        known = (
            own.get("ports"),
            static_ports(use) if is_own else None,
            static_ports(bare) if bare else None,
        )
        ports = next((item for item in known if item is not None), None)
        usual = usual_ports(use) or self.twins.usual(path)
        joins = is_physical(use) or not {"lconn", "rconn"}.isdisjoint(ports or usual or ())
        maker = maker_of(path, sources.products) if not self.product(path) else ""
        traits: dict[str, Any] = {
            "block_type": kind or "SubSystem",
            "domain": "physical" if joins or path in sources.physical else "signal",
        }
        exact = _first(use.get("raw_spelling"))
        if exact and is_own and exact != path and one_line(exact) == path:
            traits["path"] = exact
        traits |= {
            key: value
            for key, value in (
                ("mask_type", mask),
                ("base", own.get("base")),
                ("preset", own.get("preset")),
                ("usual", usual if ports is None or maker else None),
                ("physical", connections(sources.physical.get(path))),
            )
            if value
        }
        if use and not bare and kind is None:
            traits["linked"] = True
        if ports is not None and not maker:
            traits["ports"] = ports
        successor = sources.renamed.get(path)
        line = line_of(path, name, maker or self.product(path), parameters, traits)
        line["aliases"] = self._aliases(path, name, kind, mask or stated)
        self.releases.onto(line, kind)
        line["description"] = sources.descriptions.get(path) or description(path, traits)
        if kind in _GENERIC or name == "MATLAB Function":
            line["is_generic"] = True
        line["capabilities"] = capabilities(path, kind, traits)
        twin = self._twin(path, name, kind)
        if twin:
            line["equivalent_to"] = [twin]
        if path in self.twins.linked and not is_own and path not in sources.paths:
            line["hidden"] = True
        if (shown := self.twins.find_shown_path(path)) in self.types:
            line |= {"hidden": True, "equivalent_to": [shown]}
        if _INNER.search(path):
            line["hidden"] = True
        if maker:
            line |= {"hidden": True, "requires_license": None}
            line["capabilities"] = [*line["capabilities"], "community"]
        if successor:
            line |= {"hidden": True, "replaced_by": [successor]}
        return line

    def _twin(self, path: str, name: str, kind: str | None) -> str | None:
        """Return the same block under a better known path."""
        same = self.named[name]
        if path.startswith("simulink/"):
            others = [
                text for text in same if text.startswith("simulink/") and self.types[text] == kind
            ]
            best = min(others, key=place) if others else path
            return best if best != path else None
        if not _COPIED.search(path):
            return None
        return next((text for text in sorted(same, key=rank) if not _COPIED.search(text)), None)

    def _quick(self, path: str) -> dict[str, Any] | None:
        """Return the entry of a Quick Insert block: a preset of another, or another name of it."""
        short = path.removeprefix(_QUICK)
        if short not in self.sources.presets:
            return None
        base, preset = self.sources.presets[short]
        if not preset:
            return None
        whole = self._block(base)
        for parameter in whole["variants"][0]["parameters"]:
            if parameter["name"] in preset:
                parameter["default"] = preset[parameter["name"]]
        traits = {**whole["variants"][0]["traits"], "base": base, "preset": preset}
        traits.pop("path", None)
        line = line_of(
            path, short.rsplit("/", 1)[1], "Simulink", whole["variants"][0]["parameters"], traits
        )
        text = ", ".join(f"{key} {value}" for key, value in preset.items())
        line["description"] = f"{whole['name']} with {text}"
        self.releases.onto_preset(line, whole)
        line["aliases"] = [*split_words(line["name"]), *self.sources.aliases.get(path, ())]
        if traits["block_type"] == "Logic":
            gate = line["name"]
            line["aliases"] += [f"{gate} gate", f"{gate} logic gate", f"{gate} operator"]
            line["aliases"] += [f"logical {gate}", f"boolean {gate}"]
        line["capabilities"] = capabilities(path, traits["block_type"], traits)
        return line

    def _bare(self, kind: str) -> dict[str, Any]:
        """Return the entry of a BlockType, which has built-in defaults and no other names."""
        sources = self.sources
        use = sources.entries.get(f"type:{kind}", {})
        part = PARTS.get(kind)
        document = self.documents.get(self.home.get(kind, "")) or part
        entries = documented_for(sources, document if document in sources.documented else None)
        options = {name: {**item, "default": None} for name, item in entries.items()}
        in_files, menus = sources.file_defaults.get(kind, {}), sources.menus_of("", kind)
        ranges = sources.ranges_of(kind)
        parameters = parameters_of((use,), options, in_files, ranges, {}, menus, is_base=True)
        traits: dict[str, Any] = {"block_type": kind, "domain": "signal", "bare": True}
        ports = static_ports(use)
        if ports is not None:
            traits["ports"] = ports
        elif (usual := usual_ports(use) or self.twins.usual(f"built-in/{kind}")) is not None:
            traits["usual"] = usual
        if kind in self.home:
            traits["base"] = self.home[kind]
        line = line_of(f"built-in/{kind}", kind, "Simulink", parameters, traits)
        self.releases.onto(line)
        if part:
            return line | {"name": part, "aliases": [kind], "description": "runs its subsystem"}
        line |= {"hidden": True, "description": f"the bare BlockType {kind}"}
        if kind in self.home:
            line["replaced_by"] = [self.home[kind]]
        return line

    def _aliases(self, path: str, name: str, kind: str | None, mask: str | None) -> list[str]:
        sources = self.sources
        entries = dict.fromkeys(sources.aliases.get(path, ()))
        if kind and self.home.get(kind) == path:
            entries[kind] = None
        if mask:
            entries[mask] = None
        document = self.documents.get(path)
        if document and (kind is None or self.home.get(kind) == path):
            entries |= dict.fromkeys(documented_name(document)[0].split(", "))
        for old, new in sources.renamed.items():
            if new == path:
                entries[old.rsplit("/", 1)[1]] = None
        for short, (base, preset) in sources.presets.items():
            if base == path and not preset:
                entries[short.rsplit("/", 1)[1]] = None
        entries.pop(name, None)
        return list(entries)

    def _paths(self) -> set[str]:
        sources = self.sources
        named = {*sources.paths, *sources.blocks, *sources.library}
        named |= self.twins.linked
        named |= behind(sources.paths, sources.backing).keys()
        named |= {old for old in sources.renamed if f"ref:{old}" in sources.entries}
        named |= {one_line(key[4:]) for key in sources.entries if key.startswith("ref:")}
        parents = {
            path.replace("//", "\0").rpartition("/")[0].replace("\0", "//") for path in named
        }
        for path in list(parents):
            places = path.split("/")
            parents |= {"/".join(places[:end]) for end in range(1, len(places))}
        return {
            path
            for path in named
            if "/" in path
            and (path not in parents or f"ref:{path}" in sources.entries)
            and path.rsplit("/", 1)[1].strip()
            and not NO_BLOCKS.search(path)
            and (self.product(path) or maker_of(path, sources.products))
        }

    def _type(self, path: str) -> str | None:
        sources = self.sources
        own = sources.blocks.get(path, {}).get("type") or sources.library.get(path, {}).get("type")
        value = own or sources.paths.get(path)
        if value is None and path in self.documents:
            documented = sources.documented[self.documents[path]]["type"]
            value = None if " " in documented else documented
        return block_type(value)

    def _homes(self) -> dict[str, str]:
        """Return the least specialised library block of each BlockType."""
        entries: dict[str, list[str]] = defaultdict(list)
        for path, kind in self.types.items():
            own = self.sources.library.get(path, {})
            is_base = path.startswith("simulink/") and not path.startswith((_QUICK, _COMMON))
            if kind and is_base and "base" not in own and path not in self.sources.renamed:
                entries[kind].append(path)
        plainest = {kind: min(paths, key=plainness) for kind, paths in entries.items()}
        return plainest | dict(self.sources.homes)

    def _known_types(self) -> set[str]:
        types = {kind for kind in self.types.values() if kind}
        types |= {key[5:] for key in self.sources.entries if key.startswith("type:")}
        types |= {kind for kind in self.sources.file_defaults if kind != "*"}
        return types | {"SubSystem", "Reference", *self.sources.types}

    def product(self, path: str) -> str:
        """Return the MathWorks product of the library of a path; empty for other libraries."""
        return product_of(path, self.sources.products)


def _first(counted: Any) -> str | None:
    return str(counted[0][0]) if counted else None
