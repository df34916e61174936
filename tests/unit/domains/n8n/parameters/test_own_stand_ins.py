"""Which texts repeat only what their parameter is, and are to be replaced."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.parameters.account_values import is_own_stand_in
from grounded_builder.domains.n8n.parameters.properties import Property


def _declare(name: str, label: str, kind: str = "string") -> Property:
    raw = {"name": name, "displayName": label, "type": kind}
    return Property(name, kind, raw, True, {}, "", None, str)


@pytest.mark.parametrize(
    ("name", "label", "text"),
    [
        ("bucket", "Bucket", "my-bucket-name"),
        ("bucketName", "Bucket Name", "BUCKET"),
        ("table", "Table", "table_name"),
        ("tableId", "Table Name or ID", "my_table"),
        ("channelId", "Channel", "CHANNEL"),
        ("projectId", "Project", "the project"),
        ("queue", "Queue", "QUEUE_NAME"),
        ("id", "Bitlink", "bit.ly/xxxxxxx"),
        ("chatId", "Chat ID", "C0XXXXXXX"),
        ("phone", "Phone", "+49 xxx xxx"),
        ("table", "Table", "your_table_name"),
        ("tableId", "Table Name or ID", "enter your table here"),
        ("accountId", "Account Name or ID", "N/A"),
        ("contactId", "Contact ID", "(contact id)"),
        ("tableId", "Table ID", "dummy"),
        ("callId", "Call to Get", "select a call"),
    ],
)
def test_a_text_that_repeats_its_parameter_is_a_stand_in(name: str, label: str, text: str) -> None:
    """Words of the name and the label, with words that choose nothing."""
    assert is_own_stand_in(text, _declare(name, label))


@pytest.mark.parametrize(
    ("name", "label", "text"),
    [
        ("driveId", "Parent Drive", "My Drive"),
        ("table", "Table", "table"),
        ("table", "Table", "customers"),
        ("bucket", "Bucket", "acme-uploads"),
        ("bucket", "Bucket", "my-photos"),
        ("message", "Message", "My message"),
        ("subject", "Subject", "Subject"),
        ("url", "URL", "https://example.xxx/a"),
        ("siteId", "Site", "acme.xxx"),
        ("path", "Path", "my-path"),
        ("channelId", "Channel", "Select options"),
        ("channelId", "Channel", "enter-the-dragon"),
        ("message", "Message", "N/A"),
        ("fieldId", "Field ID", "parcel_id"),
    ],
)
def test_a_text_that_chooses_is_none(name: str, label: str, text: str) -> None:
    """Another word is a choice; contents may repeat what they are."""
    assert not is_own_stand_in(text, _declare(name, label))
