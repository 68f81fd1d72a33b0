"""What counts as something else done by another policy, or as other words."""

import pytest

from policies.schema.guard_rule import Action
from proxy.traces.trace import NotReplayed, PolicyUsed, Replayed, Unknown
from tests.proxy.traces.making import a_trace

REPLIES = ("연차는 15일입니다.",)
TRACE = a_trace("one", action=Action.TRIM).model_copy(update={"replies": REPLIES})
SAME = Replayed(
    policy=PolicyUsed(name="strict", version="0123abcd"), action=Action.TRIM, replies=REPLIES
)


@pytest.mark.parametrize(
    ("tried", "does", "says"),
    [
        pytest.param({}, False, False, id="the-same"),
        pytest.param({"action": Action.FIX}, True, False, id="another-action"),
        pytest.param({"replies": ("15일입니다.",)}, False, True, id="other-words"),
        pytest.param(
            {"action": Action.PASS, "replies": ("?",)}, True, True, id="another-action-and-words"
        ),
        pytest.param(
            {"action": None, "replies": (), "unknown": Unknown.MODEL_NOT_ASKED},
            True,
            False,
            id="the-model-would-have-been-asked",
        ),
        pytest.param(
            {"action": Action.REGENERATE, "replies": (), "unknown": Unknown.NO_SECOND_ATTEMPT},
            True,
            False,
            id="the-model-would-have-been-asked-once-more",
        ),
        pytest.param(
            {"action": None, "replies": (), "unknown": Unknown.REST_NOT_READ, "goes_on": True},
            True,
            False,
            id="the-answer-would-have-begun-to-leave",
        ),
        pytest.param(
            {"action": None, "replies": (), "unknown": Unknown.REST_NOT_READ},
            False,
            False,
            id="nobody-knows-what-would-have-come-of-the-answer",
        ),
        pytest.param(
            {"action": None, "replies": (), "unknown": Unknown.NO_ANSWER},
            False,
            False,
            id="there-was-no-answer",
        ),
        pytest.param(
            {"action": None, "replies": (), "not_run": NotReplayed.FAILED},
            False,
            False,
            id="it-was-not-judged",
        ),
    ],
)
def test_what_is_otherwise(tried: dict[str, object], does: bool, says: bool) -> None:
    other = SAME.model_copy(update=tried)

    assert (other.does_otherwise(TRACE), other.says_otherwise(TRACE)) == (does, says)


def test_asking_the_model_once_more_is_nothing_else_where_it_was_asked_once_more() -> None:
    trace = TRACE.model_copy(update={"action": Action.REGENERATE})
    update = {"action": Action.REGENERATE, "unknown": Unknown.NO_SECOND_ATTEMPT, "replies": ()}

    assert not SAME.model_copy(update=update).does_otherwise(trace)


def test_a_reply_is_something_else_than_an_error() -> None:
    failed = TRACE.model_copy(update={"action": None, "replies": ()})

    assert SAME.does_otherwise(failed)
