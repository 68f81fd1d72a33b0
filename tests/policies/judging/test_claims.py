"""Which claims a judge is asked about, what it is shown, and when it is not asked."""

import re
from dataclasses import replace

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Span
from guards.core.guard import Stage
from guards.core.reading import read
from policies.decision import Possible
from policies.edits import Edit
from policies.inspection import Inspector
from policies.judging.claims import Skip, question_about
from policies.judging.judge import JudgeQuestion, OpenClaim
from policies.schema.loader import load_shipped
from policies.schema.sections import OpinionRules
from tests.policies.acting import every_code_acts
from tests.policies.courses import (
    COURSES,
    DENIED,
    KNOWN,
    NO_REFUND,
    POOL,
    SETTLED,
    UNHEARD_OF,
    answered,
)
from tests.tables import each_row

INSPECTOR = Inspector(every_code_acts(load_shipped("default").policy))
RULES = OpinionRules()


def asked(
    exchange: Exchange, rules: OpinionRules = RULES, *, is_forced: bool = False
) -> JudgeQuestion | Skip:
    possible = Possible(regenerate=True, edit=True)
    verdict = INSPECTOR.inspect(exchange, Stage.OUTPUT, possible)
    return question_about(rules, read(exchange), verdict, is_forced=is_forced)


def claims(
    exchange: Exchange, rules: OpinionRules = RULES, *, is_forced: bool = False
) -> tuple[OpenClaim, ...]:
    question = asked(exchange, rules, is_forced=is_forced)
    assert isinstance(question, JudgeQuestion), question
    return question.claims


@each_row("answer, wanted", "open")
def test_open(answer: str, wanted: list[str]) -> None:
    assert [claim.text for claim in claims(answered(answer))] == wanted


def test_a_claim_points_to_its_place() -> None:
    answer = f"{KNOWN} {DENIED}"

    [claim] = claims(answered(answer))

    assert answer[claim.span.start : claim.span.end] == DENIED


@each_row("claim, is_critical", "critical")
def test_critical(claim: str, is_critical: bool) -> None:
    [found] = claims(answered(claim), is_forced=True)

    assert found.is_critical is is_critical


SKIPPED = [
    pytest.param(answered(KNOWN), Skip.NO_OPEN_CLAIMS, id="all-of-it-is-in-a-source"),
    pytest.param(
        answered(f"{SETTLED} 전화번호는 02-555-0199입니다. {DENIED}"),
        Skip.TWO_STRONG_FINDINGS,
        id="two-strong-findings",
    ),
    pytest.param(
        answered(DENIED, replace(COURSES, score=0.19), replace(POOL, score=0.05)),
        Skip.LOW_RETRIEVAL_SCORE,
        id="low-retrieval-score",
    ),
    pytest.param(Exchange(question="?", answer=DENIED), Skip.NO_SOURCES, id="no-sources"),
]


@each_row("exchange, reason", SKIPPED)
def test_skipped(exchange: Exchange, reason: Skip) -> None:
    assert asked(exchange) is reason


REFUTED = f"{SETTLED} 전화번호는 02-555-0199입니다."


@each_row("begin, stays", "stays")
def test_of_a_mended_answer_what_stays_is_asked_about(begin: int, stays: bool) -> None:
    answer = f"{REFUTED} {DENIED} 결석한 날은 다른 날에 다시 배웁니다."
    exchange = answered(answer)
    verdict = INSPECTOR.inspect(exchange, Stage.OUTPUT, Possible(regenerate=True, edit=True))
    edit = Edit(Span(begin, len(REFUTED) + 1 + len(DENIED)))

    question = question_about(RULES, read(exchange), replace(verdict, edits=(edit,)))

    assert isinstance(question, JudgeQuestion)
    texts = [claim.text for claim in question.claims]
    assert (DENIED in texts) is stays
    assert "결석한 날은 다른 날에 다시 배웁니다." in texts


@each_row("score", [0.2, None])
def test_a_score_that_will_do_or_is_unknown_skips_nothing(score: float | None) -> None:
    exchange = answered(DENIED, replace(COURSES, score=score), replace(POOL, score=0.05))

    assert [claim.text for claim in claims(exchange)] == [DENIED]


def test_forced_all_claims_are_asked_about() -> None:
    answer = f"{KNOWN} {SETTLED} 전화번호는 02-555-0199입니다."

    assert len(claims(answered(answer), is_forced=True)) == 3


def test_no_more_claims_than_the_policy_allows() -> None:
    answer = f"{DENIED} 낸 돈은 언제든지 돌려받습니다. 취소한 강좌의 돈도 돌려받습니다."

    rules = RULES.model_copy(update={"most_claims": 2})

    question = asked(answered(answer), rules, is_forced=True)

    assert isinstance(question, JudgeQuestion)
    assert (len(question.claims), question.left_out) == (2, 1)


def test_forced_open_claims_come_first() -> None:
    rules = RULES.model_copy(update={"most_claims": 1})

    [claim] = claims(answered(f"{KNOWN} {DENIED}"), rules, is_forced=True)

    assert claim.text == DENIED


def test_open_claims_that_nobody_is_asked_about_are_counted() -> None:
    answer = f"{KNOWN} {DENIED} 결석한 날은 다른 날에 다시 배웁니다. {UNHEARD_OF}"

    question = asked(answered(answer), RULES.model_copy(update={"most_claims": 1}))

    assert isinstance(question, JudgeQuestion)
    assert (len(question.claims), question.left_out) == (1, 2)


def test_windows_are_pieces_of_sources_nearest_first() -> None:
    [claim] = claims(answered(DENIED))

    sources = {source.id: source.text for source in (COURSES, POOL)}
    assert 1 <= len(claim.windows) <= 3
    assert all(window.text in sources[window.source_id] for window in claim.windows)
    assert NO_REFUND in claim.windows[0].text
    assert claim.windows[0].title == COURSES.title


def test_windows_are_no_longer_than_the_policy_allows() -> None:
    long = Source("1", "안내", "체험 강좌 " * 400)

    [claim] = claims(answered(DENIED, long), RULES.model_copy(update={"window_chars": 120}))

    assert {len(window.text) <= 120 for window in claim.windows} == {True}


def test_a_source_in_another_language_is_shown_too() -> None:
    english = Source("1", "Courses", "Trial lessons are not refunded. Bring a swimming cap.")

    [claim] = claims(answered(DENIED, english))

    assert claim.windows[0].text.startswith("Trial lessons are not refunded.")


@each_row("identifier", "cut")
@each_row("filling", "no_part_of_an_identifier_is_left_where_a_window_is_cut")
def test_no_part_of_an_identifier_is_left_where_a_window_is_cut(
    identifier: str, filling: int
) -> None:
    text = f"체험 강좌 {'가' * filling} {identifier} 취소하면 돈을 돌려받습니다."

    [claim] = claims(
        answered(DENIED, Source("1", "안내", text)),
        RULES.model_copy(update={"window_chars": 100}),
        is_forced=True,
    )

    shown = claim.windows[0].text
    assert len(shown) <= 100
    assert re.search(r"\d|nobody|pool", shown) is None


def test_personal_identifiers_stay_in_the_house() -> None:
    number = "010-5550-0142"
    source = replace(COURSES, text=f"담당자 휴대전화는 {number}입니다. {COURSES.text}")
    exchange = answered(
        f"{number}로 취소하면 낸 돈을 돌려받습니다.", source, question=f"{number} 강좌 취소되나요?"
    )

    question = asked(exchange, is_forced=True)

    assert isinstance(question, JudgeQuestion)
    assert number not in repr(question)
    assert "[전화번호]" in question.claims[0].text
