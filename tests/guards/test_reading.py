"""Readings are made when first asked for, and once."""

from guards.core.exchange import Exchange, Source
from guards.core.reading import Reading, Text, read
from guards.estimates import Estimates, EstimatesSettings
from guards.names import Names, NamesSettings
from tests.tables import each_row


def test_what_a_function_reads_from_a_text_is_read_once() -> None:
    asked: list[str] = []

    def first_word(text: Text) -> str:
        asked.append(text.raw)
        return text.raw.split()[0]

    text = Text("연차휴가는 15일입니다.")

    assert [text.once(first_word), text.once(first_word)] == ["연차휴가는", "연차휴가는"]
    assert asked == ["연차휴가는 15일입니다."]


def test_each_text_keeps_its_own() -> None:
    def length(text: Text) -> int:
        return len(text.raw)

    assert [Text(raw).once(length) for raw in ("가", "가나")] == [1, 2]


def test_what_a_function_reads_from_an_exchange_is_read_once() -> None:
    asked: list[Reading] = []

    def sources(reading: Reading) -> int:
        asked.append(reading)
        return len(reading.sources)

    reading = read(Exchange("며칠인가요?", (Source("1", "", "15일이다."),)))

    assert [reading.once(sources), reading.once(sources)] == [1, 1]
    assert asked == [reading]


@each_row("times", [1, 3000])
def test_every_guess_of_a_long_answer_is_reported(times: int) -> None:
    exchange = Exchange("며칠인가요?", (Source("1", "", "15일이다."),), answer="아마 " * times)

    found = Estimates(EstimatesSettings()).check(read(exchange))

    assert len(found) == times


@each_row("times", [1, 3000])
def test_every_unknown_name_of_a_long_answer_is_reported(times: int) -> None:
    source = Source("1", "", "신청은 한빛구청에서 받는다.")
    answer = "\n".join(["신청은 새솔구청에서 받습니다."] * times)

    found = Names(NamesSettings()).check(read(Exchange("어디인가요?", (source,), answer=answer)))

    assert [finding.observed for finding in found] == ["새솔구청"] * times
