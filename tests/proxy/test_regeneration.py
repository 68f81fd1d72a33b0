import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.registry import all_guards
from policies.policy import Regeneration
from proxy.openai_api.json_body import JsonObject
from proxy.regeneration import HEADING, feedback, with_feedback

QUESTION: JsonObject = {"role": "user", "content": "연차는 며칠인가요?"}
SYSTEM: JsonObject = {"role": "system", "content": "사내 규정만 안내하세요."}
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


def body_of(*messages: JsonObject, **members: JsonValue) -> JsonObject:
    body: JsonObject = {"model": "m", "messages": [*messages]}
    return body | members


def again(
    body: JsonObject, *, choices: int = 1, temperature: float | None = 0.2
) -> tuple[JsonObject, list[JsonObject]]:
    """Return the second request and its messages."""
    rules = Regeneration(temperature=temperature)
    second = with_feedback(body, [finding()], rules, choices=choices)
    messages = second["messages"]
    assert isinstance(messages, list)
    return second, [message for message in messages if isinstance(message, dict)]


def test_the_note_stands_behind_the_last_user_turn() -> None:
    _, messages = again(body_of(SYSTEM, QUESTION))

    assert messages[0] == SYSTEM
    assert messages[1]["role"] == "user"
    assert str(messages[1]["content"]).startswith(f"{QUESTION['content']}\n\n{HEADING}")
    assert "申请书" in str(messages[1]["content"])


def test_the_note_becomes_a_part_of_a_turn_made_of_parts() -> None:
    parts: list[JsonValue] = [
        {"type": "text", "text": "이 표를 보세요."},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    ]

    _, [message] = again(body_of({"role": "user", "content": parts}))

    content = message["content"]
    assert isinstance(content, list)
    assert content[:2] == parts
    assert isinstance(content[2], dict)
    assert content[2]["type"] == "text"
    assert str(content[2]["text"]).startswith(HEADING)


@pytest.mark.parametrize("role", ["tool", "assistant", "system"])
def test_the_note_is_a_turn_of_its_own_behind_what_is_no_user_turn(role: str) -> None:
    last: JsonObject = {"role": role, "content": "…"}

    _, messages = again(body_of(QUESTION, last))

    assert messages[:2] == [QUESTION, last]
    assert messages[2]["role"] == "user"
    assert str(messages[2]["content"]).startswith(HEADING)


@given(st.dictionaries(st.sampled_from(["stream", "tools", "max_tokens", "x"]), st.integers()))
def test_all_else_stays_and_the_first_request_is_left_alone(members: JsonObject) -> None:
    body = body_of(SYSTEM, QUESTION, **members)
    before = copy.deepcopy(body)

    second, _ = again(body, temperature=None)

    assert body == before
    assert second | {"messages": body["messages"]} == body


TEMPERATURES = [
    pytest.param({"temperature": 0.9}, 0.2, 0.2, id="lowered"),
    pytest.param({"temperature": 0}, 0.2, 0, id="a-lower-one-stays"),
    pytest.param({}, 0.2, 0.2, id="servers-default-is-lowered"),
    pytest.param({"temperature": None}, 0.2, 0.2, id="null-is-the-servers-default"),
    pytest.param({"temperature": 0.9}, None, 0.9, id="left-to-the-client"),
    pytest.param({}, None, None, id="left-to-the-server"),
]


@pytest.mark.parametrize(("members", "ceiling", "expected"), TEMPERATURES)
def test_the_policy_caps_the_temperature(
    members: JsonObject, ceiling: float | None, expected: float | None
) -> None:
    second, _ = again(body_of(QUESTION, **members), temperature=ceiling)

    assert second.get("temperature") == expected


def test_a_seed_moves_on_so_that_the_same_draft_does_not_come_back() -> None:
    assert again(body_of(QUESTION, seed=7))[0]["seed"] == 8
    assert "seed" not in again(body_of(QUESTION))[0]


CHOICES = [
    pytest.param({"n": 3}, 1, 1, id="one-of-three-failed"),
    pytest.param({"n": 3}, 2, 2, id="two-of-three-failed"),
    pytest.param({}, 1, None, id="one-of-one-needs-no-number"),
    pytest.param({}, 2, 2, id="a-server-that-gave-more-than-asked"),
]


@pytest.mark.parametrize(("members", "failed", "n"), CHOICES)
def test_only_the_failed_choices_are_asked_for_again(
    members: JsonObject, failed: int, n: int | None
) -> None:
    assert again(body_of(QUESTION, **members), choices=failed)[0].get("n") == n


@pytest.mark.parametrize("code", INSTRUCTED)
def test_every_instruction_can_be_filled_in(code: str) -> None:
    lines = feedback([finding(code, "제99조 {0}", expected=("제15조",))], most=5).splitlines()

    assert lines[1].startswith("1) ")
    assert "{observed}" not in lines[1]
    assert "{expected}" not in lines[1]


def test_the_worst_is_named_first_and_each_fault_once() -> None:
    unsupported = finding("numbers.not_in_sources", "5일", strength=Strength.E0)
    contradicted = finding(
        "numbers.value_differs", "30일", strength=Strength.C2, expected=("14일",)
    )

    lines = feedback([unsupported, contradicted, unsupported], most=5).splitlines()

    assert ["30일" in lines[1], "5일" in lines[2], len(lines)] == [True, True, 4]


def test_the_policy_limits_how_many_faults_are_named() -> None:
    findings = [finding(observed=letter) for letter in "一二三四五六七"]

    lines = feedback(findings, most=3).splitlines()

    assert [line[:3] for line in lines[1:-1]] == ["1) ", "2) ", "3) "]


def test_the_source_is_quoted_before_the_fault() -> None:
    wrong = finding(
        "numbers.value_differs", "30일", expected=("14일",), quote="신청은 14일 이내에 합니다."
    )

    line = feedback([wrong], most=5).splitlines()[1]

    assert line.startswith('1) 자료 2: "신청은 14일 이내에 합니다." → ')
    assert line.index("14일") < line.index("30일")


TEXTS = st.text('가a申\n {}%"', max_size=3000)


@given(st.lists(st.builds(finding, observed=TEXTS, quote=TEXTS), max_size=12), st.integers(1, 20))
def test_the_note_is_never_long_and_never_without_its_frame(
    findings: list[Finding], most: int
) -> None:
    note = feedback(findings, most)

    assert note.startswith(HEADING)
    assert len(note) <= MOST_CHARS
    assert len(note.splitlines()) <= most + 2
    assert bool(findings) == ("1) " in note)
