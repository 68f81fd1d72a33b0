import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from tests.fakes.growth import assert_grows_with_its_input

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
    pytest.param("환불됩니다. [출처: 9]", "[출처: 9]", NUMBER, id="number-in-a-named-tag"),
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
    pytest.param("환불됩니다. [출처: 1, 9]", "[출처: 1, 9]", NUMBER, id="one-of-two-numbers"),
    pytest.param("환불됩니다[†4].", "[†4]", NUMBER, id="dagger"),
    pytest.param("환불됩니다【8】.", "【8】", NUMBER, id="lens"),
    pytest.param("환불됩니다【8†source】.", "【8†source】", NUMBER, id="lens-with-word"),
    pytest.param("환불됩니다[^6].", "[^6]", NUMBER, id="note"),
    pytest.param("환불됩니다 [출처 5].", "[출처 5]", NUMBER, id="labelled-number"),
    pytest.param("환불됩니다.[1] 교환됩니다.[9]", "[9]", NUMBER, id="plain-among-good-ones"),
    pytest.param("환불됩니다.[6]", "[6]", NUMBER, id="plain-behind-a-sentence"),
    pytest.param("환불됩니다[1,5].", "[1,5]", NUMBER, id="one-of-a-list"),
    pytest.param("환불됩니다[2-4].", "[2-4]", NUMBER, id="end-of-a-range"),
    pytest.param("환불됩니다.⁵", "⁵", NUMBER, id="raised"),
    pytest.param("[5]에 따르면 환불됩니다.", "[5]", NUMBER, id="word-that-opens-the-answer"),
    pytest.param("- [5]번 문서에 따르면 환불됩니다", "[5]", NUMBER, id="word-that-opens-an-item"),
    pytest.param("환불됩니다［５］.", "［５］", NUMBER, id="full-width"),
    pytest.param("환불됩니다[citation:5].", "[citation:5]", NUMBER, id="citation"),
    pytest.param("환불됩니다[ID:5].", "[ID:5]", NUMBER, id="identifier"),
    pytest.param("환불됩니다 (유령.hwp, 3쪽).", "(유령.hwp, 3쪽)", NAMED, id="file-and-page"),
    pytest.param(
        "환불됩니다. [출처: 새봄약관.pdf; 유령.pdf p.3]",
        "[출처: 새봄약관.pdf; 유령.pdf p.3]",
        NAMED,
        id="one-of-two-with-a-page",
    ),
    pytest.param(
        "교환됩니다. [참조: 솔숲법 제8조(교체)]",
        "[참조: 솔숲법 제8조(교체)]",
        NAMED,
        id="heading",
    ),
    pytest.param("환불됩니다.\n\n출처: 유령.pdf", "출처: 유령.pdf", NAMED, id="line"),
    pytest.param("환불됩니다.\n\n- [DC] 유령.pdf", "- [DC] 유령.pdf", NAMED, id="document-line"),
    pytest.param(
        "환불됩니다[1].\n\n참고:\n[1] 유령.pdf", "[1] 유령.pdf", NAMED, id="listed-under-a-number"
    ),
    pytest.param("환불됩니다 (출처 5).", "(출처 5)", NUMBER, id="round-label"),
    pytest.param("환불됩니다[5, p.3].", "[5, p.3]", NUMBER, id="number-and-page"),
    pytest.param("환불됩니다<cite id='5'/>.", "<cite id='5'/>", NUMBER, id="tag"),
    pytest.param(
        "환불됩니다 [Data: Sources (5); Entities (9)].",
        "[Data: Sources (5); Entities (9)]",
        NUMBER,
        id="graph-data",
    ),
    pytest.param(
        "환불됩니다.\n\n### References\n- [†5] 유령.pdf", "- [†5] 유령.pdf", NUMBER, id="listed"
    ),
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
    pytest.param("환불됩니다. (출처: 같은 자료)", id="the-same-document"),
    pytest.param("환불됩니다. (출처: 위 약관 Q2)", id="the-document-above-by-its-kind"),
    pytest.param("환불됩니다. (출처: 상동)", id="the-same-as-before"),
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
    pytest.param("환불됩니다.[9]\n\n[9]: 새봄약관.pdf, 3쪽", id="number-that-the-answer-explains"),
    pytest.param(
        "됩니다.\n\n참고 문헌\n1. 새봄약관\n5. 안내 전화", id="numbered-list-of-references"
    ),
    pytest.param("넓이는 20m²이고 10⁵입니다", id="units-and-powers"),
    pytest.param("환불됩니다 [Data: Entities (9)].", id="graph-data-of-no-source"),
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


FIXED = [
    pytest.param("환불됩니다[†1][†4].", "[†4]", "", id="mark"),
    pytest.param("환불됩니다[1, 5].", "[1, 5]", "[1]", id="one-of-a-list"),
    pytest.param("환불됩니다[2-4].", "[2-4]", "[2-3]", id="end-of-a-range"),
    pytest.param(
        "<cite id='9'>환불됩니다</cite>", "<cite id='9'>환불됩니다</cite>", "환불됩니다", id="tag"
    ),
    pytest.param("환불됩니다. [출처: 유령 문서]", "[출처: 유령 문서]", "", id="name"),
    pytest.param(
        "환불됩니다. [출처: 새봄약관.pdf, 유령.pdf]",
        "[출처: 새봄약관.pdf, 유령.pdf]",
        "[출처: 새봄약관.pdf]",
        id="one-of-two-names",
    ),
]


@pytest.mark.parametrize(("answer", "observed", "fix"), FIXED)
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
NAMED_WRONGLY = [
    pytest.param(f"{REFUNDED} [출처: 주차 안내].", "[출처: 환불 안내]", id="title"),
    pytest.param(
        f"{REFUNDED}. (출처: 수영장.pdf, p.1)", "(출처: 약관.pdf, p.3)", id="file-and-page"
    ),
    pytest.param(f"{REFUNDED}(약관.pdf, 7쪽).", "(약관.pdf, 3쪽)", id="page-of-another"),
    pytest.param(f"[출처: 주차 안내]에 따르면 {REFUNDED}.", "[출처: 환불 안내]", id="word"),
    pytest.param(f"{REFUNDED} [출처: 수영장.pdf].", "[출처: 약관.pdf, p.3]", id="file-of-several"),
]


@pytest.mark.parametrize(("answer", "fix"), NAMED_WRONGLY)
def test_names_the_right_source_in_the_way_of_the_wrong_one(
    guard: Citations, answer: str, fix: str
) -> None:
    [finding] = check(guard, answer, PAGED)

    assert (finding.code, finding.fix) == ("citations.wrong_source", fix)
    assert finding.expected == ("환불 안내",)


NAMED_RIGHTLY = [
    pytest.param(f"{REFUNDED} [출처: 환불 안내].", id="title"),
    pytest.param(f"{REFUNDED}(약관.pdf, 3쪽).", id="file-and-page"),
    pytest.param(f"{REFUNDED} [출처: 약관.pdf].", id="file-of-several"),
    pytest.param(f"[출처: 환불 안내]에 따르면 {REFUNDED}.", id="word"),
    pytest.param(f"{REFUNDED}. (※ 출처: 1번 자료)", id="ordinal"),
    pytest.param(f"{REFUNDED}.\n\n출처: 약관.pdf, 수영장.pdf", id="line"),
    pytest.param(f"{REFUNDED} (참고: 주말 10% 할증).", id="remark"),
]


@pytest.mark.parametrize("answer", NAMED_RIGHTLY)
def test_leaves_right_names(guard: Citations, answer: str) -> None:
    assert check(guard, answer, PAGED) == []


def test_a_page_that_is_not_there_is_left_out(guard: Citations) -> None:
    [finding] = check(guard, f"{REFUNDED} [출처: 약관.pdf, p.99].", PAGED)

    assert (finding.code, finding.fix) == (NAMED, "[출처: 약관.pdf]")


LISTED = [
    pytest.param("출처: 약관.pdf, 유령.pdf", "출처: 약관.pdf", id="line-with-another"),
    pytest.param("### References\n- [2] 유령.pdf", "- [2] 약관.pdf", id="number-of-a-source"),
    pytest.param("### References\n- 유령.pdf\n- 약관.pdf", "", id="item"),
]


@pytest.mark.parametrize(("lines", "fix"), LISTED)
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


WRONG = [
    pytest.param(f"{REFUNDED}[†3].", "[†3]", "[†1]", id="mark"),
    pytest.param(f"{REFUNDED}.[3]", "[3]", "[1]", id="plain-behind-the-stop"),
    pytest.param(f"{REFUNDED}[2,3].", "[2,3]", "[1]", id="both-of-a-list"),
    pytest.param(f"[3]에 따르면 {REFUNDED}.", "[3]", "[1]", id="word"),
    pytest.param(f"{PARKED}[2]. [3]에서는 {REFUNDED}.", "[3]", "[1]", id="word-behind-a-mark"),
    pytest.param(f"{REFUNDED}[3], {PARKED}[2].", "[3]", "[1]", id="clause"),
    pytest.param(f"{REFUNDED}[3, p.7].", "[3, p.7]", "[1]", id="its-page-goes-too"),
    pytest.param(f"{REFUNDED} [문서 3].", "[문서 3]", "[문서 1]", id="label"),
    pytest.param(f"{REFUNDED}.³", "³", "¹", id="raised"),
    pytest.param(f"| 기간 | {REFUNDED} | [3] |", "[3]", "[1]", id="table-row"),
]


@pytest.mark.parametrize(("answer", "observed", "fix"), WRONG)
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


UNSUPPORTED = [
    pytest.param(f"{REFUNDED}[†1][†3].", "[†3]", id="beside-a-good-one"),
    pytest.param("셔틀버스는 역 광장에서 매시 정각 출발합니다[†2].", "[†2]", id="nobody-says-so"),
]


@pytest.mark.parametrize(("answer", "observed"), UNSUPPORTED)
def test_takes_out_a_source_that_has_nothing_of_it(
    guard: Citations, answer: str, observed: str
) -> None:
    [finding] = check(guard, answer, RULES)

    assert finding.code == "citations.unsupported"
    assert (finding.observed, finding.fix, finding.expected) == (observed, "", ())


FAITHFUL = [
    pytest.param(f"{REFUNDED}[†1].", id="paraphrase"),
    pytest.param(f"{PARKED}[†2]. {REFUNDED}[†1].", id="two-sentences"),
    pytest.param(f"{REFUNDED}, 그리고 {PARKED}[†1][†2].", id="each-carries-half"),
    pytest.param(f"{REFUNDED}[1], {PARKED}[2].", id="each-at-its-clause"),
    pytest.param(f"{REFUNDED}[1], {PARKED}.", id="at-the-first-clause-only"),
    pytest.param(f"{REFUNDED}[1]. [2]에 따르면 {PARKED}.", id="word-of-the-next-sentence"),
    pytest.param(f"[1]에 따르면 {REFUNDED}. [2]번 문서는 {PARKED}.", id="words"),
    pytest.param("수영장은 오전 6시에 열고 방문객은 3시간까지 무료입니다[3].", id="of-one-clause"),
    pytest.param(f"| 환불 | {REFUNDED} [1] | {PARKED} [2] |", id="cells"),
    pytest.param(f"이용 방법은 다음과 같습니다[2][1].\n1. {REFUNDED}.\n2. {PARKED}.", id="lead-in"),
    pytest.param("네, 문의하신 내용을 안내해 드리겠습니다[1].", id="promise"),
    pytest.param("네, 가능합니다[†3].", id="too-short-to-judge"),
    pytest.param("환불은 다음과 같습니다[†3].\n- 전액 환불", id="no-claim"),
    pytest.param(f"{REFUNDED}. 궁금한 점은 상담원에게 문의해 주세요[†1].", id="advice"),
]


@pytest.mark.parametrize("answer", FAITHFUL)
def test_leaves_faithful_citations(guard: Citations, answer: str) -> None:
    assert check(guard, answer, RULES) == []


def test_a_better_source_that_the_answer_cannot_number_takes_the_citation_out(
    guard: Citations,
) -> None:
    answer = f"{REFUNDED}[†3].\n\n### References\n- [†1] 주차 안내\n- [†3] 수영장 안내"

    [finding] = check(guard, answer, RULES)

    assert (finding.code, finding.fix) == ("citations.unsupported", "")


BEFORE, BEHIND = f"{PARKED}[†2].", f"{PARKED}. [2]"
MISSING = [
    pytest.param(f"{BEFORE} {REFUNDED}.", "[†1]", f"{BEFORE} {REFUNDED}[†1].", id="before-stops"),
    pytest.param(f"{BEHIND} {REFUNDED}.", "[1]", f"{BEHIND} {REFUNDED}. [1]", id="behind-stops"),
    pytest.param(f"{REFUNDED}.", "[1]", f"{REFUNDED}[1].", id="no-mark-to-follow"),
    pytest.param(
        f"- {REFUNDED}\n- {PARKED}[2]", "[1]", f"- {REFUNDED}[1]\n- {PARKED}[2]", id="list"
    ),
    pytest.param(f"{PARKED}.²\n| {REFUNDED} |", "¹", f"{PARKED}.²\n| {REFUNDED}¹ |", id="table"),
]


@pytest.mark.parametrize(("answer", "expected", "mended"), MISSING)
def test_adds_a_citation_where_asked_to(answer: str, expected: str, mended: str) -> None:
    guard = Citations(CitationsSettings(add_missing=True))

    [finding] = check(guard, answer, RULES)

    assert (finding.code, finding.expected) == ("citations.missing", (expected,))
    assert finding.span.start == finding.span.end
    assert finding.fix is not None
    assert answer[: finding.span.start] + finding.fix + answer[finding.span.end :] == mended
    assert check(Citations(CitationsSettings()), answer, RULES) == []
    assert check(guard, mended, RULES) == []


PHANTOMS = [
    pytest.param(f"{REFUNDED}[1]. {PARKED}[9].", "[2]", id="plain"),
    pytest.param(f"{REFUNDED}[†1]. {PARKED}[†9].", "[†2]", id="dagger"),
    pytest.param(f"{REFUNDED}.¹ {PARKED}.⁹", "²", id="raised"),
    pytest.param(f"{REFUNDED}[1], {PARKED}[9].", "[2]", id="clause"),
    pytest.param(f"{REFUNDED}[1][9].", "", id="beside-the-right-one"),
]


@pytest.mark.parametrize(("answer", "fix"), PHANTOMS)
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


@pytest.mark.parametrize(
    "unit",
    ["[1]", "가다. [1]", "| a. 나 [1] |\n", "환불¹ ", "(출처: 유령) ", "[참조: 제5조] 됩니다. "],
)
def test_a_long_answer_of_one_kind_is_checked_in_time(guard: Citations, unit: str) -> None:
    assert_grows_with_its_input(lambda chars: check(guard, unit * (chars // len(unit))), 50_000)


PAGED_FILES = tuple(
    Source(str(at), "", text, file=f"안내{at}.pdf", page=at)
    for at, text in enumerate(("온실은 닫혀 있다.", "주차장은 열려 있다."), start=1)
)


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("- [†2] 안내2.pdf, p.99", "- [†2] 안내2.pdf, p.2"),
        ("- 안내2.pdf, p.99", "- 안내2.pdf"),
        ("- [†2] 없는안내.pdf", "- [†2] 안내2.pdf"),
        ("1. [†9] 없는안내.pdf", ""),
    ],
    ids=["page", "page-without-a-number", "file", "mark-in-a-counted-list"],
)
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


@pytest.mark.parametrize(
    ("mark", "mended"),
    [
        pytest.param("[†1 p.12]", "[†1]", id="page"),
        pytest.param("[1, p.12]", "[1]", id="page-behind-a-plain-number"),
        pytest.param("[출처 1, 12쪽]", "[출처 1]", id="page-behind-a-label"),
        pytest.param("[†1 제7조]", "[†1]", id="article-of-another-source"),
        pytest.param("[†1, 제9조]", "[†1]", id="article-of-no-source"),
        pytest.param("[출처: 환불 편람 제7조]", "[출처: 환불 편람]", id="named"),
        pytest.param("[†1 p.3]", None, id="right-page"),
        pytest.param("[†1, 제5조]", None, id="right-article"),
        pytest.param("[1, p.1-5]", None, id="range-of-pages"),
    ],
)
def test_pages_and_articles_are_those_of_the_source(
    guard: Citations, mark: str, mended: str | None
) -> None:
    found = check(guard, f"환불은 이레 안에 합니다. {mark}", MANUALS)

    assert [(one.code, one.observed, one.fix) for one in found] == (
        [] if mended is None else [(NAMED, mark, mended)]
    )


def test_a_page_is_not_wrong_where_the_pages_of_the_source_are_not_known(guard: Citations) -> None:
    assert check(guard, "월요일에 쉽니다. [3, p.12] [†3 제2조]", MANUALS) == []
