"""The page of one trace: its story, its places, and what was changed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import ContextState
from guards.core.finding import Finding, Severity, Span, Strength
from policies.schema.base import Mode
from policies.schema.loader import load_shipped
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.schema.store import Snapshot
from policies.verdict import GuardOutcome
from policies.verification.shape import VerificationOutcome
from proxy.cli.traces import action_of
from proxy.dashboard.page import Language, translations
from proxy.dashboard.traces import Row, Snippet
from proxy.openai_api.coverage import CHAT, COMPLETIONS, RESPONSES
from proxy.telemetry.counting import NOT_RUN
from proxy.traces.trace import (
    Attempt,
    Change,
    Delivery,
    FoundPlace,
    NotReplayed,
    PolicyUsed,
    ReplayedChoice,
    ReplayResult,
    Step,
    Trace,
    Unknown,
)
from proxy.views import words
from proxy.views.findings import Mark, Piece, Stretch, changed, cut, place_of
from proxy.views.trace import (
    WIDTH,
    Standing,
    TracePage,
    badge_of,
    outcome_of,
    shadow_word,
    story_of,
    waterfall,
)
from proxy.views.words import REASON_WORDS, reason_word
from tests.proxy.dashboard.recorded import FEE, SOURCES, USED, WRONG, judged, made, trace_with
from tests.tables import each_row

NOBODY = Snapshot({}, {}, datetime(2031, 3, 5, tzinfo=UTC), {})


def page_of(trace: Trace) -> TracePage:
    return TracePage.of(trace, NOBODY)


EVERY = [
    pytest.param(words.OUTCOMES, GuardOutcome, id="outcomes"),
    pytest.param(words.STRENGTHS, Strength, id="strengths"),
    pytest.param(words.CONTEXTS, ContextState, id="contexts"),
    pytest.param(words.UNKNOWN, Unknown, id="unknown"),
    pytest.param(words.NOT_REPLAYED, NotReplayed, id="not-replayed"),
]


@each_row("words, kinds", EVERY)
def test_every_kind_has_a_word(words: Mapping[StrEnum, object], kinds: type[StrEnum]) -> None:
    assert set(words) == set(kinds)


def test_a_finding_has_its_place_and_its_evidence() -> None:
    page = page_of(judged(WRONG))

    [seen] = page.findings
    [quote] = seen.quotes
    [_, marked, _] = page.tries[0].answers[0].pieces
    assert (marked.text, marked.numbers) == ("55,000원", (seen.number,))
    assert (quote.source, quote.place) == (2, Span(0, 20))
    assert page.passages[1].quoted_by == (seen.number,)
    assert page.passages[1].pieces[0].text == "월 이용료는\n45,000원으로 한다."
    assert page.passages[0].quoted_by == ()


def test_numbers_go_on_from_the_question_to_the_last_answer() -> None:
    asked = replace(WRONG, part="question", span=Span(0, 2))
    later = replace(WRONG, span=Span(0, 3))
    page = page_of(judged(WRONG, later).model_copy(update={"findings": (asked,)}))

    assert [(seen.number, seen.finding.span.start) for seen in page.findings] == [
        (1, 0),
        (2, 0),
        (3, 7),
    ]
    assert page.question[0].begins == (1,)


@each_row(
    "finding, mode, tone",
    [
        pytest.param(WRONG, Mode.ENFORCE, "strong", id="strong"),
        pytest.param(replace(WRONG, severity=Severity.WEAK), Mode.ENFORCE, "weak", id="weak"),
        pytest.param(WRONG, Mode.SHADOW, "shadow", id="its-guard-only-watches"),
    ],
)
def test_a_place_shows_how_much_it_weighs(finding: Finding, mode: Mode, tone: str) -> None:
    page = page_of(judged(finding, mode=mode))

    assert [seen.tone for seen in page.findings] == [tone]


def test_of_two_findings_at_a_place_the_stronger_shows() -> None:
    page = page_of(judged(replace(WRONG, severity=Severity.WEAK), WRONG))

    assert page.findings.tone((1, 2)) == "strong"


def test_a_finding_about_a_source_leads_there() -> None:
    page = page_of(judged(replace(WRONG, part="source:규정", span=Span(0, 1), evidence=())))

    assert [seen.in_source for seen in page.findings] == [2]
    assert page.passages[1].pieces[0].numbers == (1,)


def test_quotes_are_found_whatever_the_white_space() -> None:
    assert place_of("월  이용료", "그 월\n이용료는") == Span(2, 7)
    assert place_of("없는 말", "그 월 이용료는") is None
    assert place_of("", "그 월") is None


@each_row("found, formats", "found")
def test_a_source_says_where_it_was_found(
    found: tuple[tuple[str, int], ...], formats: list[str | None]
) -> None:
    places = tuple(
        FoundPlace(format=name, place="messages[0]", count=count) for name, count in found
    )
    page = page_of(trace_with(sources=SOURCES, found=places))

    assert [one.found.format if one.found else None for one in page.passages] == formats


def test_what_left_shows_what_was_changed_and_what_ended_it() -> None:
    trace = judged().model_copy(
        update={
            "replies": ("월 이용료는 \n\n여기까지입니다.",),
            "made": (
                made(
                    Action.REPLACE,
                    changes=(Change(span=Span(7, len(FEE))),),
                    closed_with="closing.cut",
                ),
            ),
        }
    )

    [left] = page_of(trace).left
    [stretch] = left.stretches
    assert (stretch.same, stretch.gone) == ("월 이용료는 ", "55,000원입니다.")
    assert left.closing == "여기까지입니다."


def test_what_was_never_kept_is_not_shown_as_empty() -> None:
    page = page_of(judged(WRONG).model_copy(update={"text": StoredText.NONE, "question": ""}))

    assert not page.has_words
    assert page.tries[0].answers[0].pieces == []
    assert not any(passage.is_open for passage in page.passages)


def test_the_policy_of_then_is_compared_with_that_of_now() -> None:
    loaded = load_shipped("default")
    now = replace(NOBODY, policies={"default": loaded})
    used = PolicyUsed(name="default", version=loaded.version)

    def standing(policy: PolicyUsed) -> Standing:
        return TracePage.of(trace_with(policy=policy), now).standing

    assert standing(used) is Standing.IN_FORCE
    assert standing(used.model_copy(update={"version": "old"})) is Standing.CHANGED
    assert standing(used.model_copy(update={"name": "gone"})) is Standing.GONE


def test_what_only_the_shadow_policy_found_is_told_apart() -> None:
    other = replace(WRONG, code="overlap.low", guard="overlap")
    seen = ReplayedChoice(attempt=1, findings=(WRONG, other))
    trace = judged(WRONG).model_copy(update={"shadow": ReplayResult(policy=USED, choices=(seen,))})

    assert [one.is_new for one in page_of(trace).foreseen] == [False, True]


def test_steps_lie_on_one_line_of_time() -> None:
    trace = trace_with(
        duration_ms=100.0,
        steps=(
            Step(name="model_1", started_ms=20.0, duration_ms=60.0),
            Step(name="read", started_ms=0.0, duration_ms=0.001),
            Step(name="write", started_ms=100.0, duration_ms=0.0),
        ),
        model_text_ms=50.0,
    )

    bars = waterfall(trace)

    assert [(bar.name, bar.attempt) for bar in bars] == [
        ("Read the request", ""),
        ("Model answers", "1"),
        ("First word of the model", ""),
        ("Write the reply", ""),
    ]
    assert [(bar.left, bar.left + bar.width <= WIDTH) for bar in bars] == [
        (0.0, True),
        (200.0, True),
        (500.0, True),
        (997.0, True),
    ]
    assert bars[1].width == 600.0


def test_a_trace_without_any_time_has_its_steps_all_the_same() -> None:
    trace = trace_with(duration_ms=0.0, steps=(Step(name="odd", started_ms=0.0, duration_ms=0.0),))

    assert [bar.name for bar in waterfall(trace)] == ["odd"]


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
        "보내던 도중",
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
    pytest.param(verified(VerificationOutcome.VERIFIED), "출처로 뒷받침", id="verified"),
    pytest.param(verified(VerificationOutcome.PARTLY), "일부만 검증", id="partly-verified"),
    pytest.param(
        verified(VerificationOutcome.NOT_VERIFIED, Action.TRIM), "통과하지 못", id="not-verified"
    ),
    pytest.param(
        verified(VerificationOutcome.NOT_VERIFIED), "확인된 내용도 없", id="nothing-confirmed"
    ),
]


@each_row("changes, said", STORIES)
def test_tells_what_became_of_a_request(changes: dict[str, object], said: str) -> None:
    assert said in translations(Language.KOREAN).gettext(story_of(trace_with(**changes)))


def test_an_ended_answer_is_not_called_replaced() -> None:
    closed = made(Action.REPLACE, closed_with="closing.cut")
    replaced = trace_with(action=Action.REPLACE)

    assert outcome_of(replaced) == "Replaced"
    assert outcome_of(replaced.model_copy(update={"made": (closed,)})) == "Ended early"


@each_row("result, word, style", "badges")
def test_the_badge_of_a_verification_has_its_result_and_no_action(
    result: VerificationOutcome, word: str, style: str
) -> None:
    trace = trace_with(**verified(result))

    assert (outcome_of(trace), badge_of(trace)) == (word, style)
    assert action_of(trace) == result.value.replace("_", " ")


SHADOWS = [
    pytest.param(None, "", id="none"),
    pytest.param(ReplayResult(policy=USED, action=Action.PASS), "", id="the-same"),
    pytest.param(ReplayResult(policy=USED, action=Action.TRIM), "Trimmed", id="otherwise"),
    pytest.param(ReplayResult(policy=USED, unknown=Unknown.NO_ANSWER), "", id="nobody-knows"),
    pytest.param(
        ReplayResult(policy=USED, unknown=Unknown.MODEL_NOT_ASKED),
        "Model called",
        id="asks-the-model",
    ),
    pytest.param(
        ReplayResult(policy=USED, unknown=Unknown.REST_NOT_READ, goes_on=True),
        "Not stopped",
        id="goes-on",
    ),
]


@each_row("shadow, word", SHADOWS)
def test_a_line_says_what_the_shadow_policy_would_have_done(
    shadow: ReplayResult | None, word: str
) -> None:
    assert shadow_word(trace_with(shadow=shadow)) == word


SNIPPETS = [
    pytest.param("", None, id="nothing-looked-for"),
    pytest.param("연차는", None, id="the-question-has-it"),
    pytest.param("55,000", Snippet("월 이용료는 ", "55,000", "원입니다."), id="the-answer-has-it"),
    pytest.param("없는말", None, id="nobody-has-it-as-it-is-written"),
]


@each_row("text, snippet", SNIPPETS)
def test_a_line_shows_where_the_words_stand(text: str, snippet: Snippet | None) -> None:
    assert Row(judged(), text).snippet == snippet


TABLES = [table for door in (CHAT, COMPLETIONS, RESPONSES) for table in (door.request, door.reply)]


def test_every_reason_has_words() -> None:
    in_requests = {row.unchecked for table in TABLES for row in table.rows if row.unchecked}
    assert "image_parts" in in_requests
    assert {*NOT_RUN, *in_requests} - REASON_WORDS.keys() == set()


@each_row("reason, word", "details_change_no_words")
def test_details_change_no_words(reason: str, word: str) -> None:
    assert reason_word(reason) == word


CUTS = [
    pytest.param("월 45,000원", [], [Piece("월 45,000원")], id="nothing-found"),
    pytest.param("", [], [], id="no-text"),
    pytest.param(
        "월 45,000원이다",
        [(2, 9, 1)],
        [Piece("월 "), Piece("45,000원", (1,), (1,)), Piece("이다")],
        id="one-in-the-middle",
    ),
    pytest.param(
        "가나다라마",
        [(0, 3, 1), (2, 5, 2)],
        [Piece("가나", (1,), (1,)), Piece("다", (1, 2), (2,)), Piece("라마", (2,))],
        id="two-overlap",
    ),
    pytest.param(
        "가나다라",
        [(1, 2, 2), (0, 4, 1)],
        [Piece("가", (1,), (1,)), Piece("나", (1, 2), (2,)), Piece("다라", (1,))],
        id="one-inside-the-other",
    ),
    pytest.param(
        "가나", [(0, 2, 1), (0, 2, 2)], [Piece("가나", (1, 2), (1, 2))], id="the-same-place-twice"
    ),
    pytest.param(
        "가나",
        [(0, 1, 1), (1, 2, 2)],
        [Piece("가", (1,), (1,)), Piece("나", (2,), (2,))],
        id="next",
    ),
    pytest.param(
        "가나", [(1, 1, 1)], [Piece("가"), Piece("", (1,), (1,)), Piece("나")], id="without-length"
    ),
    pytest.param("가", [(1, 1, 1)], [Piece("가"), Piece("", (1,), (1,))], id="at-the-end"),
    pytest.param("", [(0, 0, 1)], [Piece("", (1,), (1,))], id="in-an-empty-text"),
    pytest.param(
        "가나", [(1, 9, 1)], [Piece("가"), Piece("나", (1,), (1,))], id="longer-than-the-text"
    ),
    pytest.param("가", [(7, 9, 1)], [Piece("가"), Piece("", (1,), (1,))], id="behind-the-text"),
    pytest.param("😀가", [(1, 2, 1)], [Piece("😀"), Piece("가", (1,), (1,))], id="in-code-points"),
]


@each_row("text, places, pieces", CUTS)
def test_cuts(text: str, places: list[tuple[int, int, int]], pieces: list[Piece]) -> None:
    assert cut(text, [Mark(Span(start, end), number) for start, end, number in places]) == pieces


SPANS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: Span(*sorted(ends)))


@given(text=st.text(max_size=12), spans=st.lists(SPANS, max_size=8))
def test_nothing_is_lost_and_every_place_is_whole(text: str, spans: list[Span]) -> None:
    marks = [Mark(span, number) for number, span in enumerate(spans)]
    pieces = cut(text, marks)

    assert "".join(piece.text for piece in pieces) == text
    assert sorted(number for piece in pieces for number in piece.begins) == list(range(len(spans)))
    for mark in marks:
        own = "".join(piece.text for piece in pieces if mark.number in piece.numbers)
        assert own == text[mark.span.start : mark.span.end]


def test_many_places_are_cut_in_no_time() -> None:
    marks = [Mark(Span(place, place + 20), place) for place in range(4_000)]

    pieces = cut("가" * 4_000, marks)

    assert len(pieces) == 4_000


CHANGES = [
    pytest.param("가나다", [], [Stretch("가나다")], id="nothing-changed"),
    pytest.param("", [], [], id="no-text"),
    pytest.param(
        "가나다",
        [Change(span=Span(1, 2))],
        [Stretch("가", "나"), Stretch("다")],
        id="taken-out",
    ),
    pytest.param(
        "가나다",
        [Change(span=Span(0, 1), text="라"), Change(span=Span(2, 3), text="마")],
        [Stretch("", "가", "라"), Stretch("나", "다", "마")],
        id="mended-at-both-ends",
    ),
    pytest.param(
        "가나", [Change(span=Span(2, 2), text="다")], [Stretch("가나", "", "다")], id="put-in"
    ),
]


@each_row("came, changes, stretches", CHANGES)
def test_what_was_changed(came: str, changes: list[Change], stretches: list[Stretch]) -> None:
    assert changed(came, changes) == stretches
