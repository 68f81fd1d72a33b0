"""Findings that a judge takes back: those that rest on absence, and no others."""

import pytest

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import Possible
from policies.edits import apply
from policies.inspection import Inspector
from policies.judging.judge import BoundedJudge
from policies.judging.opinions import with_second_opinion
from policies.schema.base import Mode
from policies.schema.loader import load_shipped
from policies.schema.policy import Action, Policy
from policies.schema.sections import JudgeRules
from policies.verdict import GuardOutcome, GuardResult, Verdict
from tests.fakes.fake_judge import FakeJudge, Says, doubts, supports
from tests.fakes.virtual_time import in_virtual_time
from tests.policies.acting import every_code_acts
from tests.policies.courses import SETTLED, UNHEARD_OF, answered
from tests.policies.judging.test_verdict import FIRST, LAST, STUCK
from tests.tables import each_row

SHIPPED = every_code_acts(load_shipped("default").policy)
# So strict that a faithful clause in other words counts as invented.
STRICT_OVERLAP = SHIPPED.guards["overlap"].model_copy(
    update={"options": {"unsupported_below": 0.9, "unsupported_words": 1}}
)
ASKED = "수강료는 언제까지 환불되나요?"
QUOTE = "수강료는 개강 전날까지 전액 환불합니다."
TRUE = "개강 전날까지는 학비 일체를 반환합니다."
OTHERS = "강좌는 매주 화요일과 목요일에 엽니다."


def policy(**judge: object) -> Policy:
    rules = JudgeRules().model_copy(update=judge)
    guards = {"numbers": SHIPPED.guards["numbers"], "overlap": STRICT_OVERLAP}
    return SHIPPED.model_copy(update={"guards": guards, "judge": rules})


def judged(
    answer: str, judge: FakeJudge, by: Policy | None = None, possible: Possible = FIRST
) -> tuple[Verdict, Verdict]:
    """Return the guards' verdict, and that with the judge's word."""
    inspector = Inspector(by or policy())
    exchange: Exchange = answered(answer, question=ASKED)
    verdict = inspector.inspect(exchange, Stage.OUTPUT, possible)
    heard = with_second_opinion(
        inspector, BoundedJudge(judge), exchange, verdict, possible, time_left_s=60.0
    )
    return verdict, in_virtual_time(heard)


def of(verdict: Verdict, guard: str) -> GuardResult:
    return next(one for one in verdict.results if one.guard == guard)


@each_row("possible", [FIRST, LAST, STUCK])
def test_words_that_no_source_has_are_taken_back_by_a_quote(possible: Possible) -> None:
    guards, heard = judged(f"{OTHERS} {TRUE}", FakeJudge(supports(QUOTE), 1.0), possible=possible)

    assert guards.reasons == ("overlap.unsupported",)
    assert heard.action is Action.PASS
    assert [one.code for one in of(heard, "overlap").cleared] == ["overlap.unsupported"]
    assert of(heard, "overlap").outcome is GuardOutcome.CLEAN
    counts = of(heard, "judge").counts
    assert counts is not None
    assert (counts.claims, counts.supported, counts.cleared, counts.confirmed) == (1, 1, 1, 0)


KEPT = [
    pytest.param(supports("강좌는 매주 화요일과 목요일에 엽니다."), id="a-quote-about-else"),
    pytest.param(supports("값은 고스란히 돌려드립니다."), id="a-quote-from-nowhere"),
    pytest.param(supports("개강 전날"), id="too-short-a-quote"),
    pytest.param(supports("개강 전날까지"), id="a-piece-of-a-sentence"),
    pytest.param(supports(f"{QUOTE[-8:]} {OTHERS}"), id="the-end-of-a-sentence-and-another"),
    pytest.param(doubts(QUOTE), id="no-approval"),
    pytest.param(None, id="no-word"),
]


@each_row("says", KEPT)
def test_nothing_else_takes_it_back(says: Says | None) -> None:
    judge = FakeJudge(says, 1.0)

    guards, heard = judged(f"{OTHERS} {TRUE}", judge)

    assert (heard.action, heard.reasons) == (guards.action, guards.reasons)
    assert of(heard, "overlap").cleared == ()


def test_a_quote_may_differ_in_spaces_and_emphasis() -> None:
    quote = f"**{QUOTE.replace(' ', '')}**"

    _, heard = judged(f"{OTHERS} {TRUE}", FakeJudge(supports(quote), 1.0))

    assert [one.code for one in of(heard, "overlap").cleared] == ["overlap.unsupported"]


def test_a_number_that_the_quote_lacks_keeps_the_finding() -> None:
    true = TRUE.replace("학비", "창구 7번에서 학비")
    only_words = policy()
    only_words = only_words.model_copy(update={"guards": {"overlap": STRICT_OVERLAP}})

    guards, heard = judged(f"{OTHERS} {true}", FakeJudge(supports(QUOTE), 1.0), only_words)

    assert guards.reasons == heard.reasons == ("overlap.unsupported",)


def test_a_compared_value_is_never_taken_back() -> None:
    guards, heard = judged(f"{QUOTE} {SETTLED}", FakeJudge(supports(QUOTE), 1.0))

    assert heard.reasons == guards.reasons
    assert of(heard, "numbers").cleared == ()


def test_one_that_only_advises_takes_nothing_back() -> None:
    advising = policy(trained_on_korean=False)

    guards, heard = judged(f"{OTHERS} {TRUE}", FakeJudge(supports(QUOTE), 1.0), advising)

    assert (heard.action, heard.reasons) == (guards.action, guards.reasons)


def test_in_shadow_it_is_counted_and_changes_nothing() -> None:
    shadow = policy(mode=Mode.SHADOW)

    guards, heard = judged(f"{OTHERS} {TRUE}", FakeJudge(supports(QUOTE), 1.0), shadow)

    assert (heard.action, heard.reasons) == (guards.action, guards.reasons)
    assert of(heard, "overlap").cleared == ()
    counts = of(heard, "judge").counts
    assert counts is not None
    assert counts.cleared == 1


def test_it_stays_taken_back_where_another_sentence_is_mended() -> None:
    answer = f"{QUOTE} {TRUE} {SETTLED}"
    guards, heard = judged(answer, FakeJudge(supports(QUOTE), 1.0), possible=LAST)

    assert guards.action is not Action.PASS
    assert heard.action is Action.TRIM
    assert apply(answer, heard.edits).strip() == f"{QUOTE} {TRUE}"


def test_an_answer_that_would_be_replaced_for_absence_alone_is_asked_about() -> None:
    rule = STRICT_OVERLAP.model_copy(update={"action": Action.REPLACE})
    replacing = policy().model_copy(update={"guards": {"overlap": rule}})

    guards, heard = judged(f"{OTHERS} {TRUE}", FakeJudge(supports(QUOTE), 1.0), replacing)

    assert guards.action is Action.REPLACE
    assert heard.action is Action.PASS


def test_objections_that_may_only_be_noted_do_nothing() -> None:
    noting = policy(objections="note")
    answer = f"{QUOTE} 결석한 날은 다른 날에 다시 배웁니다."
    against = "결석한 날은 보강하지 않습니다."

    _, acting = judged(answer, FakeJudge(doubts(against)))
    _, noted = judged(answer, FakeJudge(doubts(against)), noting)

    assert noted.action is Action.PASS
    assert of(noted, "judge").counts == of(acting, "judge").counts


def test_an_objection_to_what_a_guard_found_nowhere_confirms_it() -> None:
    noted = SHIPPED.guards["overlap"].model_copy(update={"weak": ("overlap.unsupported",)})
    by = policy().model_copy(update={"guards": {"overlap": noted}})

    guards, heard = judged(f"{QUOTE} {UNHEARD_OF}", FakeJudge(doubts(QUOTE)), by)

    assert guards.action is Action.PASS
    assert heard.action is Action.REGENERATE
    assert heard.reasons == ("judge.unsupported",)
    counts = of(heard, "judge").counts
    assert counts is not None
    assert counts.confirmed == 1
