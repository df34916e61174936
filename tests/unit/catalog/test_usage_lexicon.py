"""Usage lexicons: their expectations, their file format, and no training text in them."""

from __future__ import annotations

from importlib.resources import files

import pytest

from grounded_builder.catalog.usage_features import name_features, request_features
from grounded_builder.catalog.usage_lexicon import Lexicon, dumps, load_lexicon, loads
from grounded_builder.catalog.usage_prior import UsagePrior
from scripts.train_weights import Example, learn_names, learn_requests
from tests.support.catalogs import MAIL
from tests.support.registries import acme_registry

_TOOLS = ("acme-nodes.agent", MAIL)
_SAID = (("ask the oracle", 0), ("ask oracle twice", 0), ("write home", 1), ("write a letter", 1))


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    """Weights learnt from a handful of invented names."""
    names = [Example(name_features(text)[0], (tool,)) for text, tool in _SAID]
    requests = [Example(request_features(text), (tool,)) for text, tool in _SAID]
    terms = {"names": [1.0], "requests": [1.0]}
    return Lexicon(
        _TOOLS, learn_names(names, 2), learn_requests(requests, 2), terms, {"label": ((0.5, 0.4),)}
    )


def test_a_learned_text_is_expected_to_mean_its_tool(lexicon: Lexicon) -> None:
    """Words that stood for a tool lead to it, in names and in requests."""
    expectation = UsagePrior(lexicon, acme_registry().tools.values())
    assert next(iter(expectation.expect_by_name("Ask it", 2).logs)) == "acme-nodes.agent"
    assert next(iter(expectation.expect_by_name("write", 2).logs)) == MAIL
    logs = expectation.expect_by_request("write").logs
    assert logs[MAIL] > logs["acme-nodes.agent"]


def test_unknown_words_have_no_effect(lexicon: Lexicon) -> None:
    """A text of unknown words has no known word, whatever the prior makes of it."""
    expectation = UsagePrior(lexicon, acme_registry().tools.values())
    assert expectation.expect_by_name("zygote", 2).known == 0
    assert expectation.expect_by_request("zygote").known == 0


def test_without_a_lexicon_nothing_is_expected() -> None:
    """A domain that nothing was learnt for is resolved by its catalog alone."""
    expectation = UsagePrior(None, acme_registry().tools.values())
    assert not expectation.expect_by_name("write", 2).logs
    assert not expectation.seen
    assert load_lexicon("no-such-domain") is None


def test_a_lexicon_is_the_same_after_a_file(lexicon: Lexicon) -> None:
    """Weights, terms and steps are read as they were written."""
    again = loads(dumps(lexicon))
    assert dumps(again) == dumps(lexicon)
    features = name_features("ask home")[0]
    assert again.names.scores(features) == pytest.approx(lexicon.names.scores(features), abs=1e-5)
    assert again.steps == lexicon.steps


def test_shipped_lexicon_is_small_and_monotonic() -> None:
    """The shipped lexicon is under 5 MB, and a larger share never has a lower confidence."""
    file = files("grounded_builder.catalog") / "lexicons" / "n8n.lexicon"
    assert len(file.read_bytes()) < 5_000_000
    shipped = load_lexicon("n8n")
    assert shipped is not None
    assert {"label", "name", "operation"} <= shipped.steps.keys()
    for steps in shipped.steps.values():
        assert list(steps) == sorted(steps)
        assert [sure for _, sure in steps] == sorted(sure for _, sure in steps)
