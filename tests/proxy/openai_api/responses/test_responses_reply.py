import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.responses.output import spread
from proxy.openai_api.sse import json_bytes, write_event
from tests.proxy.openai_api.responses.wire import (
    DOOR,
    JSON,
    NAMES,
    NO_PSEUDONYMS,
    events_of,
    message,
    read,
    read_plain,
    recorded,
    response_of,
)

CALL: JsonObject = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
REASONING: JsonObject = {"type": "reasoning", "id": "r", "summary": []}
SEARCH: JsonObject = {"type": "web_search_call", "id": "w", "status": "completed"}
CUT: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTERED: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
STEERED: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "steered"}}
REFUSAL: JsonObject = {"type": "refusal", "refusal": "답할 수 없습니다."}

READ: list[object] = [
    pytest.param([message("가나")], {}, ("가나", False, "stop"), id="one-part"),
    pytest.param([message("가", "나"), message("다")], {}, ("가나다", False, "stop"), id="parts"),
    pytest.param([REASONING, SEARCH, message("가")], {}, ("가", False, "stop"), id="other-items"),
    pytest.param([message("가"), CALL], {}, ("가", True, "tool_calls"), id="call-of-a-tool"),
    pytest.param([message("가")], CUT, ("가", False, "length"), id="cut-short"),
    pytest.param([message("가")], FILTERED, ("가", False, "content_filter"), id="filtered"),
    pytest.param([message("가")], STEERED, ("가", False, "incomplete"), id="for-another-reason"),
    pytest.param([], {}, ("", False, "stop"), id="nothing"),
    pytest.param([message()], {}, ("", False, "stop"), id="no-parts"),
]


@pytest.mark.parametrize(("items", "members", "said"), READ)
def test_reads_a_plain_reply(
    items: list[JsonObject], members: JsonObject, said: tuple[str, bool, str]
) -> None:
    reply = read_plain(response_of(*items, **members))

    assert reply.answers == (Answer(0, *said),)
    assert not reply.is_stream


UNSEEN: list[object] = [
    pytest.param([message("가")], (), id="text"),
    pytest.param([message("가"), CALL], (), id="calls-are-the-clients-own"),
    pytest.param([REASONING, SEARCH, message("가")], ("reasoning", "web_search_call"), id="items"),
    pytest.param([message("가") | {"content": [REFUSAL]}], ("refusal",), id="refusal"),
    pytest.param([{"type": "hologram", "id": "h"}], ("unknown_item",), id="unknown-and-wordless"),
    pytest.param([message("<think>흠</think>가")], ("think",), id="reasoning-in-the-text"),
    pytest.param(
        [message("가") | {"content": [{"type": "output_text", "text": "가", "annotations": [{}]}]}],
        ("annotations",),
        id="annotations",
    ),
]


@pytest.mark.parametrize(("items", "names"), UNSEEN)
def test_what_is_not_looked_at_is_named(items: list[JsonObject], names: tuple[str, ...]) -> None:
    assert read_plain(response_of(*items)).unseen == names


BROKEN: list[object] = [
    pytest.param(b"[]", "got list", id="no-object"),
    pytest.param(b"<html>", "Expecting value", id="no-json"),
    pytest.param(b'{"id": "x"}', "no output", id="no-output"),
    pytest.param(b'{"output": [], "output": [{}]}', "appears twice", id="two-outputs"),
    pytest.param(json_bytes(response_of(status="failed")), "failed", id="failed"),
    pytest.param(json_bytes(response_of(error={"code": "x"})), "failed", id="error"),
    pytest.param(json_bytes(response_of(status="queued")), "not ended", id="still-to-come"),
    pytest.param(json_bytes(response_of(status="in_progress")), "not ended", id="under-way"),
    pytest.param(json_bytes(response_of(message() | {"content": "가"})), "no list", id="string"),
    pytest.param(
        json_bytes(response_of(message() | {"content": [{"type": "table"}]})), "no text", id="part"
    ),
    pytest.param(
        json_bytes(response_of({"type": "essay", "content": [{"text": "가"}]})),
        "unknown kind",
        id="item-of-an-unknown-kind-with-words",
    ),
    pytest.param(
        json_bytes(response_of(message("가"), output_text="나")), "two different", id="two-texts"
    ),
]


@pytest.mark.parametrize(("raw", "problem"), BROKEN)
def test_a_reply_that_nobody_could_read_is_broken(raw: bytes, problem: str) -> None:
    with pytest.raises(UpstreamBroken, match=problem):
        DOOR.read_reply(raw, JSON, NO_PSEUDONYMS)


RECORDED: list[object] = [
    pytest.param("answer", "연차는 매년 15일입니다. [†1] 신청은 3일 전까지 하세요. [†2]", "stop",
                 ("reasoning",), id="answer"),
    pytest.param("two_parts", "주차 요금은 하루 8,000원입니다. 저녁 7시 이후는 무료입니다.", "stop",
                 ("annotations", "file_search_call"), id="two-parts"),
    pytest.param("tool_call", "찾아보겠습니다.", "tool_calls", (), id="tool-call"),
    pytest.param("cut_short", "환불은 7일 안에 신청하면 되고, 수수료는", "length", (), id="cut"),
    pytest.param("without_ends_of_texts", "회의실은 2층입니다.", "stop", (), id="without-ends"),
    pytest.param("only_whole_items", "구내식당은 11시 반에 엽니다.", "stop", (), id="whole-items"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "reason", "unseen"), RECORDED)
def test_reads_a_recorded_stream(
    name: str, content: str, reason: str, unseen: tuple[str, ...]
) -> None:
    reply = read(recorded(name))

    [answer] = reply.answers
    assert (answer.content, answer.finish_reason) == (content, reason)
    assert set(reply.unseen) == set(unseen)
    assert reply.is_stream
    assert isinstance(reply.usage, dict)


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_says_what_its_whole_response_says(name: str) -> None:
    response = events_of(recorded(name))[-1]["response"]
    assert isinstance(response, dict)

    assert read(recorded(name)).answers == read_plain(response).answers


def test_two_texts_at_once_are_broken() -> None:
    events = events_of(recorded("two_parts"))
    late = next(event for event in events if event["type"] == "response.output_text.delta")
    events.insert(-2, late)

    with pytest.raises(UpstreamBroken, match="mixes two texts"):
        read(b"".join(map(write_event, events)))


@given(st.lists(st.text(), min_size=1, max_size=4), st.text())
def test_no_word_of_a_changed_answer_is_lost(parts: list[str], text: str) -> None:
    after = spread(parts, text)

    assert "".join(after) == text
    assert len(after) == len(parts)
    assert spread(parts, "".join(parts)) == parts
