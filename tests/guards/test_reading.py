"""Readings are made when first asked for, and once."""

from itertools import permutations

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.guard import Stage
from guards.core.reading import Reading, Text, forget_sources, read
from guards.estimates import Estimates, EstimatesSettings
from guards.names import Names, NamesSettings
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
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


RULES = (
    Source("주차", "주차 안내", "방문객은 주차장을 이용할 수 없다. 요금은 1시간에 2,000원이다."),
    Source("별관", "별관 안내", "별관은 목요일에 휴관한다. 요금은 1시간에 3,000원이다."),
    Source("대관", "대관 안내", "대강당은 회원만 빌릴 수 있다. 이용일 3일 전까지 신청한다."),
)
ANSWER = (
    "방문객은 주차장을 이용할 수 있습니다. 별관은 목요일에도 개관합니다. "
    "대강당은 누구나 빌릴 수 있습니다. 이용일 5일 전까지 신청합니다."
)


@each_row("sources", [*permutations(RULES), *permutations(RULES, 2)])
def test_passages_that_come_back_among_others_are_judged_as_if_they_were_new(
    sources: tuple[Source, ...],
) -> None:
    inspector = Inspector(load_shipped("default").policy)

    def found() -> list[Finding]:
        exchange = Exchange("어떻게 이용하나요?", sources, answer=ANSWER)
        return list(inspector.inspect(exchange, Stage.OUTPUT).findings)

    forget_sources()
    for rule in RULES:
        inspector.inspect(Exchange("어떻게 이용하나요?", (rule,), answer=ANSWER), Stage.OUTPUT)
    seen_alone = found()
    forget_sources()
    assert seen_alone == found()

    flipped = {
        quote.source_id
        for one in seen_alone
        if one.code == "negation.flipped"
        for quote in one.evidence
    }
    assert flipped == {source.id for source in sources} & {"주차", "별관"}
