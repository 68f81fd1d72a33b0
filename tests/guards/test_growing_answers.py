"""What the guards say of an answer that is still being written.

A strong finding on what there is of it stands on the whole as well, unless it is provisional.
"""

from collections.abc import Sequence

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.guard import Scope, Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.core.runner import run
from guards.text.sentences import split_sentences

GUARDS = {
    guard.id: guard(guard.settings_type())
    for guard in all_guards().values()
    if Stage.OUTPUT in guard.stages and guard.scope is Scope.SEGMENT
}

CAMP = (
    Source(
        "1",
        "별빛캠핑장 요금표",
        "데크 자리는 1박에 40,000원입니다. 장작 1망은 9,000원입니다.\n"
        "퇴실은 오전 11시까지입니다. 바비큐 그릴은 무료로 빌려 드립니다.",
    ),
    Source("2", "별빛캠핑장 이용 규칙", "반려견은 10kg 이하 한 마리만 함께 올 수 있습니다."),
)
SHELVES = "\n".join(
    f"- {name} 서가에는 {kind} 관련 도서를 따로 모아 두었으니 안내 표지를 보고 찾아가시기 바랍니다."
    for name, kind in (
        ("가람", "역사"),
        ("나래", "과학"),
        ("다솜", "예술"),
        ("라온", "문학"),
        ("마루", "철학"),
        ("바다", "어학"),
        ("사랑", "종교"),
    )
)
LIBRARY = (
    Source("1", "솔빛도서관 서가 안내", f"주제별 서가를 운영합니다.\n{SHELVES}"),
    Source("2", "솔빛도서관 대출 규정", "일반 회원은 한 번에 다섯 권을 두 주 동안 빌린다."),
)
TRIAL = (
    Source("1", "취업규칙 - 수습기간", "신규 입사자의 수습기간은 3개월로 한다."),
    Source("2", "사내 공지 - 수습기간", "신규 입사자의 수습기간은 6개월로 합니다."),
)
DISTRICTS = (
    Source("1", "영통구 보건소", "영통구 보건소는 월요일에 쉽니다."),
    Source("2", "팔달구 보건소", "팔달구 보건소는 화요일에 쉽니다."),
)
COURSES = (
    Source(
        "1",
        "문화강좌 시간표",
        "| 강좌 | 강사 |\n|---|---|\n| 도예 | 나은별 |\n| 목공 | 도한솔 |\n| 수채화 | 한누리 |",
    ),
)
OFFER = "궁금하신 내용을 확인하여 알려 드린 것입니다."

TAKEN_BACK = [
    pytest.param(
        CAMP,
        "데크에서 2박 하고 장작 1망을 사면 얼마예요?",
        "총 89,000원입니다.",
        "\n\n- 데크: 40,000원 × 2박 = 80,000원\n- 장작: 9,000원",
        "numbers.not_in_sources",
        id="a-total-whose-items-come-next",
    ),
    pytest.param(
        TRIAL,
        "수습기간은 얼마인가요?",
        "취업규칙에 따르면 신규 입사자의 수습기간은 3개월입니다.",
        " 다만 사내 공지에는 신규 입사자의 수습기간이 6개월로 적혀 있습니다.",
        "conflict.undisclosed",
        id="a-value-whose-rival-is-told-later",
    ),
    pytest.param(
        DISTRICTS,
        "영통구 보건소는 언제 쉬나요?",
        "팔달구 보건소는 화요일에 쉽니다.",
        " 영통구 보건소는 월요일에 쉽니다.",
        "scope.entity_drift",
        id="another-place-before-the-right-one",
    ),
    pytest.param(
        COURSES,
        "도예 강좌를 알려 주세요.",
        "강좌 가운데 하나는 도한솔 강사가 맡습니다.",
        " 그것은 목공이고, 도예는 나은별 강사가 맡습니다.",
        "names.differs",
        id="another-name-before-the-right-one",
    ),
    pytest.param(
        CAMP,
        "반려견과 함께 갈 수 있나요?",
        "반려견은 10kg 이하 한 마리만 함께 오실 수 있습니다. [1]",
        "\n\n참고 자료:\n[1] 별빛캠핑장 이용 규칙\n[2] 별빛캠핑장 요금표",
        "citations.wrong_source",
        id="a-number-that-the-list-explains-otherwise",
    ),
    pytest.param(
        CAMP,
        "반려견과 함께 갈 수 있나요?",
        "반려견은 10kg 이하 한 마리만 함께 오실 수 있습니다. [†5]",
        "\n\n참고 자료:\n[†5] 별빛캠핑장 이용 규칙",
        "citations.unknown_number",
        id="a-number-that-only-the-list-explains",
    ),
    pytest.param(
        CAMP,
        "데크에서 2박 하고 장작 1망을 사면 얼마예요?",
        "총 89,000원입니다.\n\n퇴실은 오전 11시까지입니다.\n\n## 내역\n\n데크 요금부터 적었습니다.",
        "\n\n- 데크: 40,000원 × 2박 = 80,000원\n- 장작: 9,000원",
        "numbers.not_in_sources",
        id="a-total-whose-items-come-some-paragraphs-further-on",
    ),
    pytest.param(
        CAMP,
        "퇴실할 때 무엇을 해야 하나요?",
        "퇴실 점검에서 직원은 다음 물품의 반납을 살펴봅니다. (출처: 별빛캠핑장 이용 규칙)",
        "\n\n- 바비큐 그릴 돌려주기\n- 오전 11시까지 퇴실하기",
        "citations.unsupported",
        id="a-citation-of-a-sentence-that-opens-a-list",
    ),
    pytest.param(
        CAMP,
        "요금표를 보여 주세요.",
        "매점 간식 진열 품목",
        "\n- 장작 1망 9,000원\n- 바비큐 그릴 무료",
        "overlap.unsupported",
        id="the-heading-of-a-list",
    ),
    pytest.param(
        CAMP,
        "퇴실 시간과 그릴 대여를 알려 주세요.",
        f"{OFFER} 퇴실은 오전 11시까지입니다. {OFFER} 그릴은 무료입니다. {OFFER}",
        " 장작 1망은 9,000원입니다. 데크 자리는 1박에 40,000원입니다.",
        "quality.repetition",
        id="what-is-repeated-is-little-of-a-longer-answer",
    ),
    pytest.param(
        CAMP,
        "퇴실은 몇 시까지인가요?",
        "답변:",
        "\n퇴실은 오전 11시까지입니다.",
        "quality.placeholder",
        id="a-heading-that-is-no-placeholder",
    ),
]


def strong(answer: str, question: str, sources: tuple[Source, ...]) -> list[Finding]:
    reports = run(GUARDS.values(), read(Exchange(question, sources, answer=answer)))
    assert [report.error for report in reports if report.error] == []
    return [
        finding
        for report in reports
        for finding in report.findings
        if finding.severity is Severity.STRONG
    ]


def coded(findings: Sequence[Finding], code: str) -> list[Finding]:
    return [finding for finding in findings if finding.code == code]


@pytest.mark.parametrize(("sources", "question", "begun", "rest", "code"), TAKEN_BACK)
def test_what_the_rest_may_take_back_is_provisional(
    sources: tuple[Source, ...], question: str, begun: str, rest: str, code: str
) -> None:
    early = coded(strong(begun, question, sources), code)
    whole = strong(begun + rest, question, sources)

    assert early
    assert all(finding.provisional for finding in early)
    assert coded(whole, code) == []


@pytest.mark.parametrize(("sources", "question", "begun", "rest", "code"), TAKEN_BACK)
def test_what_is_settled_stands_on_the_whole(
    sources: tuple[Source, ...], question: str, begun: str, rest: str, code: str
) -> None:
    del code
    answer = begun + rest
    whole = {(one.guard, one.span) for one in strong(answer, question, sources)}

    for sentence in split_sentences(answer):
        early = strong(answer[: sentence.end], question, sources)
        assert {(one.guard, one.span) for one in early if not one.provisional} <= whole


SETTLED = [
    pytest.param("바비큐 그릴은 유료로 빌려 드립니다.", "negation.flipped", id="an-opposite"),
    pytest.param(
        "퇴실은 오전 11시까지입니다. [출처: 별빛캠핑장 약관.pdf]",
        "citations.unknown_source",
        id="a-title-that-no-source-has",
    ),
    pytest.param(
        "야간에는 불꽃놀이와 재즈 공연이 광장에서 열립니다.",
        "overlap.unsupported",
        id="an-invented-sentence",
    ),
    pytest.param("퇴실은 午前 11시까지입니다.", "korean_only.han", id="a-foreign-word"),
]


@pytest.mark.parametrize(("begun", "code"), SETTLED)
def test_what_one_sentence_shows_is_settled(begun: str, code: str) -> None:
    [finding] = coded(strong(begun, "퇴실은 몇 시까지인가요?", CAMP), code)

    assert not finding.provisional


def test_a_claim_waits_for_a_mark_until_its_paragraph_ends() -> None:
    citations = all_guards()["citations"]
    guard = citations(citations.settings_type.model_validate({"add_missing": True}))
    claim = "반려견은 10kg 이하 한 마리만 함께 오실 수 있습니다."
    found = [
        guard.check(read(Exchange("반려견은요?", CAMP, answer=answer)))
        for answer in (claim, f"{claim}\n\n퇴실은 오전 11시까지입니다.")
    ]

    assert [one[0].code for one in found] == ["citations.missing"] * 2
    assert [one[0].provisional for one in found] == [True, False]


def test_an_answer_without_evidence_may_still_abstain() -> None:
    answerability = all_guards()["answerability"]
    guard = answerability(answerability.settings_type.model_validate({"evidence_always": True}))
    begun = "문의하신 내용을 찾아보았습니다."

    [finding] = guard.check(read(Exchange("정년은 몇 살인가요?", answer=begun)))
    [asked] = guard.check(read(Exchange("정년은 몇 살인가요?")))

    assert (finding.provisional, asked.provisional) == (True, False)


def test_only_what_never_acts_needs_the_whole_answer() -> None:
    others = {
        guard.id
        for guard in all_guards().values()
        if Stage.OUTPUT in guard.stages and guard.scope is Scope.ANSWER
    }

    assert others == {"uncited_claims"}
