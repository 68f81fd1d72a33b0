import pytest

from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.legal_citation import LegalCitation, LegalCitationSettings
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

# An invented act: its articles belong to nobody.
NAME = "바람골 산책로 관리에 관한 법률"
SOURCES = (
    Source(
        "1",
        f"{NAME} 제12조 (이용 허가)",
        "① 산책로를 이용하려는 자는 허가를 받아야 한다.\n"
        "② 시장은 다음 각 호의 경우 허가를 취소할 수 있다.\n"
        "  1. 거짓으로 허가를 받은 경우\n"
        "  2. 제15조제3항을 위반한 경우\n"
        "    가. 야간에 이용한 경우\n"
        "    나. 불을 피운 경우\n"
        "③ 「들꽃 보호법」 제4조제1항에 따른 신고를 한 자는 허가를 받은 것으로 본다.",
    ),
    Source(
        "2", f"{NAME} 제12조의3 (수수료)", "수수료는 별표 2와 같다. 서식은 별지 제5호서식으로 한다."
    ),
    Source("3", f"{NAME} 제20조 (과태료)", "과태료의 기준은 대통령령으로 정한다."),
)


@pytest.fixture
def guard() -> LegalCitation:
    return LegalCitation(LegalCitationSettings())


def check(
    guard: LegalCitation, answer: str, sources: tuple[Source, ...] = SOURCES, question: str = "질문"
) -> list[Finding]:
    return guard.check(read(Exchange(question=question, sources=sources, answer=answer)))


@each_row("answer, observed, code", "flagged")
def test_flags(guard: LegalCitation, answer: str, observed: str, code: str) -> None:
    [finding] = check(guard, answer)

    assert finding.code == f"legal_citation.{code}_absent"
    assert finding.observed == observed == answer[finding.span.start : finding.span.end]
    assert finding.severity is Severity.STRONG


@each_row("answer", "clean")
def test_passes(guard: LegalCitation, answer: str) -> None:
    assert check(guard, answer) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
def test_passes_the_words_of_a_source(guard: LegalCitation, source: Source) -> None:
    assert check(guard, source.text, sources=(source,)) == []


@each_row("answer, expected, source_id", "expected")
def test_says_what_the_sources_have(
    guard: LegalCitation, answer: str, expected: tuple[str, ...], source_id: str
) -> None:
    [finding] = check(guard, answer)
    texts = {source.id: source.text for source in SOURCES}

    assert finding.expected == expected
    assert finding.evidence[0].source_id == source_id
    assert all(quote.quote in texts[quote.source_id] for quote in finding.evidence)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("별표 7", ("별표 2",)), ("「돌담 보존법」", (f"「{NAME}」", "「들꽃 보호법」"))],
    ids=["tables", "laws"],
)
def test_says_which_tables_and_laws_there_are(
    guard: LegalCitation, answer: str, expected: tuple[str, ...]
) -> None:
    [finding] = check(guard, answer)

    assert finding.expected == expected


def test_a_cut_article_only_raises_doubt(guard: LegalCitation) -> None:
    source = Source(
        "1", "제12조(이용)", "③ 셋째 항이다. ④ 넷째 항이다.", file="바람골 이용규칙.pdf"
    )

    [finding] = check(guard, "제12조제1항에 있습니다.", sources=(source,))

    assert finding.severity is Severity.WEAK


def test_an_article_of_a_source_without_name_may_be_of_any_internal_rule(
    guard: LegalCitation,
) -> None:
    source = Source("1", "제5조 환불규정", "7일 안에 환불한다.")

    assert check(guard, "이용약관 제5조에 따라 환불됩니다.", sources=(source,)) == []
    assert check(guard, "상가법 제5조에 따라 환불됩니다.", sources=(source,)) != []


def test_numbered_paragraphs_of_an_internal_rule_are_paragraphs(guard: LegalCitation) -> None:
    source = Source("1", "제5조 환불규정", "1. 7일 안에 환불한다.\n2. 그 뒤에는 교환한다.")

    assert check(guard, "제5조 2항에 따라 교환됩니다.", sources=(source,)) == []
    assert check(guard, "제5조 3항에 따라 교환됩니다.", sources=(source,)) != []


def test_sentences_count_as_paragraphs_where_none_is_numbered(guard: LegalCitation) -> None:
    text = "회원은 열네 살 이상이어야 한다. 요금은 달마다 낸다."
    source = Source("1", "제3조 이용조건", text)

    def found(answer: str) -> list[str]:
        exchange = Exchange(question="질문", sources=(source,), answer=answer)
        return [finding.code for finding in guard.check(read(exchange))]

    assert found("요금은 달마다 냅니다 [참조: 제3조 2항].") == []
    assert found("요금은 달마다 냅니다 [참조: 제3조 5항].") == ["legal_citation.paragraph_absent"]


@each_row("mark, fix", "in_marks")
def test_an_invention_in_a_citation_mark_goes_with_it(
    guard: LegalCitation, mark: str, fix: str
) -> None:
    answer = f"바람이 시원한 곳입니다 {mark}."
    found = guard.check(read(Exchange(question="질문", sources=SOURCES, answer=answer)))

    assert found
    assert {(finding.observed, finding.fix) for finding in found} == {(mark, fix)}
    assert {finding.severity for finding in found} == {Severity.STRONG}


def test_the_numbered_lines_of_a_contract_may_be_called_paragraphs(guard: LegalCitation) -> None:
    contract = (
        Source("1", "산책로 위탁 계약서", "1. 기간: 2년\n2. 대금: 매달 말일\n3. 해지: 서면"),
    )

    assert check(guard, "계약서 제2항에 따르면 매달 말일입니다.", contract) == []
    [invented] = check(guard, "계약서 제4항에 따르면 매달 말일입니다.", contract)
    assert invented.code == "legal_citation.paragraph_absent"


def test_a_sentence_from_the_middle_of_a_list_is_no_invention(guard: LegalCitation) -> None:
    source = Source(
        "1",
        "솔숲법 시행령 제2조",
        "법 제7조제1항 또는 제8조제2항에 따른 허가를 하는 경우에는 조사를 의뢰할 수 있다.",
    )

    answer = "제8조제2항에 따른 허가를 하는 경우에는 조사를 의뢰할 수 있습니다."

    assert check(guard, answer, sources=(source,)) == []


TRAIL = "바람골 산책로 조례"
RULES = (
    Source(
        "1",
        TRAIL,
        "제3조(개방 시간) 산책로는 해가 뜰 때 열고 해가 질 때 닫는다.\n"
        "제4조(동행 동물) 반려동물과 함께 걷는 사람은 목줄과 배변 봉투를 갖추어야 한다.\n"
        "제4조의2(자전거) 자전거를 타는 사람은 보행로 바깥의 전용 도로로만 다녀야 한다.",
    ),
)


@each_row("answer, fix", "mended")
def test_an_invented_article_is_mended_where_one_article_says_so(
    guard: LegalCitation, answer: str, fix: str
) -> None:
    [finding] = check(guard, answer, RULES)

    assert finding.fix == fix
    mended = answer[: finding.span.start] + fix + answer[finding.span.end :]
    assert check(guard, mended, RULES) == []


@each_row("answer", "not_mended")
def test_an_invented_article_stays_where_that_is_not_sure(
    guard: LegalCitation, answer: str
) -> None:
    findings = check(guard, answer, RULES)

    assert findings
    assert all(finding.fix is None for finding in findings)


HALL = "은빛마당 운영규칙"
HALL_RULES = (
    Source(
        "1",
        HALL,
        "제5조(사용 신청) ① 대강당을 쓰려는 단체는 사용일 10일 전까지 신청서를 내야 한다.\n"
        "② 신청이 겹치면 추첨으로 사용자를 정한다.\n"
        "제8조(보증금) ① 보증금은 300,000원으로 하고, 청소를 마친 뒤 돌려준다.\n"
        "② 시설을 부순 단체의 보증금은 돌려주지 않는다.\n"
        "제9조(사용료) 사용료는 시간당 20,000원으로 하며, 제5조에 따라 신청한 날에 낸다.",
    ),
)
DRAWN = "신청이 겹치면 추첨으로 사용자를 정합니다"


@each_row("answer, fix", "wrong")
def test_flags_an_article_given_for_what_another_says(
    guard: LegalCitation, answer: str, fix: str
) -> None:
    [finding] = check(guard, answer, HALL_RULES)

    assert (finding.code, finding.severity) == ("legal_citation.wrong_article", Severity.STRONG)
    assert finding.fix == fix
    assert fix.endswith(finding.expected)
    mended = answer[: finding.span.start] + fix + answer[finding.span.end :]
    assert check(guard, mended, HALL_RULES) == []


@each_row("answer", "not_wrong")
def test_an_article_that_may_be_meant_stays(guard: LegalCitation, answer: str) -> None:
    assert check(guard, answer, HALL_RULES) == []


def test_a_wrong_paragraph_acts_only_where_the_policy_says_so(guard: LegalCitation) -> None:
    answer = f"{DRAWN}(제5조 제1항)."
    strict = LegalCitation(LegalCitationSettings(wrong_paragraph_acts=True))

    [remark] = check(guard, answer, HALL_RULES)
    [finding] = check(strict, answer, HALL_RULES)

    assert (remark.severity, remark.fix) == (Severity.WEAK, None)
    assert (finding.severity, finding.fix) == (Severity.STRONG, "제5조제2항")


def test_numbered_lines_are_paragraphs_where_there_is_no_article(guard: LegalCitation) -> None:
    lines = "1. 물감은 각자 가져온다.\n2. 지각이 세 번이면 수료증을 받지 못한다.\n3. 주차는 무료다."
    answer = "강좌 규정 제3항에 따라 지각이 세 번이면 수료증을 받지 못합니다."

    [finding] = check(guard, answer, (Source("1", "강좌 안내", lines),))

    assert finding.fix == "제2항"


@each_row("answer, severity", "echo")
def test_what_the_question_brought_up_proves_nothing(
    guard: LegalCitation, answer: str, severity: Severity | None
) -> None:
    findings = check(guard, answer, question="제99조가 무엇인가요?")

    assert [finding.severity for finding in findings] == ([severity] if severity else [])


def test_without_sources_every_article_is_without_evidence(guard: LegalCitation) -> None:
    exchange = Exchange(question="질문", context=ContextState.EMPTY, answer="제3조에 따릅니다.")

    [finding] = guard.check(read(exchange))

    assert finding.code == "legal_citation.article_absent"
    assert finding.expected == ()


@each_row("unit", "many_inventions_are_found_in_time")
def test_many_inventions_are_found_in_time(guard: LegalCitation, unit: str) -> None:
    assert_grows_with_its_input(lambda chars: check(guard, unit * (chars // len(unit))), 10_000)


@pytest.mark.parametrize(
    ("settings", "answer", "reason"),
    [
        (LegalCitationSettings(), None, "no_answer"),
        (LegalCitationSettings(), "제3조", None),
        (LegalCitationSettings(check_without_sources=False), "제3조", "no_sources"),
    ],
    ids=["no-answer", "no-sources-checked", "no-sources-switched-off"],
)
def test_says_when_it_cannot_check(
    settings: LegalCitationSettings, answer: str | None, reason: str | None
) -> None:
    reading = read(Exchange(question="질문", answer=answer))

    assert LegalCitation(settings).not_checkable(reading) == reason


@each_row("answer, codes", "short_names_of_laws_are_known")
def test_short_names_of_laws_are_known(guard: LegalCitation, answer: str, codes: list[str]) -> None:
    leave = Source("1", "근로기준법 제60조 (휴가)", "① 사용자는 유급휴가를 주어야 한다.")

    findings = guard.check(read(Exchange("근거가 뭔가요?", (leave,), answer=answer)))

    assert [finding.code for finding in findings] == codes


def test_an_invented_article_behind_the_number_of_a_source_leaves_the_mark(
    guard: LegalCitation,
) -> None:
    answer = "허가를 받아야 합니다. [†1, 제99조]"

    [finding] = guard.check(read(Exchange("허가는요?", SOURCES, answer=answer)))

    assert (finding.observed, finding.fix) == ("[†1, 제99조]", "[†1]")
