from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.reading import Text, read
from guards.evidence.support import Support
from guards.text.citing.assessment import CITATION_THRESHOLD, Assessed, assess
from guards.text.citing.statements import support_of
from tests.tables import each_row

GARDEN = Source("1", "온실 안내", "온실은 화요일에 문을 닫는다. 입장료는 3,000원이다.")
PARKING = Source("2", "주차 안내", "주차장은 후문 옆 광장에 있다.")


def support(answer: str, question: str = "") -> Support:
    return support_of(read(Exchange(question, (GARDEN, PARKING), answer=answer)))


def score(text: str, *places: int, question: str = "") -> float:
    held = support(text, question)
    return held.carried(text, held.figures(0, len(text))).score(places)


def test_sources_together_carry_what_neither_carries_alone() -> None:
    both = "온실은 화요일에 문을 닫고 주차장은 후문 옆 광장에 있다"

    assert max(score(both, 0), score(both, 1)) < CITATION_THRESHOLD
    assert score(both, 0, 1) >= CITATION_THRESHOLD


def test_a_figure_counts_in_any_notation() -> None:
    assert score("입장료는 3천 원입니다", 0) > score("입장료는 5천 원입니다", 0)


def test_the_number_of_a_mark_is_no_figure() -> None:
    assert not support("온실은 화요일에 닫습니다[2].").figures(0, 40)


def test_words_of_the_question_that_no_source_has_are_left_out() -> None:
    answer = "관람객 온실은 화요일에 문을 닫는다"

    assert score(answer, 0, question="관람객") > score(answer, 0)


def test_nothing_is_carried_by_no_source() -> None:
    assert score("온실은 화요일에 문을 닫는다") == 0


def test_a_quote_is_the_nearest_sentence() -> None:
    held = support("입장료는 얼마다")

    assert held.quote("입장료는 3,000원이다", 0) == "입장료는 3,000원이다."
    assert held.quote("수족관", 1) == ""


def test_whoever_reads_an_exchange_again_gets_the_same() -> None:
    exchange = Exchange("", (GARDEN, PARKING), answer="온실은 화요일에 닫습니다[1].")
    other = Exchange("", (PARKING, GARDEN), answer="온실은 화요일에 닫습니다[1].")

    assert support_of(read(exchange)) is support_of(read(exchange))
    assert support_of(read(other)) is not support_of(read(exchange))
    assert assess(read(exchange), 0.7) is assess(read(exchange), 0.7)
    assert assess(read(exchange), 0.8) is not assess(read(exchange), 0.7)


def holds(known: str, asked: str) -> bool:
    [figure] = Text(asked).quantities
    sources = Support(read(Exchange("", (Source("1", "", known),))))
    return sources.carried("", [figure]).score([0]) == 1


@each_row("known, asked", "same")
def test_finds_the_same_in_another_notation(known: str, asked: str) -> None:
    assert holds(known, asked)


@each_row("known, asked", "different")
def test_tells_different_ones_apart(known: str, asked: str) -> None:
    assert not holds(known, asked)


SAID = st.sampled_from(
    [
        "온실은 화요일에 닫습니다",
        "입장료는 3,000원입니다",
        "입장료는 3천 원입니다",
        "입장료는 5,000원입니다",
        "2명이면 6,000원입니다",
        "2명 × 3,000원 = 6,000원입니다",
        "주차장은 후문 옆에 있고 온실은 화요일에 닫습니다",
    ]
)
MARKS = st.sampled_from(["", "[1]", "[2]", "[1][2]", "[3]"])
ANSWERS = st.lists(st.tuples(SAID, MARKS), min_size=1, max_size=4).map(
    lambda told: " ".join(f"{said}{mark}." for said, mark in told)
)


def told(assessed: Assessed) -> tuple[object, ...]:
    found = [(one, one.quote) for one in assessed.assessments]
    return found, assessed.missing, assessed.recall, assessed.precision


@given(st.lists(ANSWERS, min_size=2, max_size=4))
def test_what_was_measured_for_one_answer_changes_nothing_in_another(answers: list[str]) -> None:
    asked = Exchange("온실은 언제 닫나요?", (GARDEN, PARKING))

    for answer in answers:
        alone = Exchange(asked.question, asked.sources, answer=answer, previous_answer="…")
        assert told(assess(read(asked.answered(answer)), 0.7)) == told(assess(read(alone), 0.7))


@each_row("said, right, wrong", "fields")
def test_a_paraphrase_rests_on_the_source_that_says_so(said: str, right: str, wrong: str) -> None:
    sources = (Source("1", "", right), Source("2", "", wrong))
    held = Support(read(Exchange("알려 주세요", sources, answer=said)))

    carried = held.carried(said, held.figures(0, len(said)))

    assert carried.score([0]) >= CITATION_THRESHOLD
    assert carried.score([1]) <= 1 - CITATION_THRESHOLD
    assert held.quote(said, 0).rstrip(".") in right


def test_words_of_a_table_s_head_count_for_its_cells() -> None:
    table = "| 구분 | 평일 | 주말 |\n|---|---|---|\n| 어린이 수영 | 4,000원 | 6,000원 |"
    held = Support(read(Exchange("", (Source("1", "", table), PARKING), answer="")))

    assert held.carried("어린이 수영은 주말에").score([0]) == 1
    assert held.quote("어린이 수영은 주말에", 0) == "| 어린이 수영 | 4,000원 | 6,000원 |"
