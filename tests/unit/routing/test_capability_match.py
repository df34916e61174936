"""Names and requests match tools by capabilities, and stay open if several fit."""

from __future__ import annotations

import random

import pytest

from grounded_builder.routing.capabilities import normalize_capability
from grounded_builder.routing.capability_match import get_matcher
from tests.support.tool_lists import make_desk_tools, make_tool_registry, make_web_tools, tool

EVERYTHING = [*make_desk_tools(), *make_web_tools()]


@pytest.mark.parametrize(
    ("item", "other"),
    [
        ("Search the Web", "web_search_not"),
        ("lookup.web", "find-web"),
        ("createDirectory", "make_folder"),
        ("send emails", "send_mail"),
        ("sortFiles", "arrange file"),
    ],
)
def test_capabilities_have_one_spelling(item: str, other: str) -> None:
    """Case, marks, joined writing and aliases make no difference."""
    if other == "web_search_not":
        assert normalize_capability(item) == "search.internet"
    else:
        assert normalize_capability(item) == normalize_capability(other)


@pytest.mark.parametrize(
    ("name", "tool_id"),
    [
        ("internet_lookup", "web_search"),
        ("find_on_web", "web_search"),
        ("listCalendarEvents", "calendar.list_events"),
        ("send_email", "compose_email"),
        ("delete_files", None),
        ("create_folder", None),
        ("format_disk", None),
    ],
)
def test_a_name_matches_a_tool_only_with_all_its_words(name: str, tool_id: str | None) -> None:
    """The name "delete files" fits no tool that organizes files: verb and object must agree."""
    assert get_matcher(make_tool_registry(EVERYTHING)).find_by_capability(name) == tool_id


def test_equal_matches_are_not_chosen() -> None:
    """Between two tools that can do the same, nothing is decided."""
    two = [tool("web_search_a", "Search the web."), tool("web_search_b", "Search the web.")]
    matcher = get_matcher(make_tool_registry(two))
    assert matcher.find_by_capability("search_internet") is None
    assert matcher.find_by_part("web_search") is None
    assert matcher.find_for_request("search the web for cats") is None


def test_part_of_a_name_is_enough_when_one_has_it() -> None:
    """The name may hold the tool's, or be held by it; two letters are no part."""
    matcher = get_matcher(make_tool_registry(EVERYTHING))
    assert matcher.find_by_part("calendar") == "calendar.list_events"
    assert matcher.find_by_part("my_take_screenshot_tool") == "take_screenshot"
    assert matcher.find_by_part("o") is None
    assert matcher.find_by_part("create") is None


@pytest.mark.parametrize("name", ["create_folder", "list_files", "move_files", "create_directory"])
def test_the_tool_that_does_the_whole_job_is_thought_of(name: str) -> None:
    """For invented file tools the one that organizes files is suggested first."""
    assert (
        get_matcher(make_tool_registry(make_desk_tools())).find_near_name(name)[0].tool
        == "organize_files"
    )


def test_the_order_of_tools_decides_nothing() -> None:
    """Shuffled lists give the same matches."""
    names = ["internet_lookup", "calendar", "make slides", "grab a picture of the page"]
    wanted = [
        [get_matcher(make_tool_registry(EVERYTHING)).find_near_name(name) for name in names],
        [get_matcher(make_tool_registry(EVERYTHING)).rank_for_request(name) for name in names],
    ]
    for seed in range(3):
        tools = list(EVERYTHING)
        random.Random(seed).shuffle(tools)
        matcher = get_matcher(make_tool_registry(tools))
        assert [matcher.find_near_name(name) for name in names] == wanted[0]
        assert [matcher.rank_for_request(name) for name in names] == wanted[1]
