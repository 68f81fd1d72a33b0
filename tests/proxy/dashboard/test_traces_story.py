"""What became of a request, in a word, in a sentence and in a line of the list."""

import pytest

from guards.core.finding import Span
from policies.schema.guard_rule import Action
from policies.verification.shape import VerificationOutcome
from proxy.cli.traces_page import action_of
from proxy.dashboard.languages import Language, translations
from proxy.dashboard.traces import Row, Snippet
from proxy.traces.trace import (
    Attempt,
    Change,
    Delivery,
    Replayed,
    Unknown,
)
from proxy.views.trace import outcome_of, story_of
from tests.proxy.dashboard.recorded import USED, judged, made, trace_with

ONE = (Attempt(),)
TWO = (Attempt(), Attempt())


def verified(result: VerificationOutcome, action: Action = Action.PASS) -> dict[str, object]:
    """Return what the trace of a verification has of its own."""
    return {"door": "verify", "verification": result, "action": action}


STORIES = [
    pytest.param({"action": Action.PASS}, "그대로", id="passed"),
    pytest.param({"action": Action.FIX}, "고쳐", id="mended"),
    pytest.param({"action": Action.TRIM}, "빼고", id="trimmed"),
    pytest.param({"action": Action.REGENERATE, "attempts": TWO}, "다시 물어", id="regenerated"),
    pytest.param(
        {
            "action": Action.REGENERATE,
            "attempts": TWO,
            "made": (made(Action.REGENERATE, changes=(Change(span=Span(0, 1)),)),),
        },
        "표시한 곳을 고쳐",
        id="regenerated-and-changed",
    ),
    pytest.param({"action": Action.REPLACE}, "모델에 묻지 않고", id="before-the-model"),
    pytest.param({"action": Action.REPLACE, "attempts": ONE}, "안내문으로 대체", id="replaced"),
    pytest.param({"action": Action.REPLACE, "attempts": TWO}, "두 답변을 모두", id="both-replaced"),
    pytest.param(
        {
            "action": Action.REPLACE,
            "attempts": ONE,
            "made": (made(Action.REPLACE, replaced_with="sources"),),
        },
        "출처의 문장",
        id="from-the-sources",
    ),
    pytest.param(
        {
            "action": Action.REPLACE,
            "attempts": ONE,
            "made": (made(Action.REPLACE, closed_with="closing.cut"),),
        },
        "나가던 도중",
        id="ended",
    ),
    pytest.param(
        {
            "action": Action.REPLACE,
            "attempts": ONE,
            "made": (made(Action.PASS), made(Action.REPLACE, replaced_with="numbers")),
        },
        "답변마다",
        id="choices-fared-differently",
    ),
    pytest.param({"action": None}, "판정하기 전에", id="undecided"),
    pytest.param({"action": None, "error": "upstream_timeout"}, "오류로", id="failed"),
    pytest.param(
        {"delivery": Delivery.CLIENT_GONE, "error": "client_gone"}, "클라이언트", id="left"
    ),
    pytest.param(verified(VerificationOutcome.VERIFIED), "자료로 뒷받침", id="verified"),
    pytest.param(verified(VerificationOutcome.PARTLY), "일부만 검증", id="partly-verified"),
    pytest.param(
        verified(VerificationOutcome.NOT_VERIFIED, Action.TRIM), "통과하지 못", id="not-verified"
    ),
    pytest.param(
        verified(VerificationOutcome.NOT_VERIFIED), "확인할 수 있는 내용이", id="nothing-to-check"
    ),
]


@pytest.mark.parametrize(("changes", "said"), STORIES)
def test_tells_what_became_of_a_request(changes: dict[str, object], said: str) -> None:
    assert said in translations(Language.KOREAN).gettext(story_of(trace_with(**changes)))


def test_an_ended_answer_is_not_called_replaced() -> None:
    closed = made(Action.REPLACE, closed_with="closing.cut")
    replaced = trace_with(action=Action.REPLACE)

    assert outcome_of(replaced) == "Replaced"
    assert outcome_of(replaced.model_copy(update={"made": (closed,)})) == "Ended early"


BADGES = [
    pytest.param(VerificationOutcome.VERIFIED, "Verified", "tone-good", id="verified"),
    pytest.param(VerificationOutcome.PARTLY, "Partly verified", "tone-warn", id="partly"),
    pytest.param(VerificationOutcome.NOT_VERIFIED, "Not verified", "tone-bad", id="not"),
]


@pytest.mark.parametrize(("result", "word", "style"), BADGES)
def test_the_badge_of_a_verification_has_its_result_and_no_action(
    result: VerificationOutcome, word: str, style: str
) -> None:
    trace = trace_with(**verified(result))

    assert (Row(trace).outcome, Row(trace).badge) == (word, style)
    assert action_of(trace) == result.value.replace("_", " ")


SHADOWS = [
    pytest.param(None, "", id="none"),
    pytest.param(Replayed(policy=USED, action=Action.PASS), "", id="the-same"),
    pytest.param(Replayed(policy=USED, action=Action.TRIM), "Trimmed", id="otherwise"),
    pytest.param(Replayed(policy=USED, unknown=Unknown.NO_ANSWER), "", id="nobody-knows"),
    pytest.param(
        Replayed(policy=USED, unknown=Unknown.MODEL_NOT_ASKED), "Model called", id="asks-the-model"
    ),
    pytest.param(
        Replayed(policy=USED, unknown=Unknown.REST_NOT_READ, goes_on=True),
        "Not stopped",
        id="goes-on",
    ),
]


@pytest.mark.parametrize(("shadow", "word"), SHADOWS)
def test_a_line_says_what_the_shadow_policy_would_have_done(
    shadow: Replayed | None, word: str
) -> None:
    assert Row(trace_with(shadow=shadow)).shadow == word


SNIPPETS = [
    pytest.param("", None, id="nothing-looked-for"),
    pytest.param("연차는", None, id="the-question-has-it"),
    pytest.param("55,000", Snippet("월 이용료는 ", "55,000", "원입니다."), id="the-answer-has-it"),
    pytest.param("없는말", None, id="nobody-has-it-as-it-is-written"),
]


@pytest.mark.parametrize(("text", "snippet"), SNIPPETS)
def test_a_line_shows_where_the_words_stand(text: str, snippet: Snippet | None) -> None:
    assert Row(judged(), text).snippet == snippet
