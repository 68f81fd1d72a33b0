"""The library's door: an answer held against its sources, and what is said of it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.guard import Guard
from guards.core.reading import Reading
from guards.numbers import Numbers, NumbersSettings
from guards.overlap import Overlap, OverlapSettings
from policies import quick_verify, verify
from policies.inspection import Inspector
from policies.schema.base import Mode, PolicyError
from policies.schema.loader import load_shipped
from policies.schema.policy import Action, Policy
from policies.schema.sections import ConfidenceWeights
from policies.verdict import Cap
from policies.verification.shape import BadSources, Label, Method, Options, Verification
from policies.verification.verifying import UnknownGuard, Verifier
from tests.policies.acting import every_code_acts
from tests.policies.shop import (
    DELIVERY,
    DELIVERY_SAID,
    FAITHFUL,
    FIVE_CITATIONS,
    QUESTION,
    REFUND,
    REFUND_SAID,
    SOURCES,
    THREE_CITATIONS,
    WRONG_FIGURE,
)
from tests.tables import each_row

DEFAULT = every_code_acts(load_shipped("default").policy)


def verified(answer: str, *sources: Source, options: Options = Options()) -> Verification:
    return verify(QUESTION, answer, sources or SOURCES, options=options)


# --- what is verified ---


def test_a_faithful_answer_is_verified() -> None:
    result = verified(FAITHFUL)

    assert result.verified
    assert result.verdict is Action.PASS
    assert result.confidence == 1.0
    assert result.issues == ()
    assert result.citations_valid is True
    assert result.accuracy_rate == 1.0
    assert result.corrected_answer == result.original_answer == FAITHFUL
    assert result.reasoning.count("✓") == 3


def test_a_wrong_figure_is_named_with_the_right_one_and_its_place() -> None:
    result = verified(WRONG_FIGURE)

    assert not result.verified
    assert result.confidence == 0.3
    assert result.confidence_caps == (Cap.CONTRADICTION,)
    [finding] = result.findings
    assert (finding.code, finding.observed) == ("numbers.value_differs", "45일")
    assert WRONG_FIGURE[slice(*finding.span.cp)] == "45일"
    assert WRONG_FIGURE.encode()[slice(*finding.span.utf8)].decode() == "45일"
    [evidence] = finding.evidence
    assert evidence.span is not None
    assert REFUND.text[slice(*evidence.span.cp)] == evidence.quote
    assert "20일" in evidence.quote
    [claim] = result.claims
    assert (claim.label, claim.strength, claim.findings) == (Label.CONTRADICTED, Strength.C2, (0,))
    assert any("45일" in issue for issue in result.issues)


@each_row("answer", "not_verified")
def test_what_is_wrong_is_never_verified_and_always_said(answer: str) -> None:
    result = verify(QUESTION, answer, SOURCES, DEFAULT)

    assert not result.verified
    assert result.issues
    assert "✗" in result.reasoning


# --- nothing checked is never verified ---

UNCHECKED = [
    pytest.param(FAITHFUL, (), "no_sources", id="no-sources"),
    pytest.param(
        FAITHFUL, (Source("1", "환불", "…"),), "no_sources", id="sources-that-say-nothing"
    ),
    pytest.param("", SOURCES, "no_answer", id="no-answer"),
    pytest.param(" \n ", SOURCES, "no_answer", id="blank-answer"),
    pytest.param("안녕하세요! 무엇을 도와드릴까요?", SOURCES, "no_claims", id="greeting"),
    pytest.param("제공된 자료에서 확인되지 않습니다.", SOURCES, "no_claims", id="abstention"),
    pytest.param("네, 맞습니다.", SOURCES, "too_short", id="too-short-to-compare"),
    pytest.param("고객센터가 친절합니다.", SOURCES, "too_short", id="nothing-but-a-known-name"),
]


@each_row("answer, sources, reason", UNCHECKED)
def test_nothing_checked_is_never_verified(
    answer: str, sources: tuple[Source, ...], reason: str
) -> None:
    result = verify(QUESTION, answer, sources)

    assert not result.verified
    assert result.confidence is None
    assert reason in {one.reason for one in result.not_checkable}
    assert all(claim.label is Label.NOT_CHECKABLE for claim in result.claims)
    assert result.scores.support is None
    assert result.issues


PIECES = st.sampled_from(
    [REFUND_SAID, DELIVERY_SAID, "네", "안녕하세요", " ", ".", "\n", "[1]", "[†1]", "20일", "| a |"]
)


@given(st.lists(PIECES).map("".join) | st.text())
def test_without_sources_no_answer_whatever_is_verified(answer: str) -> None:
    result = quick_verify(answer, [])

    assert not result.verified
    assert result.issues


@given(st.lists(PIECES).map("".join))
def test_what_is_verified_was_compared_and_what_is_not_says_why(answer: str) -> None:
    result = quick_verify(answer, SOURCES)

    if result.verified:
        assert any(claim.checked_by for claim in result.claims)
        assert result.confidence is not None
    else:
        assert result.issues


@each_row("guard", "compared_nothing")
def test_a_guard_that_compared_no_claim_verifies_nothing(guard: str) -> None:
    answer = "제9조에 따라 고객센터에서 45일 이내에 환불을 신청할 수 있습니다."

    result = verified(answer, options=Options(guards=(guard,)))

    assert result.checks.run == (guard,)
    assert not result.verified
    assert result.confidence is None
    assert {one.reason for one in result.not_checkable} == {"not_looked_at"}


def test_a_claim_that_the_chosen_guards_left_out_keeps_the_answer_from_being_verified() -> None:
    answer = f"{DELIVERY_SAID}. 수리 접수는 고객센터에서 합니다."

    result = verified(answer, options=Options(guards=("numbers",)))

    assert [claim.label for claim in result.claims] == [Label.SUPPORTED, Label.NOT_CHECKABLE]
    assert not result.verified
    assert verified(answer).verified


def test_the_other_guards_are_reported_as_not_asked() -> None:
    result = verified(f"{DELIVERY_SAID}.", options=Options(guards=("numbers", "overlap")))

    assert result.verified
    assert set(result.checks.run) == {"numbers", "overlap"}
    assert result.checks.skipped["contact"] == "not_asked"
    assert result.checks.skipped["phrases"] == "off"
    assert result.checks.skipped["complaint"] == "question_only"


def test_a_guard_asked_for_that_the_policy_has_off_is_missing() -> None:
    result = verified(FAITHFUL, options=Options(guards=("numbers", "overlap", "phrases")))

    assert not result.verified
    assert any("검사" in issue for issue in result.issues)


@each_row("name", ["nubmers", "complaint", ""])
def test_a_guard_that_judges_no_answers_is_refused(name: str) -> None:
    with pytest.raises(UnknownGuard, match="there is no guard"):
        verified(FAITHFUL, options=Options(guards=(name,)))


# --- the judge ---


def test_a_judge_that_is_demanded_and_not_there_is_degraded_and_never_verified() -> None:
    result = verified(FAITHFUL, options=Options(judge="force"))

    assert not result.verified
    assert result.verdict is Action.PASS
    assert result.degraded == ("judge:not_configured",)
    assert result.checks.skipped["judge"] == "not_configured"
    assert (result.confidence, result.confidence_caps) == (0.85, (Cap.DEGRADED_JUDGE,))
    assert result.issues


@each_row("judge, reason", [("auto", "not_configured"), ("off", "off")])
def test_a_judge_that_nobody_demands_is_only_skipped(judge: str, reason: str) -> None:
    result = verified(FAITHFUL, options=Options.model_validate({"judge": judge}))

    assert result.verified
    assert result.degraded == ()
    assert result.checks.skipped["judge"] == reason


# --- broken guards ---


class BrokenNumbers(Numbers):
    def check(self, reading: Reading) -> list[Finding]:
        raise ArithmeticError


def test_an_answer_that_a_broken_guard_could_not_check_is_not_verified() -> None:
    guards: list[Guard[Any]] = [BrokenNumbers(NumbersSettings()), Overlap(OverlapSettings())]
    exchange = Exchange(QUESTION, SOURCES).answered(f"{DELIVERY_SAID}.")

    result = Verifier(Inspector(DEFAULT, guards), "broken").verify(exchange).report

    assert not result.verified
    assert result.degraded == ("numbers:failed:ArithmeticError",)
    assert result.checks.skipped["numbers"] == "failed:ArithmeticError"
    assert result.claims[0].checked_by == ("overlap",)


# --- citations ---


def test_wrong_citations_go_and_the_rest_is_renumbered_with_its_references() -> None:
    result = verified(FIVE_CITATIONS)

    assert not result.verified
    assert result.corrected_answer == THREE_CITATIONS
    assert result.removed_citations == (3, 5)
    assert [(one.before, one.after) for one in result.renumbered] == [(4, 3)]
    assert result.citations.declared == ("1", "2", "3", "4", "5")
    assert result.citations.misattributed == ("3", "5")
    assert result.citations_valid is False
    log = [(one.citation_number, one.status.value) for one in result.verification_log]
    assert log == [
        (1, "accurate"),
        (2, "accurate"),
        (1, "accurate"),
        (3, "inaccurate"),
        (4, "accurate"),
        (4, "accurate"),
        (5, "inaccurate"),
    ]
    assert result.accuracy_rate == pytest.approx(5 / 7, abs=1e-4)
    wrong = result.verification_log[3]
    assert (wrong.source_file, wrong.source_page, wrong.is_accurate) == ("points.pdf", 2, False)


def test_a_corrected_answer_is_left_alone() -> None:
    again = verify(QUESTION, THREE_CITATIONS, [SOURCES[0], SOURCES[1], SOURCES[3]])

    assert again.verified
    assert again.corrected_answer == THREE_CITATIONS


def test_without_sources_every_citation_is_a_phantom() -> None:
    result = quick_verify(FAITHFUL, [])

    assert result.citations.phantom == ("1", "2")
    assert result.citations_valid is False


def test_a_phantom_is_named_and_taken_out() -> None:
    result = verified(f"{REFUND_SAID}[†8].", REFUND)

    assert result.citations.phantom == ("8",)
    assert result.removed_citations == (8,)
    assert result.corrected_answer == f"{REFUND_SAID}."


def test_an_answer_that_cites_nothing_has_no_valid_citations_either() -> None:
    result = verified(f"{REFUND_SAID}.")

    assert result.verified
    assert result.citations_valid is None
    assert result.accuracy_rate is None
    assert result.scores.citation is None
    assert result.citations.uncited_claims == (0,)
    assert "? 출처 인용이 없습니다" in result.reasoning


def test_citations_that_nobody_looked_at_are_not_valid() -> None:
    result = verified(FAITHFUL, options=Options(guards=("numbers", "overlap")))

    assert result.citations_valid is None
    assert result.verification_log == ()


@each_row("correction, corrected", "corrections")
def test_as_much_is_corrected_as_was_asked_for(correction: str, corrected: str | None) -> None:
    answer = f"{REFUND_SAID}[8]. {DELIVERY_SAID}[9]. 배송비는 9,900원입니다."
    options = Options.model_validate({"correction": correction})

    assert verified(answer, options=options).corrected_answer == corrected


def test_an_answer_of_which_too_little_would_be_left_is_not_corrected() -> None:
    result = verified(WRONG_FIGURE, options=Options(correction="trim"))

    assert result.corrected_answer is None


# --- claims ---


def test_each_sentence_is_reported_with_what_it_rests_on() -> None:
    answer = f"안녕하세요. {DELIVERY_SAID}. 네, 맞습니다."

    greeting, claim, yes = verified(answer).claims

    assert (greeting.check_required, greeting.label) == (False, Label.NOT_CHECKABLE)
    assert (claim.label, claim.strength) == (Label.SUPPORTED, Strength.E2)
    assert {"overlap", "numbers"} <= set(claim.checked_by)
    best = claim.citations[0]
    assert (best.source_id, best.method) == ("2", Method.ALIGNED)
    assert best.span is not None
    assert DELIVERY.text[slice(*best.span.cp)] == best.quote
    assert (yes.check_required, yes.label, yes.score) == (True, Label.NOT_CHECKABLE, None)
    for claimed in (greeting, claim, yes):
        assert answer[slice(*claimed.span.cp)] == claimed.text


def test_a_sentence_taken_word_for_word_is_an_exact_match() -> None:
    [claim] = verified("물품을 받은 날부터 20일 이내에 환불을 신청할 수 있다.").claims

    assert (claim.strength, claim.citations[0].method) == (Strength.E3, Method.EXACT)


# --- what is given ---


def test_sources_may_be_dicts_by_either_name() -> None:
    by_title = {"section_title": REFUND.title, "section_content": REFUND.text, "other": 1}
    by_text = {"id": 7, "title": DELIVERY.title, "text": DELIVERY.text, "uri": "a.pdf", "page": 2}

    result = verify(QUESTION, f"{REFUND_SAID}[1]. {DELIVERY_SAID}[7].", [by_title, by_text])

    assert result.verified
    assert [(one.id, one.title, one.file, one.page) for one in result.sources] == [
        ("1", REFUND.title, "", None),
        ("7", DELIVERY.title, "a.pdf", 2),
    ]


def test_a_source_without_words_keeps_its_place_in_the_count() -> None:
    by_place = {"title": DELIVERY.title, "text": DELIVERY.text}

    result = verify(QUESTION, f"{DELIVERY_SAID}[3].", [REFUND, {"text": " "}, by_place])

    assert result.verified
    assert [one.id for one in result.sources] == ["1", "3"]


@each_row("source, said", "bad_sources")
def test_a_source_that_cannot_be_used_is_named(source: dict[str, object], said: str) -> None:
    with pytest.raises(BadSources, match=said):
        verify(QUESTION, FAITHFUL, [source, DELIVERY])


NO_TEXTS = [
    pytest.param({"answer": None}, "answer must be a str, not NoneType", id="no-answer"),
    pytest.param({"question": None}, "question must be a str, not NoneType", id="no-question"),
    pytest.param({"sources": None}, "must be a list of sources, not NoneType", id="no-sources"),
    pytest.param({"sources": "물품"}, "must be a list of sources, not str", id="a-text"),
    pytest.param({"sources": {"text": "물품"}}, "must be a list of sources, not dict", id="one"),
]


@pytest.mark.parametrize(("given", "said"), NO_TEXTS)
def test_what_is_no_text_and_no_list_is_refused(given: dict[str, Any], said: str) -> None:
    good: dict[str, Any] = {"question": QUESTION, "answer": FAITHFUL, "sources": SOURCES}

    with pytest.raises(TypeError, match=said):
        verify(**good | given)


def test_a_source_that_is_no_object_is_named() -> None:
    texts: Any = [DELIVERY, "물품"]

    with pytest.raises(BadSources, match=r"sources\[1\]: it must be an object"):
        verify(QUESTION, FAITHFUL, texts)


def test_the_quick_form_needs_no_question_and_asks_no_model() -> None:
    result = quick_verify(FAITHFUL, SOURCES)

    assert result.verified
    assert result.question == ""
    assert result.checks.skipped["judge"] == "off"
    assert result.degraded == ()


# --- the policy ---


def test_the_policy_may_be_shipped_a_file_or_given(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("extends: default\nconfidence:\n  threshold: 1.0\n", encoding="utf-8")
    lenient = DEFAULT.model_copy(update={"confidence": ConfidenceWeights(threshold=0.0)})
    weak = f"{REFUND_SAID}[†1]. 배송은 결제가 끝난 날부터 4일 이내에 시작하는 것이 원칙입니다."

    strictly = verify(QUESTION, weak, SOURCES, file)
    leniently = verify(QUESTION, weak, SOURCES, lenient)

    assert strictly.policy.startswith("own@")
    assert strictly.thresholds.confidence == 1.0
    assert strictly.confidence == leniently.confidence
    assert strictly.confidence is not None
    assert strictly.confidence < 1.0
    assert (strictly.verified, leniently.verified) == (False, True)
    assert verify(QUESTION, FAITHFUL, SOURCES, "strict").policy.startswith("strict@")


def test_an_edited_policy_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("extends: default\n", encoding="utf-8")
    before = verify(QUESTION, FAITHFUL, SOURCES, str(file))
    file.write_text("extends: default\nconfidence:\n  threshold: 0.9\n", encoding="utf-8")
    after = verify(QUESTION, FAITHFUL, SOURCES, str(file))

    assert before.thresholds.confidence == 0.7
    assert after.thresholds.confidence == 0.9
    assert before.policy != after.policy


@each_row("policy, said", "unusable")
def test_a_policy_that_cannot_be_used_is_an_error(policy: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        verify(QUESTION, FAITHFUL, SOURCES, policy)


def test_thresholds_are_those_of_the_policy_and_null_where_a_guard_is_off() -> None:
    shipped = verified(FAITHFUL).thresholds
    bare = verify(QUESTION, FAITHFUL, SOURCES, Policy()).thresholds

    assert (shipped.retrieval, shipped.support, shipped.relevance) == (0.65, 0.45, 0.4)
    assert (shipped.citation, shipped.confidence) == (0.7, 0.7)
    assert (bare.retrieval, bare.support, bare.citation) == (None, None, None)


def test_a_policy_without_guards_verifies_nothing() -> None:
    result = verify(QUESTION, FAITHFUL, SOURCES, Policy())

    assert not result.verified
    assert result.confidence is None
    assert result.checks.run == ()


def test_shadowed_guards_have_no_say() -> None:
    shadowed = {
        name: rule.model_copy(update={"mode": Mode.SHADOW}) for name, rule in DEFAULT.guards.items()
    }
    result = verify(QUESTION, FAITHFUL, SOURCES, DEFAULT.model_copy(update={"guards": shadowed}))

    assert not result.verified
    assert result.findings == ()
    assert "overlap" in result.checks.shadow


def test_the_report_survives_json() -> None:
    result = verified(FIVE_CITATIONS)

    assert Verification.model_validate_json(result.model_dump_json()) == result


TURNS = [
    {"role": "system", "content": "대표 전화는 02-100-2000입니다."},
    {"role": "user", "content": QUESTION},
]


def test_what_was_said_before_may_be_repeated() -> None:
    answer = f"{FAITHFUL} 대표 전화는 02-100-2000입니다."

    alone = verify(QUESTION, answer, SOURCES)
    in_conversation = verify("", answer, SOURCES, messages=TURNS)

    assert "contact.invented" in {finding.code for finding in alone.findings}
    assert "contact.invented" not in {finding.code for finding in in_conversation.findings}
    assert in_conversation.question == QUESTION


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"question": QUESTION, "messages": TURNS}, "hold the question", id="two"),
        pytest.param({"answer": None, "messages": TURNS}, "'answer' is missing", id="no-answer"),
        pytest.param({"messages": ["안녕"]}, r"messages\[0\]", id="no-message"),
        pytest.param({"messages": TURNS, "guard": {"tone": "soft"}}, "tone", id="unknown-word"),
    ],
)
def test_a_conversation_that_cannot_be_used_is_named(given: dict[str, Any], said: str) -> None:
    usual: dict[str, Any] = {"question": "", "answer": FAITHFUL, "sources": SOURCES}

    with pytest.raises(ValueError, match=said):
        verify(**usual | given)
