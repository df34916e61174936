"""The expressions reported as broken are those that the installed parser refuses."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from evals.differential.questions import SHARED
from tests.support.time_bounds import PATIENCE_S
from tests.unit.domains.n8n.drafts import findings_of
from tests.unit.domains.n8n.expressions.test_expressions import BROKEN, EARLY, SOUND, draft_value


def test_the_lists_agree_with_the_installed_parser(
    n8n_dir: Path, node: Path, tmp_path: Path
) -> None:
    """The parser of the installed n8n takes the valid ones and refuses the broken ones."""
    answers = _ask([*SOUND, *BROKEN, *EARLY], n8n_dir, node, tmp_path)
    assert [value for value, answer in zip(SOUND, answers, strict=False) if answer] == []
    refused = answers[len(SOUND) :]
    assert [value for value, item in zip([*BROKEN, *EARLY], refused, strict=True) if not item] == []


@pytest.mark.long
def test_mutations_are_not_called_broken_where_the_parser_takes_them(
    n8n_dir: Path, node: Path, tmp_path: Path
) -> None:
    """Of 1,500 mutated expressions no valid one is reported, and at most 1 % of others missed."""
    real = _real_ones()
    chance, sound = random.Random(7), [*SOUND, *real]
    damaged = list(dict.fromkeys(_damage_expression(chance, sound) for _ in range(1500)))
    answers = _ask(damaged, n8n_dir, node, tmp_path)
    ours = {value: bool(findings_of(draft_value(value), "N8N321")) for value in damaged}
    taken = [value for value, answer in zip(damaged, answers, strict=True) if answer is None]
    refused = [value for value, answer in zip(damaged, answers, strict=True) if answer]
    assert [value for value in taken if ours[value]] == []
    if not real:
        pytest.skip("the collected workflows, whose share is asked, are not beside the checkout")
    assert sum(ours[value] for value in refused) >= 0.99 * len(refused)


def _ask(values: list[str], n8n_dir: Path, node_binary: Path, tmp_path: Path) -> list[str | None]:
    file = tmp_path / "expressions.json"
    file.write_text(json.dumps(values), "utf-8")
    root = n8n_dir / "node_modules" / "n8n-workflow"
    script = Path(__file__).with_name("tournament.cjs")
    command = [str(node_binary), str(script), str(root), str(file)]
    answered = subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    answers: list[str | None] = json.loads(answered.stdout)
    return answers


_MARKS = [*"()[]{}'\"`;:?.,#@\\=+*/", "=>", "...", "await ", "if ", "return ", "//", "/*", "??"]


def _real_ones() -> list[str]:
    """A slice of the expressions in the real workflows beside the checkout, none without them."""
    if not SHARED.exists():
        return []
    with gzip.open(SHARED, "rt", encoding="utf-8") as stream:
        workflows = [json.loads(line)["workflow"] for line in islice(stream, 150)]
    texts = re.findall(r'"=((?:[^"\\]|\\.)*\{\{(?:[^"\\]|\\.)*)"', json.dumps(workflows))
    return [json.loads(f'"{text}"') for text in texts if len(text) < 600]


def _damage_expression(chance: random.Random, sound: list[str]) -> str:
    value = chance.choice(sound)
    for _ in range(chance.randint(1, 2)):
        place = chance.randrange(len(value) + 1)
        if chance.random() < 0.4:
            value = value[:place] + value[place + 1 :]
        else:
            value = value[:place] + chance.choice(_MARKS) + value[place:]
    return value
