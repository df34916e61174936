"""The hook and the action that repositories use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from runtime import paths
from tests.support import catalogs
from tests.support.program import make_acme_state

ACTION = paths.ROOT / "action.yml"
HOOKS = paths.ROOT / ".pre-commit-hooks.yaml"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "flows").mkdir()
    (tmp_path / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    (tmp_path / "flows" / "good.json").write_text(json.dumps(catalogs.workflow()))
    bad = catalogs.workflow()
    bad["nodes"][0]["type"] = "acme-nodes.HOOK"
    (tmp_path / "flows" / "bad.json").write_text(json.dumps(bad))
    (tmp_path / "package.json").write_text("{}")
    return tmp_path


def environment(state: Path, **more: str) -> dict[str, str]:
    """The programs of this installation first on the path, as after an installation."""
    bin_ = str(Path(sys.executable).parent)
    entries = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    return {
        **entries,
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "GROUNDED_STATE": str(state),
        **more,
    }


@pytest.mark.long
def test_the_action_is_one_in_the_eyes_of_github() -> None:
    """action.yml obeys the published schema of actions."""
    made = subprocess.run(
        [
            str(Path(sys.executable).parent / "check-jsonschema"),
            *("--builtin-schema", "vendor.github-actions", str(ACTION)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.mark.long
@pytest.mark.parametrize(("given", "code"), [("flows", 1), ("flows/good.json", 0)])
def test_the_action_annotates_and_fails_on_findings(
    given: str, code: int, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its last step is run as GitHub's runner runs it: bash that ends at the first failure."""
    state = tmp_path_factory.mktemp("state")
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    env = environment(
        state,
        GROUNDED_PATHS=given,
        GROUNDED_CATALOG_FILE="acme.jsonl",
        GROUNDED_FORMAT=action["inputs"]["format"]["default"],
        GROUNDED_OUTPUT="",
        GROUNDED_ARGUMENTS="",
    )
    assert set(step["env"]) <= set(env)
    made = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == code, made.stderr
    assert ("::error file=flows/bad.json,line=" in made.stdout) is bool(code)


@pytest.mark.long
def test_the_hook_judges_the_files_that_changed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The hook's command, with the files of a commit after it, passes by what is no workflow."""
    state = make_acme_state(tmp_path_factory.mktemp("state"))
    (hook,) = yaml.safe_load(HOOKS.read_text("utf-8"))
    for files, code in ((["package.json", "flows/good.json"], 0), (["flows/bad.json"], 1)):
        made = subprocess.run(
            [*hook["entry"].split(), *files],
            cwd=repository,
            env=environment(state),
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == code, made.stdout + made.stderr
