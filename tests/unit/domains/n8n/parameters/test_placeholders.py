"""Which texts a person still has to replace, by their form."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.parameters.placeholders import is_braced_stand_in, is_stand_in


@pytest.mark.parametrize(
    "text",
    [
        *("YOUR_SPREADSHEET_ID", "your-chat-id", "yourChatId", "<your chat id>", "<channel>"),
        *("[Your Google Sheet ID]", "{{YOUR_CALENDAR}}", "%CHAT_ID%", "__FOLDER__", "TODO"),
        *("xxx", "XXXXXXXX", "***", "...", "???", "INSERT_ID_HERE", "enter-chat-id", "TBD"),
        *("id-here", "SPREADSHEET_ID", "REPLACE_WITH_BASE", "changeme", "12345", "123456789"),
        *("C0123456789", "C1234567890", "abc123", "00000000-0000-0000", "+1234567890"),
        *("you@example.com", "ops@mail.example.org", "me@yourcompany.com"),
        *("https://your-domain.com/hook", "https://acme.io/users/USER_ID", "PLACEHOLDER"),
        *("https://docs.google.com/spreadsheets/d/<id>/edit", "https://yoursite.com"),
        *("$CHAT_ID", "${chat_id}", "chat id", "spreadsheet_id", "id-of-sheet", "chatId", "email"),
        *("e-mail address", "user@domain.com", "someone@company.com", "me@mydomain.org"),
    ],
)
def test_a_text_that_asks_to_be_replaced_is_a_stand_in(text: str) -> None:
    """Brackets, the reader's "your", instructions, capitals, runs, counts, reserved domains."""
    assert is_stand_in(text, is_own=True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "C08PGU0CLKS", "1KQ9NPfbFTsPMsC1gZ7BZNMKw9grnczwHtmCG-9Xx7R8", "gid=0", "6428"),
        *("change-requests", "todo", "add_leads", "select options", "ORDER_ITEMS", "tbl", "gpt-4o"),
        *("anna@acme.com", "https://acme.com/api/v2/items", "https://acme.com/{uid}/cancel"),
        *("={{ $json.your_id }}", "{{ $json.id }}", "+14155238886", "2003319a-bc73-423a", "here"),
        *("$json.id", "$5", "paid", "void", "Customer ids of May", "domain.com", "to"),
        *(
            "anna@thecompany.io",
            "ids",
            "@anna",
            "#billing",
            "Yours truly",
            "My Drive",
            "primary",
            "AC_POWER",
            "10002",
        ),
    ],
)
def test_a_value_that_can_be_real_is_none(text: str) -> None:
    """Ids, names of channels and tables, addresses and expressions stay as they are."""
    assert not is_stand_in(text, is_own=True)


@pytest.mark.parametrize(
    "text",
    ["Your order has shipped", "12345", "you@example.com", "your", "SHEET_ID", "<b>", "yourOrder"],
)
def test_a_text_for_others_is_judged_by_its_strictest_forms(text: str) -> None:
    """Messages and contents may hold what an id cannot be."""
    assert not is_stand_in(text)


@pytest.mark.parametrize("text", ["YOUR_MESSAGE", "<your text>", "TODO", "xxx"])
def test_a_text_for_others_can_be_a_stand_in(text: str) -> None:
    """A text that is nothing but a mark for what is left is one anywhere."""
    assert is_stand_in(text)


@pytest.mark.parametrize("text", ["{{CHAT_ID}}", "{{ Chat ID }}", "{{your_chat}}", "{{ EMAIL }}"])
def test_a_placeholder_in_double_braces_is_no_expression(text: str) -> None:
    """Capitals, several words, or the reader's "your"."""
    assert is_braced_stand_in(text)


@pytest.mark.parametrize(
    "text", ["{{ $json.id }}", "{{ chat_id }}", "{{ items.length }}", "{CHAT_ID}", "a {{CHAT_ID}}"]
)
def test_an_expression_in_double_braces_is_no_placeholder(text: str) -> None:
    """A name in small letters can be a field of the data."""
    assert not is_braced_stand_in(text)
