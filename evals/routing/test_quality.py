"""Tests that the fallback reaches its measured floor on definitions in the repository."""

from __future__ import annotations

from pathlib import Path

from evals.routing.cases import make_cases, read_own_tools, read_server_tools
from evals.routing.measure import choose_by_fallback, measure_routes


def test_the_fallback_finds_what_describes_itself_so(tmp_path: Path) -> None:
    """The fallback finds 90 % of the tools by description, and calls at most 3 % wrongly."""
    pool = {
        "sidecar over HTTP": read_own_tools(),
        "MCP servers": read_server_tools(GROUNDED_STATE=str(tmp_path)),
    }
    score = measure_routes(make_cases(pool, 40, seed=3), choose_by_fallback)["all"]
    print(score.right, score.other, score.none, score.uncalled_for, "of", score.total)
    assert score.total >= 30
    assert score.right >= 0.9 * score.total
    assert score.other <= 0.03 * score.total
    assert score.uncalled_for <= 0.2 * score.total
