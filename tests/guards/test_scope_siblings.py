"""Claims that rest on a source about a sibling or an older edition of what was asked."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.scope import OtherScope, ScopeSettings
from tests.tables import each_row

GYM = (
    Source("1", "역삼점 이용 안내", "운영 시간: 평일 06:00~23:00\n개인 사물함: 월 10,000원"),
    Source("2", "판교점 이용 안내", "운영 시간: 평일 07:00~22:00\n개인 사물함: 월 15,000원"),
)


def check(
    sources: tuple[Source, ...], question: str, answer: str, earlier: str = ""
) -> list[Finding]:
    exchange = Exchange(question, sources, answer=answer, echo=earlier)
    return OtherScope(ScopeSettings()).check(read(exchange))


@each_row("sources, question, answer, observed", "wrong")
def test_figures_of_a_sibling_are_reported(
    sources: tuple[Source, ...], question: str, answer: str, observed: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.severity) == ("scope.other_scope", Severity.STRONG)
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert finding.observed in observed or observed in finding.observed
    assert len(finding.evidence) == 2, "what the sibling has, and what is right"


@each_row("sources, question, answer", "words")
def test_words_that_only_a_sibling_has_are_reported(
    sources: tuple[Source, ...], question: str, answer: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.severity) == ("scope.other_scope", Severity.STRONG)
    assert finding.evidence[0].source_id == "2"


@each_row("sources, question, answer, observed", "older")
def test_figures_of_an_older_edition_are_reported(
    sources: tuple[Source, ...], question: str, answer: str, observed: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.observed) == ("scope.other_edition", observed)


@each_row("sources, question, answer", "right")
def test_what_was_asked_passes(sources: tuple[Source, ...], question: str, answer: str) -> None:
    assert check(sources, question, answer) == []


def test_an_earlier_question_names_it_where_this_one_does_not() -> None:
    earlier = "역삼점에 다니려고 해요."

    [finding] = check(GYM, "사물함은 얼마예요?", "개인 사물함은 월 15,000원입니다.", earlier)

    assert finding.expected == ("역삼",)
    assert check(GYM, "판교점 사물함은요?", "개인 사물함은 월 15,000원입니다.", earlier) == []


def test_nothing_is_sure_where_the_right_source_is_silent() -> None:
    sources = (
        Source("1", "역삼점 안내", "샤워실이 있습니다."),
        Source("2", "판교점 안내", "발레 주차는 2시간에 4,000원입니다."),
    )

    found = check(sources, "역삼점 이용권 얼마예요?", "4,000원입니다.")

    assert all(finding.severity is Severity.WEAK for finding in found)


def test_siblings_can_be_left_out() -> None:
    exchange = Exchange("역삼점 사물함?", GYM, answer="개인 사물함은 월 15,000원입니다.")

    assert OtherScope(ScopeSettings(check_siblings=False)).check(read(exchange)) == []
