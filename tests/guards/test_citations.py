import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

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


@pytest.fixture
def guard() -> Citations:
    return Citations(CitationsSettings())


def check(guard: Citations, answer: str, sources: tuple[Source, ...] = SOURCES) -> list[Finding]:
    return guard.check(read(Exchange(question="질문", sources=sources, answer=answer)))


@each_row("answer, observed, code", "flagged")
def test_flags(guard: Citations, answer: str, observed: str, code: str) -> None:
    [finding] = check(guard, answer)

    assert finding.code == code
    assert finding.observed == observed == answer[finding.span.start : finding.span.end]
    assert finding.severity is Severity.STRONG


@each_row("answer", "clean")
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


@each_row("answer, observed, fix", "fixed")
def test_takes_out_what_leads_nowhere(
    guard: Citations, answer: str, observed: str, fix: str
) -> None:
    [finding] = check(guard, answer)

    assert (finding.observed, finding.fix) == (observed, fix)


RULES = (
    Source("1", "환불 안내", "구매한 날부터 7일 이내에 신청하면 결제 금액을 전액 환불한다."),
    Source("2", "주차 안내", "주차장은 지하 2층에 있으며 방문객은 3시간까지 무료로 세운다."),
    Source("3", "수영장 안내", "수영장은 오전 6시에 열고 저녁 9시에 닫으며 수영모를 써야 한다."),
)
REFUNDED = "구매 후 7일 이내에 신청하시면 결제 금액이 전액 환불됩니다"
PARKED = "주차장은 지하 2층에 있고 방문객은 3시간까지 무료입니다"

PAGED = tuple(
    Source(one.id, one.title, one.text, file=f"{file}.pdf", page=page)
    for one, file, page in zip(RULES, ("약관", "약관", "수영장"), (3, 7, 1), strict=True)
)


@each_row("answer, fix", "named_wrongly")
def test_names_the_right_source_in_the_way_of_the_wrong_one(
    guard: Citations, answer: str, fix: str
) -> None:
    [finding] = check(guard, answer, PAGED)

    assert (finding.code, finding.fix) == ("citations.wrong_source", fix)
    assert finding.expected == ("환불 안내",)


@each_row("answer", "named_rightly")
def test_leaves_right_names(guard: Citations, answer: str) -> None:
    assert check(guard, answer, PAGED) == []


def test_a_page_that_is_not_there_is_left_out(guard: Citations) -> None:
    [finding] = check(guard, f"{REFUNDED} [출처: 약관.pdf, p.99].", PAGED)

    assert (finding.code, finding.fix) == (NAMED, "[출처: 약관.pdf]")


@each_row("lines, fix", "listed")
def test_mends_lines_that_name_no_source(guard: Citations, lines: str, fix: str) -> None:
    sources = (
        Source("1", "환불 안내", RULES[0].text, file="환불.pdf"),
        Source("2", "주차 안내", RULES[1].text, file="약관.pdf"),
    )

    [finding] = check(guard, f"{PARKED}[2].\n\n{lines}", sources)

    assert (finding.code, finding.fix) == (NAMED, fix)


def test_a_footnote_that_names_no_source_is_no_explanation(guard: Citations) -> None:
    mark, line = check(guard, f"{REFUNDED}[^9].\n\n[^9]: 유령.pdf", PAGED)

    assert (mark.code, mark.fix) == (NUMBER, "")
    assert (line.code, line.observed, line.fix) == (NAMED, "[^9]: 유령.pdf", "")


@each_row("answer, observed, fix", "wrong")
def test_puts_the_right_source_in_the_place_of_a_wrong_one(
    guard: Citations, answer: str, observed: str, fix: str
) -> None:
    finding, *others = check(guard, answer, RULES)

    assert finding.code == "citations.wrong_source"
    assert (finding.observed, finding.fix, finding.expected) == (observed, fix, ("[1]",))
    assert finding.severity is Severity.STRONG
    assert finding.strength is Strength.C1
    assert [(one.source_id, one.quote) for one in finding.evidence] == [("1", RULES[0].text)]
    assert all((one.span, one.fix) == (finding.span, fix) for one in others)


@each_row("answer, observed", "unsupported")
def test_takes_out_a_source_that_has_nothing_of_it(
    guard: Citations, answer: str, observed: str
) -> None:
    [finding] = check(guard, answer, RULES)

    assert finding.code == "citations.unsupported"
    assert (finding.observed, finding.fix, finding.expected) == (observed, "", ())


@each_row("answer", "faithful")
def test_leaves_faithful_citations(guard: Citations, answer: str) -> None:
    assert check(guard, answer, RULES) == []


def test_a_better_source_that_the_answer_cannot_number_takes_the_citation_out(
    guard: Citations,
) -> None:
    answer = f"{REFUNDED}[†3].\n\n### References\n- [†1] 주차 안내\n- [†3] 수영장 안내"

    [finding] = check(guard, answer, RULES)

    assert (finding.code, finding.fix) == ("citations.unsupported", "")


BEFORE, BEHIND = f"{PARKED}[†2].", f"{PARKED}. [2]"


@each_row("answer, expected, mended", "missing")
def test_adds_a_citation_where_asked_to(answer: str, expected: str, mended: str) -> None:
    guard = Citations(CitationsSettings(add_missing=True))

    [finding] = check(guard, answer, RULES)

    assert (finding.code, finding.expected) == ("citations.missing", (expected,))
    assert finding.span.start == finding.span.end
    assert finding.fix is not None
    assert answer[: finding.span.start] + finding.fix + answer[finding.span.end :] == mended
    assert check(Citations(CitationsSettings()), answer, RULES) == []
    assert check(guard, mended, RULES) == []


@each_row("answer, fix", "phantoms")
def test_a_phantom_makes_room_for_the_right_number_where_asked_to(answer: str, fix: str) -> None:
    [asked] = check(Citations(CitationsSettings(add_missing=True)), answer, RULES)
    [finding] = check(Citations(CitationsSettings()), answer, RULES)

    assert (asked.code, asked.fix) == (NUMBER, fix)
    assert (finding.code, finding.fix) == (NUMBER, "")


@given(
    st.lists(st.tuples(st.sampled_from([REFUNDED, PARKED]), st.integers(1, 5)), max_size=5),
    st.sampled_from(["[†{}]", "[{}]", "【{}】", " [출처 {}]"]),
)
def test_what_was_mended_needs_no_mending(cited: list[tuple[str, int]], style: str) -> None:
    guard = Citations(CitationsSettings())
    answer = " ".join(f"{said}{style.format(number)}." for said, number in cited)

    for finding in reversed(check(guard, answer, RULES)):
        assert finding.fix is not None
        answer = answer[: finding.span.start] + finding.fix + answer[finding.span.end :]

    assert check(guard, answer, RULES) == []


@each_row("answer, sources", "weak")
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


@each_row("unit", "a_long_answer_of_one_kind_is_checked_in_time")
def test_a_long_answer_of_one_kind_is_checked_in_time(guard: Citations, unit: str) -> None:
    assert_grows_with_its_input(lambda chars: check(guard, unit * (chars // len(unit))), 10_000)


PAGED_FILES = tuple(
    Source(str(at), "", text, file=f"안내{at}.pdf", page=at)
    for at, text in enumerate(("온실은 닫혀 있다.", "주차장은 열려 있다."), start=1)
)


@each_row("line, fix", "a_line_of_the_list_is_held_to_its_source")
def test_a_line_of_the_list_is_held_to_its_source(line: str, fix: str) -> None:
    answer = f"주차장은 열려 있습니다[†2].\n\n### References\n{line}"
    exchange = Exchange("", PAGED_FILES, ContextState.FOUND, answer=answer)

    [finding] = Citations(CitationsSettings()).check(read(exchange))

    assert (finding.observed, finding.fix) == (line, fix)


def test_a_page_that_its_source_has_is_left_alone(guard: Citations) -> None:
    answer = "주차장은 열려 있습니다[†2].\n\n### References\n- [†2] 안내2.pdf, p.2"

    assert not guard.check(read(Exchange("", PAGED_FILES, ContextState.FOUND, answer=answer)))


MANUALS = (
    Source("1", "환불 편람", "제5조(환불) 이레 안에 합니다.", file="환불.pdf", page=3),
    Source("2", "교환 편람", "제7조(교환) 매장에서 합니다.", file="교환.pdf", page=8),
    Source("3", "휴관 안내", "월요일에 쉽니다."),
)


@each_row("mark, mended", "pages_and_articles_are_those_of_the_source")
def test_pages_and_articles_are_those_of_the_source(
    guard: Citations, mark: str, mended: str | None
) -> None:
    found = check(guard, f"환불은 이레 안에 합니다. {mark}", MANUALS)

    assert [(one.code, one.observed, one.fix) for one in found] == (
        [] if mended is None else [(NAMED, mark, mended)]
    )


def test_a_page_is_not_wrong_where_the_pages_of_the_source_are_not_known(guard: Citations) -> None:
    assert check(guard, "월요일에 쉽니다. [3, p.12] [†3 제2조]", MANUALS) == []
