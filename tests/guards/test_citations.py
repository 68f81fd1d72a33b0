import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.text.slots.citation_mark import read_marks

SOURCES = (
    Source(
        "1",
        "제5조 환불규정",
        "7일 안에 환불한다. 자세한 것은 새봄 안내서에 있다.",
        file="새봄약관.pdf",
    ),
    Source("2", "배송 안내(2024)", "사흘 안에 보낸다. 각주 [7]을 보라."),
    Source("3", "솔숲법 제8조 (교환)", "① 교환할 수 있다."),
)

NAMED = "citations.unknown_source"
NUMBER = "citations.unknown_number"

FLAGGED = [
    pytest.param("환불됩니다. [출처: 인사규정집.pdf]", "[출처: 인사규정집.pdf]", NAMED, id="file"),
    pytest.param("환불됩니다. [참조: 노사 합의서]", "[참조: 노사 합의서]", NAMED, id="title"),
    pytest.param("환불됩니다. (출처: 복지 지침)", "(출처: 복지 지침)", NAMED, id="round-brackets"),
    pytest.param("환불됩니다. [참조: 제204조]", "[참조: 제204조]", NAMED, id="article"),
    pytest.param("환불됩니다. [출처: 「돌담법」]", "[출처: 「돌담법」]", NAMED, id="law"),
    pytest.param("환불됩니다. [출처: 솔숲법 시행령]", "[출처: 솔숲법 시행령]", NAMED, id="decree"),
    pytest.param("환불됩니다. [출처: 9]", "[출처: 9]", NAMED, id="number-in-a-named-tag"),
    pytest.param(
        "환불됩니다. (출처: 제공된 문서 9)",
        "(출처: 제공된 문서 9)",
        NAMED,
        id="number-of-a-document",
    ),
    pytest.param(
        "환불. [출처: 새봄약관.pdf, 유령.pdf]",
        "[출처: 새봄약관.pdf, 유령.pdf]",
        NAMED,
        id="one-of-two",
    ),
    pytest.param("환불됩니다. [출처: 1, 9]", "[출처: 1, 9]", NAMED, id="one-of-two-numbers"),
    pytest.param("환불됩니다[†4].", "[†4]", NUMBER, id="dagger"),
    pytest.param("환불됩니다【8】.", "【8】", NUMBER, id="lens"),
    pytest.param("환불됩니다【8†source】.", "【8†source】", NUMBER, id="lens-with-word"),
    pytest.param("환불됩니다[^6].", "[^6]", NUMBER, id="note"),
    pytest.param("환불됩니다 [출처 5].", "[출처 5]", NUMBER, id="labelled-number"),
    pytest.param("환불됩니다.[1] 교환됩니다.[9]", "[9]", NUMBER, id="plain-among-good-ones"),
    pytest.param("환불됩니다.[6]", "[6]", NUMBER, id="plain-behind-a-sentence"),
    pytest.param("환불됩니다[1,5].", "[1,5]", NUMBER, id="one-of-a-list"),
    pytest.param("환불됩니다[2-4].", "[2-4]", NUMBER, id="end-of-a-range"),
]

CLEAN = [
    pytest.param("환불됩니다. [참조: 제5조 환불규정]", id="title"),
    pytest.param("환불됩니다. [참조: 제5조]", id="article"),
    pytest.param("환불됩니다. [출처: 환불 규정]", id="part-of-a-title"),
    pytest.param("환불됩니다. [출처: 새봄약관.pdf, 3쪽]", id="file-and-page"),
    pytest.param("환불됩니다. [출처: 새봄약관.pdf, 12]", id="file-and-bare-page"),
    pytest.param("환불됩니다. (출처: 새봄약관 p.3)", id="file-without-ending"),
    pytest.param("배송됩니다. (출처: 배송 안내(2024))", id="title-with-brackets"),
    pytest.param("교환됩니다. [출처: 「솔숲법」 제8조제1항]", id="law-and-article"),
    pytest.param("교환됩니다. [출처: 솔숲법]", id="law"),
    pytest.param("환불됩니다. [출처: 새봄 안내서]", id="named-inside-a-source"),
    pytest.param("환불됩니다. (출처: 제공된 자료)", id="no-name"),
    pytest.param("환불됩니다. (출처: 제공해 주신 문서)", id="no-name-politely"),
    pytest.param("환불됩니다. (출처: 제공해 주신 문서 [1])", id="no-name-but-a-number"),
    pytest.param("환불됩니다. (출처: 회원용 새봄약관)", id="rule-with-a-word-before-its-title"),
    pytest.param("환불됩니다. [출처: [환불규정](https://example.com/a)]", id="link-as-target"),
    pytest.param("환불[†1], 배송[2], 교환【3】, 모두[1-3][^2] [출처 1]", id="numbers"),
    pytest.param("2024년[2024]에 [x] 확인 [ ] 예정", id="year-and-boxes"),
    pytest.param("[9](https://example.com) ![8](a.png)", id="links"),
    pytest.param("`a[9]`와 ```\n[†9] [출처: 유령]\n``` 참고", id="code"),
    pytest.param("배열[9]과 표 [8]", id="index-and-figure"),
    pytest.param("[8] 첫째\n- [9] 둘째", id="list-numbers"),
    pytest.param("각주 [7]을 보라고 합니다.[7]", id="footnote-of-a-source"),
    pytest.param("환불됩니다.[^9]\n\n[^9]: 부가세 별도", id="footnote-of-the-answer"),
]


@pytest.fixture
def guard() -> Citations:
    return Citations(CitationsSettings())


def check(guard: Citations, answer: str, sources: tuple[Source, ...] = SOURCES) -> list[Finding]:
    return guard.check(read(Exchange(question="질문", sources=sources, answer=answer)))


@pytest.mark.parametrize(("answer", "observed", "code"), FLAGGED)
def test_flags(guard: Citations, answer: str, observed: str, code: str) -> None:
    [finding] = check(guard, answer)

    assert finding.code == code
    assert finding.observed == observed == answer[finding.span.start : finding.span.end]
    assert finding.severity is Severity.STRONG


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: Citations, answer: str) -> None:
    assert check(guard, answer) == []


def test_says_which_sources_there_are(guard: Citations) -> None:
    [named, numbered] = check(guard, "환불됩니다. [출처: 유령 문서] 교환됩니다.[†9]")

    assert named.expected == ("제5조 환불규정", "배송 안내(2024)", "솔숲법 제8조 (교환)")
    assert numbered.expected == ("[1]", "[2]", "[3]")


def test_a_source_answers_to_the_number_that_the_caller_gave_it(guard: Citations) -> None:
    sources = (Source("17", "환불", "7일 안에 환불한다."),)

    assert check(guard, "환불됩니다[†17].", sources) == []
    assert [finding.observed for finding in check(guard, "환불됩니다[†18].", sources)] == ["[†18]"]


WEAK = [
    pytest.param("중간의 [9] 같은 숫자입니다", SOURCES, id="a-number-that-may-be-anything"),
    pytest.param(
        "환불됩니다. [출처: 약관]", (Source("1", "", "7일입니다."),), id="sources-without-names"
    ),
]


@pytest.mark.parametrize(("answer", "sources"), WEAK)
def test_doubt_is_weak(guard: Citations, answer: str, sources: tuple[Source, ...]) -> None:
    [finding] = check(guard, answer, sources)

    assert finding.severity is Severity.WEAK


def test_without_sources_every_mark_is_phantom(guard: Citations) -> None:
    exchange = Exchange(
        question="질문", context=ContextState.EMPTY, answer="됩니다.[†1] [출처: 환불규정]"
    )

    assert {finding.severity for finding in guard.check(read(exchange))} == {Severity.STRONG}


@pytest.mark.parametrize(
    ("settings", "answer", "reason"),
    [
        (CitationsSettings(), None, "no_answer"),
        (CitationsSettings(), "됩니다.", None),
        (CitationsSettings(check_without_sources=False), "됩니다.", "no_sources"),
    ],
    ids=["no-answer", "no-sources-checked", "no-sources-switched-off"],
)
def test_says_when_it_cannot_check(
    settings: CitationsSettings, answer: str | None, reason: str | None
) -> None:
    reading = read(Exchange(question="질문", answer=answer))

    assert Citations(settings).not_checkable(reading) == reason


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6, unique=True), st.integers(1, 9))
def test_exactly_the_numbers_beyond_the_sources_are_phantom(numbers: list[int], count: int) -> None:
    sources = tuple(Source(str(place), "", f"본문 {place}") for place in range(1, count + 1))
    answer = " ".join(f"문장입니다[†{number}]." for number in numbers)

    findings = check(Citations(CitationsSettings()), answer, sources)

    assert [finding.observed for finding in findings] == [
        f"[†{number}]" for number in numbers if number > count
    ]


@pytest.mark.parametrize("unit", ["[", "`", "[1", "[1]", "(출처: ", "[출처: 가", "【", "†"])
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.perf_counter()

    read_marks(text)

    assert time.perf_counter() - started < 2
