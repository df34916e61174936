"""Learns a domain's lexicon: the words by which people name its tools.

``python -m scripts.learn_lexicon DATA CATALOG OUT --folds FOLDER``: DATA holds labels, titles and
workflows, CATALOG is a file of node-catalog-sync. What is learnt without each fold of
repositories is kept in FOLDER: ``evals.bench.resolver`` measures with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp
from pathlib import Path
from random import Random

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.usage_features import name_features, request_features
from grounded_builder.catalog.usage_lexicon import Lexicon, dumps, loads
from grounded_builder.catalog.usage_prior import UsagePrior
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.resolver import gather_evidence
from grounded_builder.resolve.spelling_match import match_spelling
from grounded_builder.resolve.tool_search import query_features
from scripts.fit_weights import Choice, Signs, fit_choice, fit_odds, fit_steps, score
from scripts.read_usage import FOLDS, Label, Title, Usage, only, read_usage, without
from scripts.train_weights import Example, learn_names, learn_requests

_NAMES = (0.6, 0.0, 2.5, 0.0, 0.7, 0.5, 0.8, 0.7, -1.0, 3.0, 1.0, 1.5, *(0.0,) * 4)
_REQUESTS = (0.6, 0.0, 1.7, 1.3, 1.4, 2.8, 0.1, -5.0, 0.7, -0.4, 0.0)
_STEP = 100
_LEFT_OUT = 3
_STRANGERS = 500
_STRANGERS_LEARNT = 3_000
_CLOSEST = 60


def main() -> None:
    """Learn from all data, and once without each fold in order to calibrate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("catalog", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--folds", type=Path, required=True, help="the folder of the lexicons of folds"
    )
    options = parser.parse_args()
    usage = read_usage(options.data)
    folds = fold_lexicons(usage, options.folds, options.catalog.read_bytes())
    whole = load_or_learn(options.folds / "all.lexicon", usage)
    last = folds[-1]
    options.out.write_bytes(dumps(replace(whole, terms=last.terms, steps=last.steps)))


def fold_lexicons(usage: Usage, folder: Path, catalog: bytes) -> list[Lexicon]:
    """Return a lexicon learned without each fold, and the terms and steps over all folds."""
    bare = [
        load_or_learn(folder / f"{fold}.lexicon", without(usage, fold)) for fold in range(FOLDS)
    ]
    registries = [registry_with(catalog, lexicon) for lexicon in bare]
    names: list[list[Choice]] = []
    for fold, registry in enumerate(registries):
        labels = only(usage, fold).labels
        names.append(list(name_choices(labels, registry, NameContext(label=True))))
    requests = [
        list(request_rows(only(usage, fold).titles, registries[fold])) for fold in range(FOLDS)
    ]
    strangers = list(stranger_choices(usage, folder, catalog))
    spellings = spelling_steps(usage.names, registries[0])
    fitted = []
    for left_out in (*range(FOLDS), None):
        others = [fold for fold in range(FOLDS) if fold != left_out]
        kept_names = [name for fold in others for name in names[fold]]
        kept_rows = [request for fold in others for request in requests[fold]]
        terms = {
            "names": fit_choice(
                [kept_name for kept_name in (*kept_names, *strangers) if kept_name[1] >= 0], _NAMES
            ),
            "requests": fit_odds(kept_rows, _REQUESTS),
        }
        steps = {"label": _steps([name for at in others for name in names[at]], terms["names"])}
        print(f"left out {left_out}: {terms}", flush=True)
        lexicon = bare[left_out if left_out is not None else 0]
        fitted.append(replace(lexicon, terms=terms, steps={**steps, **spellings}))
    return fitted


def load_or_learn(file: Path, usage: Usage) -> Lexicon:
    """Return the lexicon in a file; learn and write it if the file does not exist."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(dumps(lexicon_from(usage)))
        print(f"learnt {file.name}", flush=True)
    return loads(file.read_bytes())


def lexicon_from(usage: Usage) -> Lexicon:
    """Return the weights of names and requests for every tool that is used."""
    tools = sorted(
        {label.tool for label in usage.labels} | {t for o in usage.titles for t in o.tools}
    )
    number = {tool: at for at, tool in enumerate(tools)}
    names = learn_names(
        [Example(name_features(label.text)[0], (number[label.tool],)) for label in usage.labels],
        len(tools),
    )
    requests = learn_requests(
        [
            Example(request_features(text), tuple(sorted(number[t] for t in title.tools)))
            for title in usage.titles
            for text in (title.text, title.story)
        ],
        len(tools),
    )
    return Lexicon(tuple(tools), names, requests, {}, {})


def registry_with(catalog: bytes, lexicon: Lexicon) -> Registry:
    """Return a registry that uses this lexicon in place of the shipped one."""
    prepared = prepare_catalog(read_catalog(catalog))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    registry = open_registry(
        index, prepared.fingerprint, bodies.__getitem__, N8N.resolving.compile_tool
    )
    registry.__dict__["expectation"] = UsagePrior(lexicon, registry.tools.values())
    return registry


def spelling_steps(
    names: Sequence[tuple[str, str]], registry: Registry
) -> dict[str, tuple[tuple[float, float], ...]]:
    """Return, for each kind of spelling, how often the tool found by it was right."""
    right: dict[str, list[bool]] = {}
    for name, tool in names:
        resolution = (
            match_spelling(name, registry, NameContext()) if tool in registry.tools else None
        )
        if (
            resolution is not None
            and resolution.status == "resolved"
            and name not in registry.tools
        ):
            right.setdefault(resolution.method, []).append(resolution.tool == tool)
    return {
        method: ((1.0, round((sum(rows) + 1) / (len(rows) + 2), 3)),)
        for method, rows in sorted(right.items())
    }


def name_choices(
    labels: Sequence[Label], registry: Registry, context: NameContext
) -> Iterator[Choice]:
    """Return the candidates of every label, and the index of the right one (-1: none)."""
    for label in labels:
        if label.tool in registry.tools:
            ranked = gather_evidence(label.text, registry, context).ranked
            places = [at for at, item in enumerate(ranked) if item.tool == label.tool]
            yield [item.features for item in ranked], places[0] if places else -1


def stranger_choices(usage: Usage, folder: Path, catalog: bytes) -> list[Choice]:
    """Return the candidates of labels whose tools the lexicon was not learned from."""
    lexicon, measured = strangers(usage, folder, catalog)
    registry = registry_with(catalog, lexicon)
    apart = set(measured)
    labels = [
        label
        for label in usage.labels
        if label.tool in registry.tools and label.tool not in lexicon.tools and label not in apart
    ]
    drawn = Random(6).sample(labels, min(_STRANGERS_LEARNT, len(labels)))  # noqa: S311 - see below
    return list(name_choices(drawn, registry, NameContext(label=True)))


def strangers(usage: Usage, folder: Path, catalog: bytes) -> tuple[Lexicon, list[Label]]:
    """Return a lexicon learned without every third tool, and the labels of those tools."""
    tools = sorted({label.tool for label in usage.labels})
    draw = Random(5)  # noqa: S311 - a seeded choice, not cryptography
    strange = set(draw.sample(tools, len(tools) // _LEFT_OUT))
    known = tuple(label for label in usage.labels if label.tool not in strange)
    lexicon = load_or_learn(folder / "strangers.lexicon", Usage(known, ()))
    installed = registry_with(catalog, lexicon).tools
    labels = [label for label in usage.labels if label.tool in strange and label.tool in installed]
    return lexicon, draw.sample(labels, min(_STRANGERS, len(labels)))


def request_rows(titles: Sequence[Title], registry: Registry) -> Iterator[tuple[Signs, bool]]:
    """Return the closest candidates of every title, and whether its workflow uses each."""
    for title in titles:
        lexical = {
            registry.search.documents[number].row.id: score_of
            for score_of, number in registry.search.rank(title.text, _CLOSEST)
        }
        logs: dict[str, float] = dict(registry.expectation.expect_by_request(title.text).logs)
        signs = query_features(title.text, [*lexical, *logs], logs, lexical, registry)
        close = sorted(signs, key=lambda tool: -score(_REQUESTS, signs[tool]))[:_CLOSEST]
        yield from ((signs[tool], tool in title.tools) for tool in close)


def _steps(choices: Sequence[Choice], terms: Sequence[float]) -> tuple[tuple[float, float], ...]:
    return tuple(fit_steps([_sureness(choice, terms) for choice in choices if choice[0]], _STEP))


def _sureness(choice: Choice, terms: Sequence[float]) -> tuple[float, bool]:
    """Return the share of the first candidate, and whether it is the right one."""
    candidates, right = choice
    scores = [score(terms, signs) for signs in candidates]
    most = max(scores)
    return 1 / sum(exp(item - most) for item in scores), scores.index(most) == right


if __name__ == "__main__":
    main()
