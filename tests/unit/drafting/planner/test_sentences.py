"""What the planner takes for the request in a long description, and what it leaves aside."""

from __future__ import annotations

import pytest

from grounded_builder.drafting.planner.clauses import clauses_of
from grounded_builder.drafting.planner.sentences import prose_of

DESCRIPTION = """# Bills to the archive

## Who is this for?
People who use Acme Mail and like [our shop](https://shop.example).

## How it works
1. **Read bills**: reads the new bills
2. Saves each bill in the archive; sends a note

```json
{"not": "asked"}
```
---
## Prerequisites
- An account. Send us a message first.

## How to use it
Press the button and delete the old rows.
"""


def test_a_description_is_read_where_it_tells_the_work() -> None:
    """Readers, prerequisites, use and code are left out; the steps of the work stay in order."""
    prose = prose_of(DESCRIPTION)
    assert prose.is_document
    assert [sentence.strip() for sentence in prose.sentences] == [
        "Read bills: reads the new bills",
        "Saves each bill in the archive",
        "sends a note",
    ]


def test_only_what_does_something_counts_in_a_description() -> None:
    """Sentences of a description that neither name nor do anything are no clauses."""
    work = DESCRIPTION.split("## Pre", maxsplit=1)[0]
    said = f"{work}\n- Peace of mind\n- Happy colleagues every time"
    told = [clause.text for clause in clauses_of(said, lambda text: "bill" in text)]
    asked = "Read bills: reads the new bills|Saves each bill in the archive|sends a note".split("|")
    assert told == asked


@pytest.mark.parametrize(
    "said",
    [
        "## Prerequisites\nan account",
        "**Setup**\nsend a mail",
        "# Send the bills",
        "Send a mail to a@b.example, e.g. to Ann. Then stop",
    ],
)
def test_a_request_never_ends_up_empty(said: str) -> None:
    """Where everything would be left out, everything is read."""
    assert prose_of(said).sentences


def test_a_short_request_is_no_document() -> None:
    """Plain sentences are read as they stand, marks in quotes and links too."""
    prose = prose_of('Send "Hello. Bye" to https://a.example/b.c. Then run 0 */2 * * * again')
    assert not prose.is_document
    assert [sentence.strip() for sentence in prose.sentences] == [
        'Send "Hello. Bye" to https://a.example/b.c',
        "Then run 0 */2 * * * again",
    ]
