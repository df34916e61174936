"""Services named by a product without its maker, or by a service without the kind of tool."""

from __future__ import annotations

import json

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.resolve.mentions import find_mentions
from tests.support import catalogs
from tests.support.registries import registry_from

PACKAGE = "acme-nodes."
KINDS = ("Nimbus", "Quartz", "Marble", "Pebble")


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The catalog with products of one maker, several ledger stores, and another's crews."""
    lines = catalogs.acme()
    mail = next(line for line in lines if line.get("id") == catalogs.MAIL)
    names = {
        "globexCrews": "Globex Crews",
        "globexSkyDrop": "Globex SkyDrop",
        "globexNotes": "Globex Notes",
        "initechNotes": "Initech Notes",
        "initechBoards": "Initech Boards",
        **{f"ledger{kind}": f"{kind} Ledger Store" for kind in KINDS},
        **{f"other{number}": f"Umbrella{number}" for number in range(20)},
        "ledgerPlain": "Plain Ledger Store",
        "globexCrewsTrigger": "Globex Crews Trigger",
    }
    tools = []
    for tail, name in names.items():
        tool = json.loads(json.dumps(mail)) | {"id": PACKAGE + tail, "name": name, "aliases": []}
        tool |= {"keywords": [], "description": name}
        for variant in tool["variants"]:
            variant["credentials"] = (
                [] if tail == "ledgerPlain" else [{"name": "acmeApi", "required": True}]
            )
        if tail.endswith("Trigger"):
            tool["capabilities"] = ["trigger"]
        tools.append(tool)
    whole = [*(line for line in lines if line["kind"] != "end"), *tools]
    return registry_from(catalogs.jsonl(catalogs.add_end_line(whole)))


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("Post the report to Crews", ["globexCrews"]),
        ("Post it to Crews, then stop", ["globexCrews"]),
        ("Use GLOBEX Crews and SkyDrop", ["globexCrews", "globexSkyDrop"]),
        ("When a file is added in skydrop, read it", ["globexSkyDrop"]),
        ("Send Crews messages", ["globexCrews"]),
        ("search Nimbus for like documents", ["ledgerNimbus"]),
        ("keep the documents in quartz", ["ledgerQuartz"]),
        ("tell all crews", []),
        ("post it to crews", []),
        ("Crews that win are listed", []),
        ("write it for the Night Crews", []),
        ("write it to Crews Monthly", []),
        ('append to the sheet "Crews"', []),
        ("find the page 'Crews' there", []),
        ("Send it\n\n- Sales Crews\n- Crews of others", []),
        ("Slack, Crews and Teams", ["globexCrews"]),
        ("write it to Notes", []),
        ("take the Plain text", []),
        ("put it in a Ledger", []),
    ],
)
def test_a_short_name_is_a_mention(text: str, tools: list[str], registry: Registry) -> None:
    """A short name counts where no other service has it; ordinary words need their capitals."""
    mentions = find_mentions(text, registry)
    assert [tool for mention in mentions for tool in mention.tools] == [
        PACKAGE + tool for tool in tools
    ]
