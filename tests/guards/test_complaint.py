from guards.complaint import LONGEST_MESSAGE_CHARS, Complaint, ComplaintSettings
from guards.core.exchange import Exchange
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


def check(question: str, settings: ComplaintSettings | None = None) -> list[Finding]:
    guard = Complaint(settings or ComplaintSettings())
    return guard.check(read(Exchange(question=question)))


def strong_codes(question: str) -> list[str]:
    return [found.code for found in check(question) if found.severity is Severity.STRONG]


@each_row("question, kind", "flagged")
def test_flags(question: str, kind: str) -> None:
    assert f"complaint.{kind}" in strong_codes(question)


@each_row("question", "clean")
def test_clean(question: str) -> None:
    assert strong_codes(question) == []


@each_row("question, observed", "with_question")
def test_complaint_beside_a_question_is_only_a_note_on_the_tone(
    question: str, observed: str
) -> None:
    [finding] = check(question)

    assert finding.code == "complaint.with_question"
    assert finding.severity is Severity.WEAK
    assert finding.observed == observed


def test_a_complaint_in_no_known_construction_is_known_as_a_whole() -> None:
    sources = "  밥 시킨 지 두 시간 만에 와 놓고 미안하단 말 한마디 없이 휙 던지고 갔습니다 "

    [finding] = check(sources)

    assert finding.code == "complaint.venting"
    assert finding.observed == sources.strip()
    assert 0.5 < finding.score < 1


@each_row("message", ["", " ", "?", "12", "네", "\u2028", "가" * 1001])
def test_what_tells_nothing_is_no_complaint(message: str) -> None:
    assert strong_codes(message) == []


def test_each_clause_that_complains_is_reported() -> None:
    assert strong_codes("질문을 끝까지 읽어. 답답하네") == [
        "complaint.venting",
        "complaint.venting",
    ]


def test_the_gravest_comes_first() -> None:
    assert strong_codes("진짜 답답하네 씨발") == ["complaint.abuse", "complaint.venting"]
    assert strong_codes("너 왜 그것도 몰라 병신아. 죽고 싶다") == [
        "complaint.crisis",
        "complaint.abuse",
        "complaint.venting",
    ]


def test_span_covers_the_words_as_they_were_typed() -> None:
    question = "음… ㅂㅕㅇ신아！"

    [finding] = check(question)

    assert (finding.span.start, finding.span.end) == (3, 8)
    assert finding.observed == "ㅂㅕㅇ신아"
    assert finding.part == "question"


def test_crisis_is_reported_even_beside_a_question() -> None:
    codes = {finding.code for finding in check("죽고 싶은데 상담 전화는 몇 번인가요?")}

    assert codes == {"complaint.crisis"}


def test_crisis_is_found_in_a_long_message() -> None:
    long = "오늘 있었던 일을 적어 봅니다. " * LONGEST_MESSAGE_CHARS + "그냥 죽고 싶어요"

    assert [finding.code for finding in check(long)] == ["complaint.crisis"]


def test_policy_can_turn_crisis_off() -> None:
    assert check("죽고 싶어요", ComplaintSettings(crisis=False)) == []


def test_extra_words_make_a_complaint() -> None:
    settings = ComplaintSettings(extra_words=("고객 센터 먹통",))

    [finding] = check("고객센터 먹통", settings)

    assert finding.code == "complaint.venting"
    assert check("고객센터 먹통") == []


def test_ignored_words_are_overlooked() -> None:
    assert check("또라이", ComplaintSettings(ignore_words=("또라이",))) == []
    assert [finding.code for finding in check("또라이")] == ["complaint.abuse"]


@each_row("char", "long_input_of_one_kind_is_clean")
def test_long_input_of_one_kind_is_clean(char: str) -> None:
    assert not [f for f in check(char * 20_000) if f.severity is Severity.STRONG]


def test_message_of_nothing_but_address_ends_soon() -> None:
    assert_grows_with_its_input(
        lambda chars: check("너 챗봇 왜 " * (chars // 8)), LONGEST_MESSAGE_CHARS
    )
