import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.text.citing.assessment import CITATION_THRESHOLD, Assessed, Status, assess
from tests.tables import each_row

REFUND = Source(
    "1",
    "환불 안내",
    "구매한 날부터 7일 이내에 신청하면 결제 금액을 전액 환불한다.",
    file="환불.pdf",
)
PARKING = Source("2", "주차 안내", "주차장은 지하 2층에 있으며 방문객은 3시간까지 무료로 세운다.")
POOL = Source("3", "수영장 안내", "수영장은 오전 6시에 열고 저녁 9시에 닫으며 수영모를 써야 한다.")
SOURCES = (REFUND, PARKING, POOL)

REFUNDED = "구매 후 7일 이내에 신청하시면 결제 금액이 전액 환불됩니다"
PARKED = "주차장은 지하 2층에 있고 방문객은 3시간까지 무료입니다"


def assessed(
    answer: str, sources: tuple[Source, ...] = SOURCES, question: str = "알려 주세요"
) -> Assessed:
    return assess(
        read(Exchange(question=question, sources=sources, answer=answer)), CITATION_THRESHOLD
    )


def test_a_source_that_says_so_is_cited_accurately() -> None:
    [one] = assessed(f"{REFUNDED}[†1].").assessments

    assert (one.number, one.source_id, one.status) == (1, "1", Status.ACCURATE)
    assert one.confidence == one.score >= 0.7
    assert one.quote == REFUND.text
    assert one.better is None


def test_another_source_that_says_so_is_the_better_one() -> None:
    [one] = assessed(f"{REFUNDED}[†3].").assessments

    assert (one.source_id, one.status, one.better) == ("3", Status.INACCURATE, "1")
    assert one.confidence == round(1 - one.score, 3) >= 0.7
    assert one.quote == REFUND.text


def test_two_better_sources_are_none() -> None:
    again = Source("4", "환불 정책", REFUND.text)

    [one] = assessed(f"{REFUNDED}[†3].", (*SOURCES, again)).assessments

    assert (one.better, one.rivals) == (None, 2)


def test_a_figure_counts_in_any_notation() -> None:
    [one] = assessed(
        "구매하고 이레 이내에 신청하면 결제 금액을 전액 환불해 드립니다[†1]."
    ).assessments

    assert one.status is Status.ACCURATE


def test_a_figure_that_the_source_lacks_makes_a_citation_doubtful() -> None:
    [one] = assessed("구매 후 45일 이내에 신청하시면 결제 금액이 전액 환불됩니다[†1].").assessments

    assert one.status is Status.UNCERTAIN


def test_a_figure_that_the_asker_gave_does_not() -> None:
    [one] = assessed(
        "5일 전에 구매하셨다면 신청하실 때 결제 금액이 전액 환불됩니다[†1].",
        question="5일 전에 샀는데 환불되나요?",
    ).assessments

    assert one.status is Status.ACCURATE


@each_row("answer, statuses", "several_citations_of_one_sentence")
def test_several_citations_of_one_sentence(answer: str, statuses: list[Status]) -> None:
    assert [one.status for one in assessed(answer).assessments] == statuses


@each_row("answer, found", "a_citation_is_held_against_its_own_clause")
def test_a_citation_is_held_against_its_own_clause(
    answer: str, found: list[tuple[str | None, Status]]
) -> None:
    assert [(one.source_id, one.status) for one in assessed(answer).assessments] == found


def test_what_has_some_words_of_it_is_idle_beside_one_that_carries_it_all() -> None:
    visitors = Source("4", "방문 안내", "방문객 주차 등록은 관리실에서 한다.")

    [right, idle] = assessed(f"{PARKED}[2][4].", (*SOURCES, visitors)).assessments
    [alone] = assessed(f"{PARKED}[4].", (REFUND, visitors)).assessments

    assert (right.status, idle.status) == (Status.ACCURATE, Status.INACCURATE)
    assert 0.1 < idle.score <= 0.3
    assert 0.1 < alone.score <= 0.3
    assert alone.status is Status.UNCERTAIN


@each_row("answer", "nothing_is_told_of_the_marks_of_a_lead_in")
def test_nothing_is_told_of_the_marks_of_a_lead_in(answer: str) -> None:
    assert {one.status for one in assessed(answer).assessments} == {Status.UNCERTAIN}


def test_a_citation_at_a_paragraph_s_end_may_be_for_the_sentences_before() -> None:
    alone = assessed("자세한 절차와 서류는 고객센터 상담원에게 문의하면 친절히 설명합니다[†1].")
    closing = assessed(
        f"{REFUNDED}. 자세한 절차와 서류는 고객센터 상담원에게 문의하면 친절히 설명합니다[†1]."
    )

    assert alone.assessments[0].status is Status.INACCURATE
    assert closing.assessments[0].status is Status.UNCERTAIN


def test_a_source_in_another_language_is_not_said_to_lack_anything() -> None:
    english = Source("1", "Refunds", "Ask within 7 days and the whole amount is paid back.")

    [one] = assessed(
        "기간 안에 신청하시면 결제하신 금액이 모두 환불됩니다[†1].", (english,)
    ).assessments

    assert one.status is Status.UNCERTAIN


@each_row("answer", ["네[†1].", "12[†1].", "가능합니다[†3]."])
def test_what_is_too_short_is_never_inaccurate(answer: str) -> None:
    assert all(one.status is not Status.INACCURATE for one in assessed(answer).assessments)


def test_each_pair_is_assessed_once() -> None:
    found = assessed(f"{REFUNDED}[†1][†1]. {PARKED}[†1].").assessments

    assert [(one.statement.text, one.number) for one in found] == [
        (f"{REFUNDED}.", 1),
        (f"{PARKED}.", 1),
    ]


@each_row("mark, source_id", "named_sources_are_assessed_too")
def test_named_sources_are_assessed_too(mark: str, source_id: str | None) -> None:
    found = assessed(f"{REFUNDED}. {mark}").assessments

    assert [one.source_id for one in found] == ([source_id] if source_id else [])


def test_numbers_mean_what_the_answer_s_own_list_says() -> None:
    answer = f"{REFUNDED}[†1].\n\n### References\n- [†1] 주차 안내\n- [†2] 환불.pdf, p.3"

    found = assessed(answer)

    assert [(one.source_id, one.better) for one in found.assessments] == [("2", "1")]
    assert found.numbering.number_of(REFUND) == 2


def test_a_footnote_that_explains_itself_cites_nothing() -> None:
    assert assessed(f"{REFUNDED}[^1].\n\n[^1]: 부가세 별도").assessments == ()


def test_recall_and_precision() -> None:
    found = assessed(f"{REFUNDED}[†1]. {PARKED}[†3]. 수영장은 오전 6시에 열고 저녁 9시에 닫습니다.")

    assert found.recall == pytest.approx(1 / 3)
    assert found.precision == pytest.approx(1 / 2)


def test_nothing_cited_has_no_precision_and_nothing_claimed_no_recall() -> None:
    assert assessed(f"{REFUNDED}.").precision is None
    assert assessed("안녕하세요!").recall is None


def test_a_claim_without_a_citation_misses_the_one_source_that_carries_it() -> None:
    [missing] = assessed(f"{REFUNDED}. {PARKED}[†2].").missing

    assert (missing.statement.text, missing.source_id, missing.number) == (f"{REFUNDED}.", "1", 1)
    assert missing.quote == REFUND.text


def test_a_claim_that_two_sources_carry_misses_none() -> None:
    again = Source("4", "환불 정책", REFUND.text)

    assert assessed(f"{REFUNDED}.", (*SOURCES, again)).missing == ()


@given(st.permutations(SOURCES))
def test_the_order_of_the_sources_changes_nothing(order: list[Source]) -> None:
    answer = f"{REFUNDED}[†3]. {PARKED}[†2]."

    shuffled = assessed(answer, tuple(order))

    assert shuffled.assessments == assessed(answer).assessments
