"""Labelled requests under another policy: better, worse, or as before."""

from datetime import UTC, datetime

from guards.core.finding import Finding, Span
from policies.schema.policy import Action
from proxy.replay.comparison import Improvement, improvement, place_in_attempt
from proxy.traces.trace import (
    Change,
    Feedback,
    Label,
    NotReplayed,
    PolicyUsed,
    ReplayedChoice,
    ReplayResult,
    ReplyOrigin,
    Trace,
    Unknown,
)
from tests.proxy.traces.making import a_trace
from tests.tables import each_row

USED = PolicyUsed(name="next", version="0")
CODE = "numbers.value_differs"
BETTER, WORSE, SAME = Improvement.BETTER, Improvement.WORSE, Improvement.SAME


def labelled(label: Label, action: Action, span: Span | None = None, *changes: Change) -> Trace:
    made = ReplyOrigin(action=action, attempt=1, changes=changes)
    feedback = Feedback(label=label, span=span, at=datetime.now(UTC))
    return a_trace("one", action=action).model_copy(update={"made": (made,), "feedback": feedback})


def tried(action: Action | None, *places: Span, unknown: Unknown | None = None) -> ReplayResult:
    findings = tuple(Finding("numbers", CODE, "answer", place, "57,000원") for place in places)
    return ReplayResult(
        policy=USED,
        action=action,
        unknown=unknown,
        reasons=(CODE,) if places else (),
        choices=(ReplayedChoice(attempt=1, choice=0, findings=findings),) if places else (),
    )


@each_row("label, was, would, effect", "a_label_says_what_is_better")
def test_a_label_says_what_is_better(
    label: Label, was: Action, would: Action, effect: Improvement
) -> None:
    assert improvement(labelled(label, was), tried(would)) is effect


def test_a_missed_error_has_to_be_found_where_it_stands() -> None:
    trace = labelled(Label.MISSED, Action.PASS, Span(10, 17))

    assert improvement(trace, tried(Action.REPLACE, Span(16, 20))) is BETTER
    assert improvement(trace, tried(Action.REPLACE, Span(17, 20))) is SAME


def test_what_is_not_known_is_not_counted_as_either() -> None:
    alarm = labelled(Label.FALSE_ALARM, Action.REPLACE)

    assert improvement(alarm, tried(None, unknown=Unknown.MODEL_NOT_ASKED)) is BETTER
    assert improvement(alarm, tried(None, unknown=Unknown.REST_NOT_READ)) is Improvement.UNKNOWN
    assert improvement(alarm, ReplayResult(policy=USED, not_run=NotReplayed.MASKED)) is None
    assert improvement(a_trace("one"), tried(Action.PASS)) is None


def test_a_marked_place_is_found_again_before_the_changes() -> None:
    # "하나 둘 셋 넷 다섯" left as "하나 TWO 넷 다섯": a word was put in, another taken out.
    answer, reply = "하나 둘 셋 넷 다섯", "하나 TWO 넷 다섯"
    made = ReplyOrigin(
        action=Action.TRIM,
        attempt=1,
        changes=(Change(span=Span(3, 4), text="TWO"), Change(span=Span(5, 7))),
    )
    for word in ("하나", "넷", "다섯"):
        start = reply.index(word)
        place = place_in_attempt(made, Span(start, start + len(word)))
        assert answer[place.start : place.end] == word


def test_words_that_were_put_in_stand_where_others_were() -> None:
    made = ReplyOrigin(
        action=Action.FIX, attempt=1, changes=(Change(span=Span(4, 11), text="45,000원"),)
    )

    assert place_in_attempt(made, Span(4, 11)) == Span(4, 11)
    assert place_in_attempt(made, Span(5, 8)) == Span(4, 11)
