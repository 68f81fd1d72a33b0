import pytest
from pydantic import JsonValue

from policies.schema.sections import Regeneration
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.regeneration import with_note

QUESTION: JsonObject = {"role": "user", "content": "연차는 며칠인가요?"}
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


@pytest.mark.parametrize("role", ["tool", "assistant", "system"])
def test_the_note_is_a_turn_of_its_own_behind_what_is_no_user_turn(role: str) -> None:
    last: JsonObject = {"role": role, "content": "…"}

    _, messages = again(body_of(QUESTION, last))

    assert messages[:2] == [QUESTION, last]
    assert messages[2] == {"role": "user", "content": NOTE}


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
