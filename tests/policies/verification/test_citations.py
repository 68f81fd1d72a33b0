"""What is said of citations agrees with what the guards found, and an accurate one is a check."""

from guards.core.exchange import Source
from policies import quick_verify, verify
from policies.schema.loader import load_shipped
from policies.schema.policy import Action, GuardRule, Policy
from policies.verification.shape import Label, Options, Verification
from policies.verification.verifying import chosen_policy
from tests.policies.acting import every_code_acts
from tests.policies.shop import (
    DELIVERY_SAID,
    FAITHFUL,
    FIVE_CITATIONS,
    QUESTION,
    REFUND,
    REFUND_SAID,
    SOURCES,
)
from tests.tables import each_row


def verified(
    answer: str, options: Options = Options(), policy: Policy | str = "default"
) -> Verification:
    return verify(QUESTION, answer, SOURCES, policy, options=options)


ALL_ACT = every_code_acts(load_shipped("default").policy)


def logged(result: Verification) -> list[tuple[int | None, str]]:
    return [(one.citation_number, one.status.value) for one in result.verification_log]


# --- the log and the findings say the same ---

ANSWERS = [
    FAITHFUL,
    FIVE_CITATIONS,
    f"{REFUND_SAID}[1][2][3].",
    f"{REFUND_SAID}[1][8].",
    f"{REFUND_SAID} [8]. {DELIVERY_SAID}[1].",
    f"{REFUND_SAID} [출처: 제14조(적립금)]. {DELIVERY_SAID} [출처: 여행 규정].",
    f"안내해 드리겠습니다[3]. {REFUND_SAID}[1].",
    "포장을 뜯은 물품도 환불합니다[1].",
    "배송비는 9,900원입니다[2].",
]


@each_row("answer", ANSWERS)
def test_citations_are_valid_exactly_if_none_in_the_log_is_inaccurate(answer: str) -> None:
    result = verified(answer)

    statuses = [status for _, status in logged(result)]
    assert statuses
    assert result.citations_valid is ("inaccurate" not in statuses)
    assert ("✓ 출처 인용이 유효합니다" in result.reasoning) is result.citations_valid
    if not result.citations_valid:
        assert result.issues
        assert not result.verified


@each_row("answer", ANSWERS)
def test_what_the_log_calls_inaccurate_is_what_a_guard_reports(answer: str) -> None:
    result = verified(answer)

    if any(status == "inaccurate" for _, status in logged(result)):
        assert any(finding.severity.value == "strong" for finding in result.findings)


@each_row("answer", "contradicted")
def test_a_claim_that_a_guard_objects_to_has_no_accurate_citation(answer: str) -> None:
    result = verified(f"{answer} {DELIVERY_SAID}[2].", policy=ALL_ACT)

    assert logged(result) == [(1, "inaccurate"), (2, "accurate")]
    assert result.accuracy_rate == 0.5
    assert result.citations_valid is False
    assert result.citations.misattributed == ("1",)
    wrong, right = result.verification_log
    assert wrong.is_accurate is False
    assert wrong.explanation != right.explanation
    assert wrong.confidence >= 0.7


def test_a_wrong_mark_says_nothing_against_its_claim() -> None:
    result = verified(f"{DELIVERY_SAID} [참조: 제9조].")

    assert result.citations_valid is False
    assert [one.status.value for one in result.verification_log] == ["inaccurate"]
    [claim] = result.claims
    assert claim.label is Label.SUPPORTED


def test_a_doubt_about_a_claim_leaves_its_citation_alone() -> None:
    result = verified("아마 배송은 결제가 끝난 날부터 4일 이내에 시작할 것 같습니다[2].")

    assert {finding.severity.value for finding in result.findings} == {"weak"}
    assert logged(result) == [(2, "accurate")]


# --- sources that are not there ---


@each_row("mark", ["[1]", "[†1]", "[출처: 환불 규정]"])
def test_without_sources_no_citation_is_valid(mark: str) -> None:
    result = quick_verify(f"{REFUND_SAID} {mark}.", [])

    assert result.citations_valid is False
    assert "✗ 출처 인용이 올바르지 않습니다" in result.reasoning
    assert len(result.citations.phantom) == 1


def test_a_title_that_nameless_sources_cannot_be_compared_with_is_neither_good_nor_bad() -> None:
    nameless = Source("1", "", REFUND.text)

    result = verify(QUESTION, f"{REFUND_SAID} [출처: 이용 약관].", [nameless])

    assert result.citations_valid is None
    assert result.citations.phantom == ()
    assert "✓ 출처" not in result.reasoning


# --- an accurate citation is a comparison ---


@each_row("answer", "short")
def test_a_short_claim_that_is_cited_accurately_was_compared(answer: str) -> None:
    result = quick_verify(answer, SOURCES)

    assert logged(result)[0][1] == "accurate"
    assert result.verified
    assert result.confidence == 1.0
    [claim] = result.claims
    assert claim.label is not Label.NOT_CHECKABLE
    assert "citations" in claim.checked_by
    assert result.not_checkable == ()


@each_row("answer", "uncited")
def test_a_short_claim_that_is_not_was_not(answer: str) -> None:
    result = quick_verify(answer, SOURCES)

    assert not result.verified
    assert all("citations" not in claim.checked_by for claim in result.claims)


@each_row("answer", "turned_round")
def test_a_short_claim_turned_round_is_not_verified_by_its_citation(answer: str) -> None:
    result = quick_verify(answer, SOURCES)

    assert not result.verified
    assert all(status != "accurate" for _, status in logged(result))


def test_a_short_claim_that_a_guard_objects_to_was_compared() -> None:
    result = quick_verify("뜯은 물품은 환불합니다[1].", SOURCES, ALL_ACT)

    assert result.not_checkable == ()
    [claim] = result.claims
    assert claim.label is Label.CONTRADICTED
    assert "negation" in claim.checked_by


def test_a_citation_that_nobody_looked_at_compares_nothing() -> None:
    options = Options(guards=("numbers", "overlap"))

    result = verified("뜯은 물품은 환불하지 않습니다[1].", options)

    assert all("citations" not in claim.checked_by for claim in result.claims)


# --- the report as a truth value ---


def test_a_verification_is_true_exactly_if_it_is_verified() -> None:
    assert quick_verify(FAITHFUL, SOURCES)
    assert not quick_verify("배송비는 9,900원입니다[2].", SOURCES)
    assert not quick_verify(FAITHFUL, [])


def test_a_footnote_taken_over_from_a_source_is_no_phantom() -> None:
    noted = "휴관일은 본관과 다르다[7]. 온실은 매주 화요일에 문을 닫는다."

    result = quick_verify(
        "휴관일은 본관과 다르다[7]. 온실은 화요일에 문을 닫는다[1].", [{"text": noted}]
    )

    assert result.citations.phantom == ()
    assert result.citations_valid is not False


def test_a_line_that_no_source_is_stands_among_the_phantoms() -> None:
    line = "1. [†9] 유령규정.pdf"
    answer = f"온실은 화요일에 문을 닫습니다[†1].\n\n### References\n{line}"

    result = quick_verify(answer, [{"text": "온실은 화요일에 문을 닫습니다.", "file": "온실.pdf"}])

    assert result.citations.phantom == (line,)


def test_a_policy_that_lets_wrong_citations_pass_does_not_verify_them() -> None:
    rule = GuardRule(action=Action.PASS, fix=False)
    policy = Policy(guards={"citations": rule, "overlap": GuardRule()})

    result = quick_verify(
        "온실은 화요일에 문을 닫습니다[†1][†9].",
        [{"text": "온실은 화요일에 문을 닫습니다."}],
        policy,
    )

    assert result.verdict is Action.PASS
    assert result.citations_valid is False
    assert not result.verified


def test_a_policy_of_ones_own_is_made_ready_once() -> None:
    policy, like = Policy(), Policy()

    assert chosen_policy(policy) is chosen_policy(policy)
    assert chosen_policy(like) is not chosen_policy(policy)
