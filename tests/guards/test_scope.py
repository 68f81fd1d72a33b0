import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.scope import OtherScope, ScopeSettings
from tests.tables import each_row

SETTINGS = ScopeSettings(
    scopes={
        "강릉": ("윤슬 호텔", "윤슬 강릉", "윤슬"),
        "속초": ("윤슬 속초", "등대 리조트"),
    },
    categories={
        "rooms": ("객실", "침대", "디럭스"),
        "dining": ("레스토랑", "조식", "뷔페"),
    },
)
HERE = Source("1", "윤슬 호텔 객실", "객실은 디럭스룸과 마루방입니다. 체크인은 오후 3시부터입니다.")
THERE = Source(
    "2",
    "객실",
    "객실은 온돌룸과 가족실입니다. 체크인은 오후 2시부터입니다.",
    file="등대-리조트.pdf",
)
DINING = Source("3", "윤슬 강릉 다이닝", "레스토랑 물결은 1층에 있습니다. 조식은 뷔페입니다.")
SISTER = Source("4", "윤슬 호텔 교통", "등대 리조트와 윤슬 호텔 사이를 버스가 다닙니다.")
SOURCES = (HERE, THERE, DINING, SISTER)
DISTRICTS = (
    Source("1", "", "영통구 보건소는 월요일에 쉽니다. 접수는 한 시간 전에 마감합니다."),
    Source("2", "", "팔달구 보건소는 화요일에 쉽니다. 주차는 두 시간까지 됩니다."),
)


@pytest.fixture
def guard() -> OtherScope:
    return OtherScope(SETTINGS)


def findings(
    guard: OtherScope, question: str, answer: str, sources: tuple[Source, ...] = SOURCES
) -> list[Finding]:
    return guard.check(read(Exchange(question, sources, answer=answer)))


@each_row("question, answer, kind, observed", "flagged")
def test_flags(guard: OtherScope, question: str, answer: str, kind: str, observed: str) -> None:
    [finding] = findings(guard, question, answer)

    assert (finding.code, finding.observed) == (f"scope.{kind}", observed)
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("question, answer", "clean")
def test_passes(guard: OtherScope, question: str, answer: str) -> None:
    assert findings(guard, question, answer) == []


def test_the_sentences_of_both_houses_are_quoted(guard: OtherScope) -> None:
    [finding] = findings(guard, "윤슬 호텔 체크인은?", "체크인은 오후 2시부터입니다.")

    assert finding.expected == ("강릉",)
    assert [(quote.source_id, quote.quote) for quote in finding.evidence] == [
        ("2", "체크인은 오후 2시부터입니다."),
        ("1", "체크인은 오후 3시부터입니다."),
    ]


def test_the_house_may_be_named_in_the_instructions(guard: OtherScope) -> None:
    exchange = Exchange(
        "체크인은?", SOURCES, answer="체크인은 오후 2시부터입니다.", echo="윤슬 강릉의 안내원이다."
    )

    [finding] = guard.check(read(exchange))

    assert finding.code == "scope.other_scope"


def test_where_all_sources_are_of_one_house_it_is_the_one_asked_about(guard: OtherScope) -> None:
    answer = "체크인은 등대 리조트와 같습니다."

    [finding] = findings(guard, "체크인은?", answer, (HERE, DINING))

    assert (finding.code, finding.observed) == ("scope.other_scope", "등대 리조트")


def test_an_answer_about_another_district_has_drifted() -> None:
    plain = OtherScope(ScopeSettings())

    [finding] = findings(
        plain, "영통구 보건소는 언제 쉬나요?", "팔달구 보건소는 화요일에 쉽니다.", DISTRICTS
    )

    assert (finding.code, finding.observed) == ("scope.entity_drift", "팔달구")
    assert (finding.strength, finding.expected) == (Strength.C2, ("영통구",))


@each_row("question, answer", "no_drift")
def test_no_drift(question: str, answer: str) -> None:
    plain = OtherScope(ScopeSettings())

    assert findings(plain, question, answer, DISTRICTS) == []


def test_a_source_about_both_places_excuses_the_other() -> None:
    both = (Source("1", "영통구 보건소 안내", "휴일에는 팔달구 보건소가 대신 문을 엽니다."),)
    plain = OtherScope(ScopeSettings())

    assert findings(plain, "영통구 보건소는?", "휴일에는 팔달구 보건소가 문을 엽니다.", both) == []


def test_drift_can_be_left_out() -> None:
    without = OtherScope(ScopeSettings(check_entities=False))

    answer = "팔달구 보건소는 화요일에 쉽니다."
    assert findings(without, "영통구 보건소는 언제 쉬나요?", answer, DISTRICTS) == []


@given(st.lists(st.sampled_from(["체크인은 15시입니다.", "객실은 디럭스룸입니다."]), min_size=1))
def test_facts_of_the_house_asked_about_are_never_flagged(sentences: list[str]) -> None:
    assert findings(OtherScope(SETTINGS), "윤슬 강릉 객실은?", " ".join(sentences)) == []


# --- claims that rest on a source about a sibling or an older edition of what was asked ---


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
