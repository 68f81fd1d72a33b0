"""The library's door with a judge of the caller's own."""

import asyncio

from policies import verify
from policies.confidence import Cap
from policies.judging.rules import JudgeRules
from policies.loader import load_shipped
from policies.policy import Action
from policies.verification import Verification
from policies.verification_options import JudgeUse, Options
from policies.verification_policies import chosen_policy
from policies.verifying import Verifier
from tests.fakes.fake_judge import FakeJudge, contradicts, supports
from tests.policies.courses import COURSES, DENIED, KNOWN, NO_REFUND, POOL, QUESTION, answered


def verified(answer: str, judge: FakeJudge | None, use: JudgeUse = "auto") -> Verification:
    return verify(QUESTION, answer, [COURSES, POOL], options=Options(judge=use), judge=judge)


def test_a_judge_is_asked_about_what_is_open() -> None:
    result = verified(f"{KNOWN} {DENIED}", FakeJudge(contradicts(NO_REFUND)))

    assert result.verdict is Action.REGENERATE
    assert "judge" in result.checks.run
    assert not result.verified


def test_its_confidence_is_weighed_in() -> None:
    result = verified(f"{KNOWN} {DENIED}", FakeJudge(supports(NO_REFUND), 0.5))

    assert result.confidence == 0.75


def test_off_it_is_not_asked() -> None:
    judge = FakeJudge(contradicts(NO_REFUND))

    result = verified(f"{KNOWN} {DENIED}", judge, "off")

    assert judge.asked == []
    assert result.checks.skipped["judge"] == "off"


def test_not_needing_it_is_no_shortfall() -> None:
    judge = FakeJudge(breaks=OSError("down"))

    result = verified(KNOWN, judge)

    assert judge.asked == []
    assert result.degraded == ()
    assert result.verified


def test_one_that_breaks_degrades_and_never_verifies() -> None:
    result = verified(f"{KNOWN} {DENIED}", FakeJudge(breaks=OSError("down")))

    assert result.degraded == ("judge:failed:OSError",)
    assert Cap.DEGRADED_JUDGE in result.confidence_caps
    assert not result.verified


def test_forced_an_answer_that_nobody_judged_is_not_verified() -> None:
    assert verified(KNOWN, None, "auto").verified
    assert not verified(KNOWN, None, "force").verified
    assert not verified(KNOWN, FakeJudge(breaks=OSError("down")), "force").verified
    assert verified(KNOWN, FakeJudge(supports(KNOWN), 1.0), "force").verified


def test_within_a_running_loop_the_verifier_is_awaited() -> None:
    chosen = chosen_policy(load_shipped("default").policy)
    verifier = Verifier(chosen.inspector, chosen.name)

    done = asyncio.run(
        verifier.verify_with(FakeJudge(contradicts(NO_REFUND)), answered(f"{KNOWN} {DENIED}"))
    )

    assert "judge" in done.report.checks.run


def test_a_policys_own_judge_is_asked_by_servers_only() -> None:
    rules = JudgeRules(base_url="http://127.0.0.1:9/v1", model="judge-ko")
    policy = load_shipped("default").policy.model_copy(update={"judge": rules})

    result = verify(QUESTION, KNOWN, [COURSES], policy)

    assert result.checks.skipped["judge"] == "not_asked"
