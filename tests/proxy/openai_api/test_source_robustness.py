"""Sources are found in time, however a request is written."""

import re
import sys

from proxy.openai_api.sources.speech import small_letters
from tests.fakes.growth import assert_grows_with_its_input
from tests.proxy.openai_api.asking import QUESTION, find
from tests.tables import each_row


@each_row("char", "thousands_of_one_character_are_read_in_time")
def test_thousands_of_one_character_are_read_in_time(char: str) -> None:
    for role in ("user", "system", "tool"):
        assert_grows_with_its_input(
            lambda chars, role=role: find((role, char * chars), ("user", QUESTION)),  # type: ignore[misc]
            100_000,
        )


@each_row("lead, part", "thousands_of_one_thing_are_read_in_time")
def test_thousands_of_one_thing_are_read_in_time(lead: str, part: str) -> None:
    def look(count: int) -> None:
        text = lead + "".join(part.format(number) for number in range(count))
        find(("system", text), ("user", QUESTION))

    assert_grows_with_its_input(look, 1_600)


def test_thousands_of_user_messages_in_a_row_are_read_in_time() -> None:
    def look(count: int) -> None:
        found = find(*(("user", f"{number}일은요?") for number in range(count)))
        assert found.question.endswith(f"{count - 1}일은요?")

    assert_grows_with_its_input(look, 1_600)


def test_small_letters_are_what_a_pattern_that_ignores_case_reads() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    small = small_letters(everything)

    assert len(small) == len(everything)
    assert [one.start() for one in re.finditer("[a-z]", small)] == [
        one.start()
        for one in re.finditer("[a-z]", everything, re.IGNORECASE)
        if re.fullmatch(small[one.start()], one[0], re.IGNORECASE)
    ]
