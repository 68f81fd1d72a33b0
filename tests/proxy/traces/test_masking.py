"""What of a request's words stands in its trace, by policy."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Span
from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.keys import new_key
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.traces.masking import stored, stored_note
from proxy.traces.trace import (
    Attempt,
    Choice,
    FoundPlace,
    GuardRun,
    PolicyUsed,
    ReplayedChoice,
    ReplayResult,
    ReplyOrigin,
    Trace,
    applied,
    changes,
)
from tests.tables import each_row

WORDS = "홍길동의 비밀 이야기"
PHONE = "010-0000-1234"
ACCOUNT = "110-000-123456"
OUR_OWN: Mapping[str, bool | set[str]] = {
    "id": True,
    "tenant": True,
    "policy": True,
    "shadow": {"policy"},
}


def a_trace(**changes: object) -> Trace:
    trace = Trace(
        id="one",
        tenant="acme",
        policy=PolicyUsed(name="acme", version="0123abcd"),
        door="chat.completions",
        started_at=datetime(2026, 3, 5, tzinfo=UTC),
        duration_ms=1.0,
        status=200,
    )
    return trace.model_copy(update=changes)


def a_finding(
    part: str,
    text: str,
    observed: str,
    expected: tuple[str, ...] = (),
    evidence: tuple[Evidence, ...] = (),
) -> Finding:
    start = text.index(observed)
    span = Span(start, start + len(observed))
    return Finding(
        "numbers",
        "numbers.not_in_sources",
        part,
        span,
        observed,
        expected=expected,
        evidence=evidence,
    )


PLAIN = {int: 1, float: 1.0, bool: True, AwareDatetime: datetime(2026, 3, 5, tzinfo=UTC)}


def filled(kind: Any, words: str) -> Any:  # noqa: ANN401 - any type that a trace is made of
    """Return a value of a type in which every string is made of the given words."""
    if kind is str:
        return words
    if get_origin(kind) is tuple:
        return (filled(get_args(kind)[0], words),)
    if get_origin(kind) in (Union, UnionType):
        return filled(next(one for one in get_args(kind) if one is not NoneType), words)
    if kind in PLAIN:
        return PLAIN[kind]
    if issubclass(kind, Enum):
        return next(iter(kind))
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name != "model_config"}
    return kind(**{name: filled(hint, words) for name, hint in hints.items()})


def all_of(trace: Trace) -> str:
    return trace.model_dump_json(exclude=OUR_OWN)


@each_row("words", [WORDS, "홍길동", f"tel:{PHONE}", PHONE])
def test_none_keeps_no_word_in_any_field_there_is(words: str) -> None:
    trace = filled(Trace, words)
    assert all_of(trace).count(words) > 30

    kept = stored(trace, StoredText.NONE)

    assert words not in all_of(kept)
    assert PHONE not in all_of(kept)


@each_row("words", [f"전화 {PHONE}", f"x {PHONE}"])
def test_masked_leaves_no_identifier_in_any_field_there_is(words: str) -> None:
    trace = filled(Trace, words)

    kept = stored(trace, StoredText.MASKED)

    assert PHONE not in all_of(kept)
    assert all_of(kept).count("[전화번호]") == all_of(trace).count(PHONE)


@each_row("kept_text", [StoredText.MASKED, StoredText.NONE])
@each_row("before", ["", "Bearer ", f"전화 {PHONE}, 키는 "])
def test_a_key_of_ours_stands_in_no_field_there_is(before: str, kept_text: StoredText) -> None:
    key, _ = new_key("my-shop")
    trace = filled(Trace, f"{before}{key}")

    kept = stored(trace, kept_text)

    assert key[-43:] not in all_of(kept)


def test_a_key_that_is_masked_moves_no_span() -> None:
    key, _ = new_key("shop")
    question = f"제 키 {key}로 묻습니다. 3일인가요?"
    trace = a_trace(question=question, findings=(a_finding("question", question, "3일"),))

    kept = stored(trace, StoredText.MASKED)

    [finding] = kept.findings
    assert kept.question[finding.span.start : finding.span.end] == "3일"
    assert kept.question == question.replace(key[-43:], "*" * 43)


def test_a_key_of_ours_stands_in_no_note() -> None:
    key, _ = new_key("shop")
    note = f"{key} 로 시험했습니다"

    assert stored_note(note, StoredText.MASKED) == f"gp-shop-{'*' * 43} 로 시험했습니다"
    assert stored_note(note, StoredText.FULL) == note


def test_full_keeps_everything() -> None:
    trace = filled(Trace, f"{WORDS} {PHONE}")

    assert stored(trace, StoredText.FULL) == trace.model_copy(update={"text": StoredText.FULL})


def test_none_keeps_places_codes_and_counts() -> None:
    sources = (
        Source(id="내부규정", title="제15조", text="연차는 15일", page=3, score=0.8),
        Source(id="별표", title="", text="표"),
    )
    question = "연차 30일?"
    finding = a_finding(
        "source:별표",
        "표",
        "표",
        expected=("15일", "16일"),
        evidence=(Evidence("내부규정", "15일"),),
    )
    run = GuardRun(
        guard="numbers", mode=Mode.SHADOW, stage=Stage.OUTPUT, outcome=GuardOutcome.WOULD_ACT
    )
    trace = a_trace(
        question=question,
        model="Qwen/Qwen3-8B",
        intent="policy,fees",
        sources=sources,
        found=(FoundPlace(format="langchain", place="messages[0].content", count=2),),
        findings=(finding,),
        attempts=(Attempt(choices=(Choice(text="30일", finish_reason="stop"),)),),
        guards=(run,),
        reasons=("numbers.not_in_sources",),
        replies=("알 수 없습니다", "알 수 없습니다"),
    )

    kept = stored(trace, StoredText.NONE)

    assert (kept.model, kept.intent) == ("Qwen/Qwen3-8B", "policy,fees")
    assert [(source.id, source.page, source.score) for source in kept.sources] == [
        ("1", 3, 0.8),
        ("2", None, None),
    ]
    assert kept.found == trace.found
    assert (kept.guards, kept.reasons) == ((run,), ("numbers.not_in_sources",))
    assert kept.attempts[0].choices[0].finish_reason == "stop"
    assert len(kept.replies) == 2
    [left] = kept.findings
    assert (left.code, left.part, left.span) == (finding.code, "source:2", finding.span)
    assert (left.observed, left.expected) == ("", ("", ""))
    assert left.evidence == (Evidence("1", ""),)


@each_row("name", "masked_keeps_digits_in_the_name_of_a_model")
def test_masked_keeps_digits_in_the_name_of_a_model(name: str) -> None:
    assert stored(a_trace(model=name), StoredText.MASKED).model == name


@each_row("name, question, kept", "masked_hides_identifiers_where_a_model_should_be_named")
def test_masked_hides_identifiers_where_a_model_should_be_named(
    name: str, question: str, kept: str
) -> None:
    trace = a_trace(model=name, question=question)

    assert stored(trace, StoredText.MASKED).model == kept


def test_masked_moves_the_spans_of_what_a_shadow_policy_found() -> None:
    first, second = f"{PHONE}로 전화하시면 30일을 드립니다.", "20일을 드립니다."
    attempts = tuple(Attempt(choices=(Choice(text=text),)) for text in (first, second))
    question = f"{PHONE}로 며칠을 주나요?"
    shadow = ReplayResult(
        policy=PolicyUsed(name="strict", version="0123abcd"),
        choices=(
            ReplayedChoice(attempt=0, findings=(a_finding("question", question, "며칠"),)),
            ReplayedChoice(attempt=1, findings=(a_finding("answer", first, "30일"),)),
            ReplayedChoice(attempt=2, findings=(a_finding("answer", second, "20일"),)),
        ),
        replies=(f"{PHONE}로 전화하세요.",),
    )
    trace = a_trace(question=question, attempts=attempts, shadow=shadow)

    kept = stored(trace, StoredText.MASKED)

    assert kept.shadow is not None
    assert kept.shadow.replies == ("[전화번호]로 전화하세요.",)
    texts = (kept.question, *(attempt.choices[0].text for attempt in kept.attempts))
    found = [choice.findings[0] for choice in kept.shadow.choices]
    places = [text[one.span.start : one.span.end] for text, one in zip(texts, found, strict=True)]
    assert places == [one.observed for one in found] == ["며칠", "30일", "20일"]


def test_an_identifier_is_masked_where_nothing_near_gives_it_away() -> None:
    answer = f"네, {ACCOUNT} 으로 보냈습니다."
    trace = a_trace(
        question=f"가나은행 {ACCOUNT} 계좌로 보내 주세요",
        attempts=(
            Attempt(
                choices=(
                    Choice(
                        text=answer,
                        findings=(
                            a_finding(
                                "answer", answer, "보냈", evidence=(Evidence("1", f"({ACCOUNT})"),)
                            ),
                        ),
                    ),
                )
            ),
        ),
        replies=(answer,),
    )

    kept = stored(trace, StoredText.MASKED)

    assert ACCOUNT not in kept.model_dump_json()
    assert kept.replies == ("네, [계좌번호] 으로 보냈습니다.",)
    assert kept.attempts[0].choices[0].findings[0].evidence[0].quote == "([계좌번호])"


def test_lone_surrogates_become_one_character_so_that_spans_stay_true() -> None:
    question = "\ud83d 30일"
    trace = a_trace(question=question, findings=(a_finding("question", question, "30일"),))

    kept = stored(trace, StoredText.FULL)

    assert kept.question == "\ufffd 30일"
    assert kept.findings[0].span == trace.findings[0].span
    kept.model_dump_json()


CAME = f"회신은 {PHONE}으로 드립니다. 연차는 30일입니다."
LEFT = f"회신은 {PHONE}으로 드립니다. 연차는 15일입니다."


def a_changed_trace(came: str, left: str) -> Trace:
    made = ReplyOrigin(
        action=Action.FIX, attempt=1, changes=changes(came, left), closed_with="closing.cut"
    )
    attempt = Attempt(choices=(Choice(text=came),))
    return a_trace(attempts=(attempt,), replies=(left,), made=(made,))


@each_row("text", [StoredText.MASKED, StoredText.FULL])
def test_changes_still_make_of_what_came_what_left(text: StoredText) -> None:
    kept = stored(a_changed_trace(CAME, LEFT), text)

    [made] = kept.made
    assert applied(kept.attempts[0].choices[0].text, made.changes) == kept.replies[0]
    assert [one.text for one in made.changes] == ["15일입니다."]


def test_an_identifier_that_a_change_cuts_in_pieces_stays_masked() -> None:
    came = LEFT.replace(PHONE, "010 0000 1234")
    kept = stored(a_changed_trace(came, came.replace("1234", "5678")), StoredText.MASKED)

    assert "5678" not in all_of(kept)
    assert applied(kept.attempts[0].choices[0].text, kept.made[0].changes) == kept.replies[0]


def test_a_shared_source_is_masked_by_what_each_request_knows() -> None:
    bare = f"환급은 {ACCOUNT} 번으로 나간다."
    source = Source("1", "", bare)
    telling = a_trace(question=f"제 계좌 {ACCOUNT} 맞나요?", sources=(source,))
    silent = a_trace(question="언제 나가나요?", sources=(source,))

    for _ in range(2):
        assert stored(silent, StoredText.MASKED).sources[0].text == bare
        assert ACCOUNT not in stored(telling, StoredText.MASKED).sources[0].text


def test_an_identifier_of_a_source_is_masked_in_the_answer_of_every_request() -> None:
    source = Source("1", "", f"담당자 전화는 {PHONE}이다.")
    attempt = Attempt(choices=(Choice(text="01000001234 로 거세요."),))

    for question in ("누구인가요?", "번호는요?"):
        kept = stored(
            a_trace(question=question, sources=(source,), attempts=(attempt,)), StoredText.MASKED
        )
        assert "01000001234" not in kept.attempts[0].choices[0].text
