from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row

RULES = (
    "표본은 72시간 이상 보관한다. 암호는 최근 4회 사용한 것을 다시 쓸 수 없다. "
    "입주사 차량 7대는 종일 무료이고 방문객 자리는 250대이다.\n"
    "1. 청년: 도시 평균소득의 90퍼센트 이하\n"
    "2. 신혼부부: 평균소득의 90퍼센트 이하(맞벌이 110퍼센트)\n"
    "합격 기준은 과목당 40점 이상이다."
)
PRICES = (
    "| 크기 | 시내 | 시외 |\n|---|---|---|\n| 중형 | 4,500원 | 5,500원 |\n"
    "| 대형 | 6,000원 | 7,000원 |\n\n- 무인함 접수는 건당 1,000원 할인"
)
SCORES = "50점과 81점이면 합격인가요?"


def strong(guard: Numbers | Estimates, answer: str, question: str) -> list[str]:
    sources = (Source("1", "이용 안내", RULES), Source("2", "요금표", PRICES))
    found: list[Finding] = guard.check(read(Exchange(question, sources, answer=answer)))
    return [one.observed for one in found if one.severity is Severity.STRONG]


@each_row("answer, question", "what_follows_from_the_sources_passes")
def test_what_follows_from_the_sources_passes(answer: str, question: str) -> None:
    assert strong(Numbers(NumbersSettings()), answer, question) == []


@each_row("answer, question, wrong", "what_does_not_follow_is_found")
def test_what_does_not_follow_is_found(answer: str, question: str, wrong: list[str]) -> None:
    assert strong(Numbers(NumbersSettings()), answer, question) == wrong


@each_row("answer, wrong", "a_mean_of_given_figures_is_no_estimate")
def test_a_mean_of_given_figures_is_no_estimate(answer: str, wrong: list[str]) -> None:
    assert strong(Estimates(EstimatesSettings()), answer, SCORES) == wrong
