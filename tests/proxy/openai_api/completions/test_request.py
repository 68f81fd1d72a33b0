"""What a completion request has to be, and what the model server gets of it."""

import json

import pytest
from pydantic import JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from tests.proxy.openai_api.completions.making import DOOR, PROMPT, asked


def test_what_the_proxy_needs_is_read() -> None:
    request = asked(
        stream=True, n=3, stream_options={"include_usage": True}, guard={"report": True}
    )

    assert request.model == "m"
    assert request.stream
    assert request.choices == 3
    assert request.include_usage
    assert request.guard.report
    assert not request.offers_tools
    assert not request.structured
    assert request.not_checked == ()


def test_the_members_of_the_proxy_do_not_reach_the_model_server() -> None:
    request = asked(echo=True, guard={"report": True}, best_of=4)

    sent = json.loads(request.for_server("other"))

    assert sent == {"model": "other", "prompt": PROMPT, "best_of": 4}
    assert request.plain_body("m") == {"model": "m", "prompt": PROMPT, "best_of": 4}


def test_everything_but_the_prompt_stands_beside_the_conversation() -> None:
    request = asked(guard={"sources": []}, user="u", documents=["d"])

    assert request.conversation["guard"] == {"sources": []}
    assert request.conversation["documents"] == ["d"]
    assert request.conversation["user"] == "u"
    assert "prompt" not in request.conversation
    assert request.conversation["messages"] == [{"role": "user", "content": PROMPT}]


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({"response_format": {"type": "json_object"}}, id="response-format"),
        pytest.param({"guided_json": {"type": "object"}}, id="guided-json"),
        pytest.param({"format": "json"}, id="format"),
    ],
)
def test_an_answer_in_json_is_asked_for(members: JsonObject) -> None:
    assert asked(**members).structured


def test_words_that_nobody_reads_are_named() -> None:
    request = asked("질문: 몇 층인가요?\n답변: 사무실은", suffix="입니다.")

    assert set(request.not_checked) == {"suffix", "prefill"}


REFUSED = [
    pytest.param({"prompt": [1, 2, 3]}, "prompt", "token", id="token-ids"),
    pytest.param({"prompt": [[1, 2], [3]]}, "prompt", "token", id="several-lists-of-token-ids"),
    pytest.param({"prompt": ["a", "b"]}, "prompt", "2 texts", id="several-prompts"),
    pytest.param({"prompt": []}, "prompt", "0 texts", id="no-prompt-in-a-list"),
    pytest.param({"prompt": None}, "prompt", "text", id="null"),
    pytest.param({"prompt": {"prompt_string": "a"}}, "prompt", "text", id="an-object"),
    pytest.param({"prompt": ["a", 1]}, "prompt", "text", id="a-mixed-list"),
    pytest.param(
        {"prompt": "a", "prompt_embeds": "AA=="}, "prompt_embeds", "inspected", id="vectors"
    ),
    pytest.param({"prompt": "a", "input_ids": [1]}, "input_ids", "inspected", id="ids-beside-it"),
    pytest.param({"prompt": "a", "echo": True, "logprobs": 1}, "echo", "logprobs", id="echo"),
    pytest.param({"prompt": "a", "echo": True, "logprobs": 0}, "echo", "logprobs", id="echo-of-0"),
    pytest.param({"prompt": "a", "echo": "yes"}, "echo", "Invalid", id="echo-of-a-wrong-type"),
    pytest.param({"prompt": "a", "n": 0}, "n", "Invalid", id="no-choice"),
    pytest.param({"prompt": "a", "stream": "yes"}, "stream", "Invalid", id="stream"),
    pytest.param({"prompt": "a", "guard": {"off": True}}, "guard.off", "Invalid", id="guard"),
    pytest.param({}, "prompt", "Invalid", id="no-prompt"),
]


@pytest.mark.parametrize(("members", "param", "reason"), REFUSED)
def test_what_cannot_be_served_is_refused_by_name(
    members: JsonObject, param: str, reason: str
) -> None:
    with pytest.raises(BadRequest) as error:
        DOOR.read_request(json_bytes({"model": "m"} | members))

    assert error.value.param == param
    assert reason in str(error.value)


@pytest.mark.parametrize("prompt", ["언제 닫나요?", ["언제 닫나요?"]])
def test_the_second_request_ends_with_the_note(prompt: JsonValue) -> None:
    body: JsonObject = {"model": "m", "prompt": prompt, "n": 3, "best_of": 4}

    again = DOOR.noted(body, "다시 답하세요.", 2)

    assert again == {
        "model": "m",
        "prompt": "언제 닫나요?\n\n다시 답하세요.\n\n",
        "n": 2,
        "best_of": 4,
    }
    assert body["prompt"] == prompt


def test_the_second_request_may_want_more_choices_than_it_said() -> None:
    again = DOOR.noted({"prompt": "a", "best_of": 1}, "b", 2)

    assert (again["n"], again["best_of"]) == (2, 2)


def test_nothing_is_put_into_a_prompt_of_an_app() -> None:
    assert DOOR.prompted({"prompt": PROMPT}, ()) is None
