"""What the guards say of an answer that is still being written.

A strong finding on what there is of it stands on the whole as well, unless it is provisional.
"""

from collections.abc import Sequence

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.guard import Scope, Stage, run
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.text.sentences import split_sentences
from tests.tables import each_row

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


@each_row("sources, question, begun, rest, code", "taken_back")
def test_what_the_rest_may_take_back_is_provisional(
    sources: tuple[Source, ...], question: str, begun: str, rest: str, code: str
) -> None:
    early = coded(strong(begun, question, sources), code)
    whole = strong(begun + rest, question, sources)

    assert early
    assert all(finding.provisional for finding in early)
    assert coded(whole, code) == []


@each_row("sources, question, begun, rest, code", "taken_back")
def test_what_is_settled_stands_on_the_whole(
    sources: tuple[Source, ...], question: str, begun: str, rest: str, code: str
) -> None:
    del code
    answer = begun + rest
    whole = {(one.guard, one.span) for one in strong(answer, question, sources)}

    for sentence in split_sentences(answer):
        early = strong(answer[: sentence.end], question, sources)
        assert {(one.guard, one.span) for one in early if not one.provisional} <= whole


@each_row("begun, code", "settled")
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
