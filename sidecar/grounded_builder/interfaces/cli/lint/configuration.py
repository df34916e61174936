"""Finds and reads lint configurations, which select the rules and files of a folder.

It is in ``grounded.toml``, or in ``[tool.grounded]`` of pyproject.toml.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pathspec import GitIgnoreSpec

from grounded_builder.domains.known import TARGET_OPTIONS
from grounded_builder.interfaces.cli.lint.selection import (
    NOTHING,
    Selection,
    SelectionError,
    select,
)
from grounded_builder.ir.target import NO_TARGET, Target, TargetError

OWN_FILE = "grounded.toml"
PROJECT_FILE = "pyproject.toml"
FailOn = Literal["wrong", "incomplete", "advice", "never"]
_KEYS = (
    "ignore",
    "exclude",
    "per-file-ignores",
    "baseline",
    "fail-on",
    "catalog",
    "domain",
    "libraries",
    "draft",
    *TARGET_OPTIONS,
)


class ConfigurationError(ValueError):
    """An unusable configuration; the message names file and key."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """How the documents of a folder are linted; paths are relative to ``root``.

    ``fail_on`` is the mildest class that makes the exit status 1. ``libraries`` are folders and
    files whose tools documents may name, in full. ``target`` is the installation that documents
    are for. With ``is_draft`` a written value that a tool would ignore is an error.
    """

    root: Path
    source: Path | None = None
    ignore: Selection = NOTHING
    exclude: GitIgnoreSpec | None = None
    per_file: tuple[tuple[GitIgnoreSpec, Selection], ...] = ()
    baseline: Path | None = None
    fail_on: FailOn = "incomplete"
    catalog: str = ""
    domain: str = ""
    libraries: tuple[str, ...] = ()
    target: Target = NO_TARGET
    is_draft: bool = False

    def relative(self, file: Path) -> str:
        """Returns a file's path below the root with forward slashes, in full when it lies
        elsewhere.
        """
        path = file.absolute()
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()

    def ignores(self, file: Path) -> Selection:
        """Returns the rules that do not apply to this file."""
        codes = set(self.ignore.codes)
        if self.per_file:
            path = self.relative(file)
            for spec, selection in self.per_file:
                if spec.match_file(path):
                    codes |= selection.codes
        return Selection(frozenset(codes))

    def excludes(self, file: Path) -> bool:
        """Returns whether a file in a folder is excluded."""
        return self.exclude is not None and self.exclude.match_file(self.relative(file))


def find_configuration(folder: Path) -> Configuration:
    """Returns the nearest configuration in a folder or its parents; the default where there is
    none.
    """
    start = folder.absolute()
    for here in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            file = here / name
            if file.is_file() and (configuration := _read(file)) is not None:
                return configuration
        if (here / ".git").exists():
            break
    return Configuration(start)


def read_configuration(file: Path) -> Configuration:
    """Returns the configuration in a named file; raises ConfigurationError where it has none."""
    if not file.is_file():
        raise ConfigurationError(f"{file}: no such file")
    configuration = _read(file)
    if configuration is None:
        raise ConfigurationError(f"{file}: there is no table [tool.grounded]")
    return configuration


def _read(file: Path) -> Configuration | None:
    try:
        content: Any = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if file.name == PROJECT_FILE:
            return None  # errors in a project file are reported by its own tools
        raise ConfigurationError(f"{file}: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from error
    if file.name == PROJECT_FILE:
        content = content.get("tool", {}).get("grounded")
        if content is None:
            return None
    return _configuration(content, file)


def _configuration(content: Any, file: Path) -> Configuration:
    if not isinstance(content, dict):
        raise ConfigurationError(f"{file}: tool.grounded is not a table")
    strange = [key for key in content if key not in _KEYS]
    if strange:
        raise ConfigurationError(f'{file}: no key "{strange[0]}"; known: {", ".join(_KEYS)}')
    root = file.parent.absolute()
    fail_on = content.get("fail-on", "incomplete")
    if fail_on not in get_args(FailOn):
        raise ConfigurationError(
            f'{file}: fail-on is "{fail_on}", not one of {", ".join(get_args(FailOn))}'
        )
    baseline = _text(content, "baseline", file)
    exclude = _texts(content, "exclude", file)
    return Configuration(
        root=root,
        source=file,
        ignore=_selection(_texts(content, "ignore", file), "ignore", file),
        exclude=_patterns(exclude) if exclude else None,
        per_file=_per_file(content.get("per-file-ignores", {}), file),
        baseline=root / baseline if baseline else None,
        fail_on=fail_on,
        catalog=_text(content, "catalog", file),
        domain=_text(content, "domain", file),
        libraries=tuple(str(root / text) for text in _texts(content, "libraries", file)),
        target=_target(content, file),
        is_draft=_switch(content, "draft", file),
    )


def _target(content: dict[str, Any], file: Path) -> Target:
    try:
        return Target.of(
            {name: option.read(content.get(name), name) for name, option in TARGET_OPTIONS.items()}
        )
    except TargetError as error:
        raise ConfigurationError(f"{file}: {error}") from error


def _per_file(value: Any, file: Path) -> tuple[tuple[GitIgnoreSpec, Selection], ...]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{file}: per-file-ignores is not a table")
    return tuple(
        (
            _patterns([pattern]),
            _selection(_texts(value, pattern, file), f'per-file-ignores."{pattern}"', file),
        )
        for pattern in value
    )


def _patterns(lines: list[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(lines)


def _selection(words: list[str], key: str, file: Path) -> Selection:
    try:
        return select(words)
    except SelectionError as error:
        raise ConfigurationError(f"{file}: {key}: {error}") from error


def _texts(content: dict[str, Any], key: str, file: Path) -> list[str]:
    value = content.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ConfigurationError(f'{file}: "{key}" is not a list of texts')
    return value


def _switch(content: dict[str, Any], key: str, file: Path) -> bool:
    value = content.get(key, False)
    if not isinstance(value, bool):
        raise ConfigurationError(f'{file}: "{key}" is neither true nor false')
    return value


def _text(content: dict[str, Any], key: str, file: Path) -> str:
    value = content.get(key, "")
    if not isinstance(value, str):
        raise ConfigurationError(f'{file}: "{key}" is not a text')
    return value
