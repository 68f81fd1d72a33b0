"""The second attempt: what it is told, and where that is put."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from guards.core.exchange import Exchange, Source
from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.reading import Text
from guards.core.registry import all_guards
from guards.text.particles import Noun
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.sections import Regeneration
from proxy.candidates import Candidate
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.coverage import CHAT
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import Answer, Reply
from proxy.pipeline.regeneration import OPENING, ClosedList, note, note_about, with_note
from tests.fakes.judging import judged_whole
from tests.tables import each_row

MOST_CHARS = 1200

INSTRUCTED = [
    code
    for guard in all_guards().values()
    for code, meaning in guard.codes.items()
    if meaning.instruction
]


def finding(
    code: str = "korean_only.han",
    observed: str = "申请书",
    *,
    strength: Strength = Strength.E0,
    expected: tuple[str, ...] = (),
    quote: str = "",
) -> Finding:
    return Finding(
        guard=code.partition(".")[0],
        code=code,
        part="answer",
        span=Span(0, len(observed)),
        observed=observed,
        strength=strength,
        expected=expected,
        evidence=(Evidence("2", quote),) if quote else (),
    )


@each_row("code", INSTRUCTED)
def test_every_instruction_can_be_filled_in(code: str) -> None:
    lines = note([finding(code, "제99조 {0}", expected=("제15조",))], most=5).splitlines()

    assert lines[1].startswith("1) ")
    assert "{observed}" not in lines[1]
    assert "{expected}" not in lines[1]


def test_the_worst_is_named_first_and_each_fault_once() -> None:
    unsupported = finding("numbers.not_in_sources", "5일", strength=Strength.E0)
    contradicted = finding(
        "numbers.value_differs", "30일", strength=Strength.C2, expected=("14일",)
    )

    lines = note([unsupported, contradicted, unsupported], most=5).splitlines()

    assert ["30일" in lines[1], "5일" in lines[2], len(lines)] == [True, True, 4]


def test_the_source_is_quoted_before_the_fault() -> None:
    wrong = finding(
        "numbers.value_differs", "30일", expected=("14일",), quote="신청은 14일 이내에 합니다."
    )

    line = note([wrong], most=5).splitlines()[1]

    assert line.startswith('1) 자료 2: "신청은 14일 이내에 합니다." → ')
    assert line.index("14일") < line.index("30일")


def test_a_known_spelling_is_passed_on() -> None:
    known = replace(finding(observed="全额", expected=("전액",)), fix="전액")

    [_, told, _] = note([known], most=5).splitlines()
    [_, untold, _] = note([finding(observed="手续")], most=5).splitlines()

    assert told.endswith("한글로만 쓰세요. 바르게 쓰면: 전액")
    assert "바르게 쓰면" not in untold


@each_row("personal, count", "overlapping")
@each_row("order", [1, -1])
def test_who_gave_a_wrong_contact_is_not_told_to_give_none(
    personal: str, count: int, order: int
) -> None:
    findings = [
        finding("contact.invented", "02-999-8765"),
        finding("personal_data.unlicensed", personal),
    ][::order]

    told = note(findings, most=5, lists=[ClosedList("연락처", ("02-000-1234",))])

    assert told.count("\n1) ") + told.count("\n2) ") == count
    assert '"02-999-8765"는 자료에 없는 연락처' in told


def test_where_room_is_short_a_closed_list_counts_more_than_another_fault() -> None:
    faults = [
        finding(observed=f"{number}번째 " + "가" * 80, quote="나" * 400) for number in range(9)
    ]
    lists = [ClosedList("수치", ("3일",))]

    told = note(faults, most=9, lists=lists, standing=["다" * 300])

    assert "쓸 수 있는 수치: 3일" in told
    assert "9) " not in told
    assert "유지하세요" not in told


TEXTS = st.text('가a申\n {}%"', max_size=3000)
LISTS = st.builds(ClosedList, st.just("수치"), st.lists(TEXTS, max_size=5).map(tuple))


@given(
    st.lists(
        st.builds(
            finding, observed=TEXTS, quote=TEXTS, expected=st.lists(TEXTS, max_size=5).map(tuple)
        ),
        max_size=12,
    ),
    st.integers(1, 20),
    st.lists(LISTS, max_size=4),
    st.lists(TEXTS, max_size=5),
)
def test_the_note_is_never_long_and_never_without_its_frame(
    findings: list[Finding], most: int, lists: list[ClosedList], standing: list[str]
) -> None:
    told = note(findings, most, lists, standing)

    assert told.startswith(f"{OPENING} ")
    assert told.endswith("라고 답해 주세요.")
    assert len(told) <= MOST_CHARS
    assert bool(findings) == ("\n1) " in told)


POLICY = load_shipped("default").policy
INSPECTOR = Inspector(POLICY)
SOURCES = (
    Source(
        "1",
        "제6조(대출)",
        "도서는 한 번에 7권까지 빌릴 수 있다. 대출 기간은 21일로 한다. 연체료는 하루에 150원이다.",
    ),
    Source(
        "2",
        "제9조(예약)",
        "예약한 도서는 알림을 받은 날부터 4일 안에 찾아간다. 문의는 자료실(02-000-1234)에서 한다.",
    ),
)
QUESTION = "도서 대출과 예약은 어떻게 하나요?"
FOUR_TRUE = (
    "도서는 한 번에 7권까지 빌릴 수 있습니다. 대출 기간은 21일입니다. 연체료는 하루에 150원입니다. "
    "예약한 도서는 알림을 받은 날부터 4일 안에 찾아가야 합니다."
)


def judged(
    answer: str, sources: tuple[Source, ...] = SOURCES, question: str = QUESTION
) -> Candidate:
    said = Answer(0, answer, tool_turn=False, finish_reason="stop")
    return judged_whole(
        INSPECTOR,
        Exchange(question, sources),
        Reply(raw=b"", answers=(said,), bodies=({},), fields=CHAT.reply),
        may_regenerate=True,
        may_edit=False,
    )


def told_about(
    answer: str, sources: tuple[Source, ...] = SOURCES, question: str = QUESTION
) -> list[str]:
    return note_about([judged(answer, sources, question)], POLICY.regeneration).splitlines()


def allowed(lines: list[str]) -> dict[str, str]:
    """Return what the note allows, by kind."""
    found = [line.removeprefix("쓸 수 있는 ") for line in lines if line.startswith("쓸 수 있는 ")]
    return {
        kind.partition("(")[0]: values for kind, _, values in (one.partition(": ") for one in found)
    }


@each_row("answer, kind, held, left_out", "listed")
def test_only_values_of_the_kind_that_was_wrong_are_listed(
    answer: str, kind: str, held: list[str], left_out: list[str]
) -> None:
    lists = allowed(told_about(answer))

    assert list(lists) == [kind]
    assert all(value in lists[kind] for value in held)
    assert not any(value in lists[kind] for value in left_out)


def test_a_wrong_contact_is_one_fault() -> None:
    lines = told_about("자료실 번호는 02-999-8765입니다.")

    assert [line[:2] for line in lines[1:-1]] == ["1)"]
    assert not any("개인정보" in line for line in lines)


def test_a_word_whose_reading_is_known_is_told_with_it() -> None:
    lines = told_about("图书는 许可 뒤에 빌립니다. 대출 期间은 21일입니다.")

    assert [line.partition("바르게 쓰면: ")[2] for line in lines[1:4]] == ["도서", "", "기간"]


def test_a_list_that_would_have_to_be_cut_short_is_left_out() -> None:
    articles = " ".join(f"제{number}조(예약) {number}층에서 한다." for number in range(20, 60))
    sources = (*SOURCES, Source("3", "운영 규정", articles))

    assert allowed(told_about("제88조에 따라 7권까지 빌립니다.", sources)) == {}


def test_a_kind_of_which_the_sources_hold_nothing_is_not_to_be_written() -> None:
    told = told_about("제88조에 따라 3권입니다.", (Source("1", "안내", "3권을 빌린다."),))

    assert "자료에는 조문이 없으니 쓰지 마세요." in told
    assert "1) 제88조: 제공된 자료에 없는 조문입니다. 쓰지 마세요." in told


def test_a_source_is_quoted_without_its_markup() -> None:
    source = Source("1", "주차", "* **방문객**의 [주차비](http://a.kr)는 1시간에 <b>2천원</b>이다.")

    told = told_about("방문객의 주차비는 1시간에 9천원입니다.", (source,), "주차비는 얼마인가요?")

    assert '"방문객의 주차비는 1시간에 2천원이다."' in told[1]


@each_row("question, answer, source, value", "of_the_same")
def test_a_value_of_the_thing_that_was_asked_about_is_named(
    question: str, answer: str, source: Source, value: str
) -> None:
    assert value in "\n".join(told_about(answer, (source,), question)[1:-1])


@each_row("question, answer, source", "of_another")
def test_no_value_of_another_thing_is_named(question: str, answer: str, source: Source) -> None:
    faults = told_about(answer, (source,), question)[1:-1]

    assert faults[0].startswith("1) ")
    own = {value.text for value in Text(f"{question} {answer}").quantities}
    foreign = {value.text for value in Text(f"{source.title}\n{source.text}").quantities} - own
    assert not any(value in line for value in foreign for line in faults)
    assert not any(one.text in line for one in Text(source.text).contacts for line in faults)
    assert not any("인사팀" in line for line in faults)


LAYOUTS = {
    "prose": "{one} {of}{of:은} {first}이다. {other} {of}{of:은} {second}이다.",
    "one sentence": "{of}{of:은} {one} {first}, {other} {second}입니다.",
    "list": "{of}\n- {one}: {first}\n- {other}: {second}",
    "headings": "## {one}\n- {of}: {first}\n## {other}\n- {of}: {second}",
    "rows": "| 구분 | {of} |\n|---|---|\n| {one} | {first} |\n| {other} | {second} |",
    "columns": "| 구분 | {one} | {other} |\n|---|---|---|\n| {of} | {first} | {second} |",
}


@each_row("one, other, third, of, first, second, neither", "two_holders")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_value_of_another_holder_is_ordered(
    layout: str, one: str, other: str, third: str, of: str, first: str, second: str, neither: str
) -> None:
    attribute = Noun(of)
    text = LAYOUTS[layout].format(one=one, other=other, of=attribute, first=first, second=second)

    def orders(answer: str, question: str) -> str:
        """Return what the note says about an answer, without the sources' own sentences."""
        lines = told_about(answer, (Source("1", "안내", text),), question)
        numbered = [line for line in lines if re.match(r"\d\) ", line)]
        return "\n".join(line.partition("→")[2] or line for line in numbered)

    for asked, own, foreign in ((one, first, second), (other, second, first)):
        question = f"{asked} {attribute}{attribute:은} 어떻게 되나요?"
        for subject in (f"{asked} ", ""):
            told = orders(f"{subject}{attribute}{attribute:은} {neither}입니다.", question)
            assert neither in told or not subject
            assert foreign not in told
        swapped = orders(f"{asked} {attribute}{attribute:은} {foreign}입니다.", question)
        assert "바르게 쓰면" not in swapped or own in swapped.partition("바르게 쓰면")[2]
        assert f'자료의 값은 "{foreign}"' not in swapped
    unknown = orders(
        f"{third} {attribute}{attribute:은} {neither}입니다.",
        f"{third} {attribute}{attribute:은}요?",
    )
    assert first not in unknown
    assert second not in unknown


def test_sentences_that_stand_are_kept_if_they_are_most_of_the_answer() -> None:
    mostly_true = told_about(f"{FOUR_TRUE} 자료실 번호는 02-999-8765입니다.")
    half_true = told_about("대출 기간은 21일입니다. 자료실 번호는 02-999-8765입니다.")

    [kept] = [line for line in mostly_true if "유지하세요" in line]
    assert "대출 기간은 21일입니다." in kept
    assert "02-999-8765" not in kept
    assert not any("유지하세요" in line for line in half_true)


def test_nothing_is_kept_of_several_answers() -> None:
    failed = judged(f"{FOUR_TRUE} 자료실 번호는 02-999-8765입니다.")

    assert "유지하세요" not in note_about([failed, failed], POLICY.regeneration)


ASKED_FOR: JsonObject = {"role": "user", "content": "연차는 며칠인가요?"}
NOTE = "[검증 결과] 한글로만 쓰세요."


def body_of(*messages: JsonObject, **members: JsonValue) -> JsonObject:
    body: JsonObject = {"model": "m", "messages": [*messages]}
    return body | members


def again(
    body: JsonObject, *, choices: int = 1, temperature: float | None = 0.2
) -> tuple[JsonObject, list[JsonObject]]:
    """Return the second request and its messages."""
    rules = Regeneration(temperature=temperature)
    second = with_note(ChatEndpoint(), body, NOTE, rules, choices=choices)
    messages = second["messages"]
    assert isinstance(messages, list)
    return second, [message for message in messages if isinstance(message, dict)]


def test_the_note_becomes_a_part_of_a_turn_made_of_parts() -> None:
    parts: list[JsonValue] = [
        {"type": "text", "text": "이 표를 보세요."},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    ]

    _, [message] = again(body_of({"role": "user", "content": parts}))

    content = message["content"]
    assert isinstance(content, list)
    assert content[:2] == parts
    assert content[2] == {"type": "text", "text": NOTE}


@each_row("role", ["tool", "assistant", "system"])
def test_the_note_is_a_turn_of_its_own_behind_what_is_no_user_turn(role: str) -> None:
    last: JsonObject = {"role": role, "content": "…"}

    _, messages = again(body_of(ASKED_FOR, last))

    assert messages[:2] == [ASKED_FOR, last]
    assert messages[2] == {"role": "user", "content": NOTE}


@each_row("members, ceiling, expected", "temperatures")
def test_the_policy_caps_the_temperature(
    members: JsonObject, ceiling: float | None, expected: float | None
) -> None:
    second, _ = again(body_of(ASKED_FOR, **members), temperature=ceiling)

    assert second.get("temperature") == expected


def test_a_seed_moves_on_so_that_the_same_draft_does_not_come_back() -> None:
    assert again(body_of(ASKED_FOR, seed=7))[0]["seed"] == 8
    assert "seed" not in again(body_of(ASKED_FOR))[0]


@each_row("members, failed, n", "choices")
def test_only_the_failed_choices_are_asked_for_again(
    members: JsonObject, failed: int, n: int | None
) -> None:
    assert again(body_of(ASKED_FOR, **members), choices=failed)[0].get("n") == n
