import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.overlap import Overlap, OverlapSettings
from tests.tables import each_row

RULES = (
    "환불을 받으려는 고객은 영수증을 첨부하여 창구에 신청한다. 담당자는 신청서를 검토한다.\n"
    "검토를 마친 담당자는 결과를 전자우편으로 알린다. 이의가 있는 고객은 재심을 청구한다."
)
SOURCES = (
    Source("1", "제8조 (환불)", RULES),
    Source("2", "제9조 (주차)", "방문객은 지하 주차장을 무료로 이용한다."),
)

LONGER_THAN_ANY = 99


@pytest.fixture
def guard() -> Overlap:
    return Overlap(OverlapSettings())


def findings(guard: Overlap, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("환불 방법은?", SOURCES, answer=answer)))


@each_row("answer", "flagged")
def test_flags(guard: Overlap, answer: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.severity) == ("overlap.unsupported", Severity.STRONG)
    assert finding.observed == answer
    assert finding.score > 0.55


def test_a_yes_is_no_part_of_what_is_invented(guard: Overlap) -> None:
    [finding] = findings(guard, "네, 회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다.")

    assert finding.observed == "회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다."


def test_a_short_sentence_with_some_shared_words_is_weak(guard: Overlap) -> None:
    """It may be a paraphrase in other words."""
    [finding] = findings(guard, "재심 신청서를 세탁합니다.")

    assert (finding.code, finding.severity) == ("overlap.low", Severity.WEAK)


@each_row("answer", "general_words_of_explaining_are_never_strong")
def test_general_words_of_explaining_are_never_strong(guard: Overlap, answer: str) -> None:
    sources = (Source("1", "", "운영 종료: 19시. 입장료 7,000원."),)

    found = guard.check(read(Exchange("몇 시까지?", sources, answer=answer)))

    assert Severity.STRONG not in {finding.severity for finding in found}


def test_words_of_the_question_are_no_fault(guard: Overlap) -> None:
    sources = (Source("1", "", "반려견은 지하 주차장 이용 불가."),)
    answer = "강아지와 앵무새는 지하 주차장을 이용할 수 없습니다."
    asked = read(Exchange("강아지와 앵무새도 되나요?", sources, answer=answer))
    unasked = read(Exchange("주차는요?", sources, answer="앵무새와 거북이는 탑승이 금지됩니다."))

    assert guard.check(asked) == []
    assert len(guard.check(unasked)) == 1


@each_row("answer", "clean")
def test_passes(guard: Overlap, answer: str) -> None:
    assert findings(guard, answer) == []


def test_only_the_unsupported_sentence_is_reported(guard: Overlap) -> None:
    invented = "회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다."

    [finding] = findings(guard, f"고객은 창구에 신청합니다. {invented}")

    assert finding.observed == invented


@each_row("told, invented", "invented_clauses")
def test_a_clause_added_to_what_is_told_is_reported_by_itself(
    guard: Overlap, told: str, invented: str
) -> None:
    [finding] = findings(guard, told + invented)

    assert (finding.code, finding.severity) == ("overlap.unsupported", Severity.STRONG)
    assert finding.observed == invented
    assert (finding.span.start, finding.span.end) == (len(told), len(told + invented))


def test_a_clause_with_one_word_of_its_own_is_no_invention(guard: Overlap) -> None:
    found = findings(guard, "고객은 창구에 신청하고, 검토에는 사흘이 걸립니다.")

    assert Severity.STRONG not in {finding.severity for finding in found}


@each_row("mark", "a_citation_mark_is_no_word_of_the_claim")
def test_a_citation_mark_is_no_word_of_the_claim(guard: Overlap, mark: str) -> None:
    claim = "신청서는 심사관이 돋보기로 살핍니다"
    [bare] = findings(guard, f"{claim}.")
    [marked] = findings(guard, f"{claim}{mark}.")

    assert (marked.code, marked.score) == (bare.code, bare.score)


def test_the_words_that_a_mark_stands_around_count(guard: Overlap) -> None:
    [finding] = findings(
        guard, '<cite id="1">우주선은 달 궤도를 돌며 암석 표본을 수집합니다.</cite>'
    )

    assert finding.code == "overlap.unsupported"


def test_threshold_is_a_setting() -> None:
    lenient = Overlap(
        OverlapSettings(min_support=0, unsupported_below=0, unknown_word_chars=LONGER_THAN_ANY)
    )
    milder = Overlap(OverlapSettings(unsupported_below=0, unknown_word_chars=LONGER_THAN_ANY))

    answer = "우주선은 달 궤도를 돌며 암석 표본을 수집합니다."
    assert findings(lenient, answer) == []
    assert [found.code for found in findings(milder, answer)] == ["overlap.low"]


@each_row("source, invented, told", "fields")
def test_in_every_field(guard: Overlap, source: str, invented: str, told: str) -> None:
    def strong(answer: str) -> list[str]:
        asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)
        found = guard.check(read(asked))
        return [one.observed for one in found if one.severity is Severity.STRONG]

    assert strong(f"{told} {invented}") == [invented]
    assert strong(told) == []


@each_row("source, told, invented, word", "unknown_words")
def test_a_single_thing_that_no_source_names(
    guard: Overlap, source: str, told: str, invented: str, word: str
) -> None:
    def strong(answer: str) -> list[tuple[str, str]]:
        asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)
        found = guard.check(read(asked))
        return [(one.code, one.observed) for one in found if one.severity is Severity.STRONG]

    assert strong(invented) == [("overlap.unknown_word", word)]
    assert strong(told) == []


@each_row("source, answer", "read_in_more_than_one_way")
def test_what_may_be_read_as_known_is_not_unknown(guard: Overlap, source: str, answer: str) -> None:
    """The analyser's best reading takes a verb or a particle for part of a noun here."""
    asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)

    found = guard.check(read(asked))

    assert Severity.STRONG not in {one.severity for one in found}


@each_row("source, answer", "in_words_of_its_own")
def test_a_faithful_answer_may_use_words_of_its_own(
    guard: Overlap, source: str, answer: str
) -> None:
    """A series or an example for the source's word, praise, a case, a comparison, a precaution."""
    asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)

    assert "overlap.unsupported" not in {one.code for one in guard.check(read(asked))}
