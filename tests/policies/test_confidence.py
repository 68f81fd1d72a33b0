"""The one formula: 1.0, less 0.3 for bad citations, less 0.15 for each sign; then the caps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.guard import GuardReport, Stage
from policies.decision import Possible, decide
from policies.inspection import Inspector
from policies.schema.base import Mode
from policies.schema.loader import load_shipped
from policies.schema.policy import GuardRule, Policy
from policies.schema.sections import ConfidenceCaps, ConfidenceWeights
from policies.verdict import Band, Cap, Confidence, JudgeWord, confidence_of
from tests.policies.test_decision import WEAK, clean, finding, found, lacking
from tests.tables import each_row

WEIGHTS = ConfidenceWeights()
SIGN = finding("estimates", WEAK)
BAD_CITATION = finding("citations")
CONTRADICTION = finding("numbers", strength=Strength.C2)
INVENTED_FIGURE = finding("numbers")
OBJECTION = replace(finding("judge", WEAK, Strength.C1), code="judge.contradicted")
NOT_FOUND = replace(finding("judge", WEAK), code="judge.unsupported")

CASES = [
    pytest.param([], 1.0, "high", id="nothing-found"),
    pytest.param([BAD_CITATION], 0.7, "medium", id="bad-citation"),
    pytest.param([BAD_CITATION] * 3, 0.7, "medium", id="bad-citations-count-once"),
    pytest.param([finding("citations", WEAK)], 0.85, "high", id="doubtful-citation-is-a-sign"),
    pytest.param([SIGN], 0.85, "high", id="one-sign"),
    pytest.param([SIGN] * 3, 0.55, "medium", id="three-signs"),
    pytest.param([SIGN] * 4, 0.4, "low", id="four-signs"),
    pytest.param([BAD_CITATION, SIGN], 0.55, "medium", id="both"),
    pytest.param([SIGN] * 9, 0.0, "low", id="never-below-zero"),
]


@each_row("findings, value, band", CASES)
def test_what_is_found_is_taken_off(findings: list[Finding], value: float, band: str) -> None:
    assert confidence_of(WEIGHTS, findings) == Confidence(value, Band(band))


CAPPED = [
    pytest.param([CONTRADICTION], 0.3, {Cap.CONTRADICTION}, id="contradiction"),
    pytest.param([finding("names", strength=Strength.C2)], 0.3, {Cap.CONTRADICTION}, id="name"),
    pytest.param([INVENTED_FIGURE], 0.45, {Cap.CRITICAL}, id="invented-figure"),
    pytest.param([finding("legal_citation")], 0.45, {Cap.CRITICAL}, id="invented-provision"),
    pytest.param([finding("contact")], 0.45, {Cap.CRITICAL}, id="invented-contact"),
    pytest.param([finding("transport")], 0.45, {Cap.CRITICAL}, id="invented-route"),
    pytest.param([finding("overlap")], 0.85, set(), id="invented-sentence-is-not-critical"),
    pytest.param([finding("numbers", WEAK)], 0.85, set(), id="weak-figure"),
    pytest.param([finding("names", WEAK, Strength.C2)], 0.85, set(), id="weak-contradiction"),
    pytest.param(
        [CONTRADICTION, INVENTED_FIGURE], 0.3, {Cap.CONTRADICTION, Cap.CRITICAL}, id="lowest-counts"
    ),
    pytest.param([OBJECTION], 0.6, {Cap.OBJECTION}, id="judges-objection-that-is-only-noted"),
    pytest.param([NOT_FOUND], 0.85, set(), id="judge-that-finds-it-nowhere"),
    pytest.param([INVENTED_FIGURE, *[SIGN] * 5], 0.1, {Cap.CRITICAL}, id="below-its-cap"),
]


@each_row("findings, value, caps", CAPPED)
def test_what_is_open_caps_it(findings: list[Finding], value: float, caps: set[Cap]) -> None:
    confidence = confidence_of(WEIGHTS, findings)

    assert confidence.value == value
    assert set(confidence.caps) == caps


JUDGED = [
    pytest.param([], JudgeWord(0.6), 0.8, id="mean-with-the-judges-own"),
    pytest.param([BAD_CITATION], JudgeWord(0.9), 0.8, id="it-may-raise"),
    pytest.param([], JudgeWord(0.0), 0.5, id="it-may-lower"),
    pytest.param([], JudgeWord(), 0.75, id="a-half-where-it-named-none"),
    pytest.param([], JudgeWord(covered=0.0), 0.85, id="degraded-is-a-cap"),
    pytest.param([SIGN, SIGN], JudgeWord(covered=0.0), 0.7, id="degraded-takes-nothing-off"),
    pytest.param([CONTRADICTION], JudgeWord(1.0), 0.3, id="it-lifts-no-cap"),
    pytest.param([], JudgeWord(0.2, covered=0.5), 0.8, id="weighed-by-the-share-it-speaks-of"),
    pytest.param([], JudgeWord(1.0, covered=0.5), 0.85, id="part-of-it-is-a-cap"),
]


@each_row("findings, judge, value", JUDGED)
def test_a_judge_is_weighed_in(findings: list[Finding], judge: JudgeWord, value: float) -> None:
    assert confidence_of(WEIGHTS, findings, judge).value == value


def test_a_degraded_judge_is_named() -> None:
    assert confidence_of(WEIGHTS, [], JudgeWord(covered=0.0)).caps == (Cap.DEGRADED_JUDGE,)


def test_the_numbers_are_the_policys() -> None:
    weights = ConfidenceWeights(
        bad_citation=0.5, sign=0.1, judge_share=0.25, caps=ConfidenceCaps(contradiction=0.2)
    )

    assert confidence_of(weights, [BAD_CITATION, SIGN]).value == 0.4
    assert confidence_of(weights, [], JudgeWord(0.6)).value == 0.9
    assert confidence_of(weights, [CONTRADICTION]).value == 0.2


FINDINGS = st.lists(st.sampled_from([SIGN, BAD_CITATION, CONTRADICTION, INVENTED_FIGURE]))


@given(FINDINGS, st.sampled_from([SIGN, BAD_CITATION, CONTRADICTION, INVENTED_FIGURE]))
def test_one_more_finding_never_raises_it(findings: list[Finding], one_more: Finding) -> None:
    before, after = confidence_of(WEIGHTS, findings), confidence_of(WEIGHTS, [*findings, one_more])

    assert 0 <= after.value <= before.value <= 1


# --- what there is to be confident in ---


def decided(reports: list[GuardReport], mode: Mode = Mode.ENFORCE) -> Confidence | None:
    policy = Policy(guards={report.guard: GuardRule(mode=mode) for report in reports})
    return decide(policy, Stage.OUTPUT, reports, Possible()).confidence


def test_one_guard_that_could_look_is_enough() -> None:
    assert decided([lacking("numbers"), clean("estimates")]) == Confidence(1.0, Band.HIGH)


UNSEEN = [
    pytest.param([lacking("numbers")], Mode.ENFORCE, id="no-guard-could-run"),
    pytest.param([], Mode.ENFORCE, id="no-guard-is-on"),
    pytest.param([clean("numbers")], Mode.SHADOW, id="shadowed-and-clean"),
    pytest.param([found("numbers")], Mode.SHADOW, id="shadowed-and-found"),
]


@each_row("reports, mode", UNSEEN)
def test_there_is_none_where_no_guard_in_force_looked(
    reports: list[GuardReport], mode: Mode
) -> None:
    assert decided(reports, mode) is None


SOURCE = Source("1", "제9조(환불)", "물품을 받은 날부터 20일 이내에 환불을 신청할 수 있습니다.")


@each_row("answer, value", "met")
def test_there_is_none_where_no_claim_met_a_source(answer: str, value: float | None) -> None:
    confidence = inspected(answer, SOURCE)

    assert (confidence.value if confidence else None) == value


def test_there_is_none_without_sources() -> None:
    assert inspected("환불은 받은 날부터 20일 이내에 신청할 수 있습니다.") is None


def test_there_is_none_without_sources_whatever_is_found() -> None:
    assert inspected("환불은 관계법 제77조에 따릅니다.") is None


def test_what_was_found_in_a_sentence_that_claims_nothing_was_checked() -> None:
    confidence = inspected("문의: 070-0000-1234로 연락해 주세요.", SOURCE)

    assert confidence is not None
    assert confidence.band is Band.LOW


def inspected(answer: str, *sources: Source) -> Confidence | None:
    exchange = Exchange("환불은 며칠 안에 신청하나요?", sources).answered(answer)
    return Inspector(load_shipped("default").policy).inspect(exchange, Stage.OUTPUT).confidence


def test_a_strong_finding_of_a_citation_guard_is_a_bad_citation_whatever_its_strength() -> None:
    conflicting = replace(BAD_CITATION, strength=Strength.C1)

    assert confidence_of(WEIGHTS, [conflicting]).value == 0.7
