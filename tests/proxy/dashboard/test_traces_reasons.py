"""Everything that a guard or a judge may not have looked at has words beside its code."""

import pytest

from proxy.openai_api.coverage import CHAT, COMPLETIONS, RESPONSES
from proxy.telemetry.counting import NOT_RUN
from proxy.views.words import REASON_WORDS, reason_word

TABLES = [table for door in (CHAT, COMPLETIONS, RESPONSES) for table in (door.request, door.reply)]


def test_every_reason_has_words() -> None:
    in_requests = {row.unchecked for table in TABLES for row in table.rows if row.unchecked}
    assert "image_parts" in in_requests
    assert {*NOT_RUN, *in_requests} - REASON_WORDS.keys() == set()


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("image_parts", "images"),
        ("failed:ValueError", "it failed with an error"),
        ("something_new:x", "something_new:x"),
        ("", ""),
    ],
)
def test_details_change_no_words(reason: str, word: str) -> None:
    assert reason_word(reason) == word
